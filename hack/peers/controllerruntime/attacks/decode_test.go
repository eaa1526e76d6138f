// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	sigsjson "sigs.k8s.io/json"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// canary is part of every value that a denial must not quote, and of no key.
const canary = "4711"

// writer makes JSON texts for Go types.
type writer struct {
	*rand.Rand
	hostile int // how many of a thousand values do not fit their type
	out     []byte
}

func (w *writer) chance(thousandth int) bool { return w.IntN(1000) < thousandth }

func pick[T any](w *writer, from ...T) T { return from[w.IntN(len(from))] }

func (w *writer) add(text string) { w.out = append(w.out, text...) }

// space adds white space now and then.
func (w *writer) space() {
	if w.chance(20) {
		w.add(pick(w, " ", "\n", "\t\r", "   "))
	}
}

// number adds a number. Some are at the bounds of what a Go type can hold, or just over them.
func (w *writer) number() {
	w.add(pick(w, "0", "-0", "1", "-1", "7", "42", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648",
		"-2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"18446744073709551615", "18446744073709551616", "1.0", "1.5", "0.1", "1e2", "1E+2", "-2.5e-3", "3.4e38", "3.5e38", "1e308", "1e309", "-1e400", "1e-400",
		canary, "-"+canary, canary+"e999", canary+canary+canary+canary+canary+canary))
}

// small adds a number that most types can hold.
func (w *writer) small() { w.add(pick(w, "0", "1", "2", "42", "100")) }

// content returns the text between the quotes of a string.
func (w *writer) content() string {
	return pick(w, "", "a", "web", "IfNotPresent", "secret-"+canary, `\u0061`, `\"\\\/\b\f\n\r\t`, `\ud83d\ude00`, `\ud83d`, `\udc00x`, "zwölf", "😀",
		"\xff\xfe", "<&>\u2028", strings.Repeat("x", 70), canary)
}

func (w *writer) str(content string) { w.add(`"` + content + `"`) }

// key adds the key of a member.
func (w *writer) key(name string) {
	if w.chance(15) && name != "" && name[0] < 0x80 && name[0] > ' ' && name[0] != '"' && name[0] != '\\' {
		name = fmt.Sprintf(`\u%04x`, name[0]) + name[1:]
	}
	w.str(name)
	w.space()
	w.add(":")
	w.space()
}

// list adds an array.
func (w *writer) list(n int, element func()) {
	w.add("[")
	for i := range n {
		if i > 0 {
			w.add(",")
		}
		w.space()
		element()
	}
	w.space()
	w.add("]")
}

// untyped adds any value.
func (w *writer) untyped(depth int) {
	n := 8
	if depth <= 0 {
		n = 6
	}
	switch w.IntN(n) {
	case 0:
		w.add(pick(w, "true", "false"))
	case 1:
		w.add("null")
	case 2, 3:
		w.number()
	case 4, 5:
		w.str(w.content())
	case 6:
		w.list(w.IntN(4), func() { w.untyped(depth - 1) })
	case 7:
		w.members(w.names(), func(string) { w.untyped(depth - 1) })
	}
}

// names returns the keys of a map.
func (w *writer) names() []string {
	all := []string{"a", "b", "", "app.kubernetes.io/name", "zwölf", `quo\"ted`, "k\xff", strings.Repeat("k", 70), `\n`}
	w.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:w.IntN(4)]
}

// members adds an object. Now and then a key occurs twice.
func (w *writer) members(names []string, value func(name string)) {
	w.add("{")
	if len(names) > 0 && w.chance(w.hostile) {
		names = append(slices.Clone(names), names[w.IntN(len(names))])
	}
	for i, name := range names {
		if i > 0 {
			w.add(",")
		}
		w.space()
		w.key(name)
		value(name)
	}
	w.space()
	w.add("}")
}

// own adds a value of a type with its own UnmarshalJSON or UnmarshalText.
func (w *writer) own(typ reflect.Type, depth int) bool {
	switch reflect.Zero(typ).Interface().(type) {
	case metav1.Time, metav1.MicroTime:
		w.str(pick(w, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05+02:00", "2026-01-02t03:04:05z", "0001-01-01T00:00:00Z", ""))
	case metav1.Duration:
		w.str(pick(w, "1s", "1h30m", "-5ms", "0", "1.5h", "abc"+canary))
	case intstr.IntOrString:
		w.add(pick(w, "80", `"http"`, `"50%"`, "2147483647", "2147483648", "1.0", `"`+canary+`"`))
	case resource.Quantity:
		w.add(pick(w, `"1"`, `"0.5"`, `"100m"`, `"1Gi"`, `"3e3"`, "1", "0.25", `""`, `" 1"`, `"1 `+canary+`"`, `"`+canary+`x"`))
	case pair:
		w.list(w.IntN(3), w.small)
	case tag:
		w.str("#" + w.content())
	case code:
		w.str(w.content())
	case json.Number:
		w.number()
	case unstructured.Unstructured:
		w.members([]string{"apiVersion", "kind", "x"}, func(name string) {
			if name == "x" {
				w.untyped(depth - 1)
			} else {
				w.str("X")
			}
		})
	case metav1.FieldsV1:
		w.add(pick(w, `{"f:a":{"f:b":{}}}`, `{ "f:a" : {} }`, "{}"))
	default:
		return false
	}
	return true
}

// value adds a value for a type.
func (w *writer) value(typ reflect.Type, depth int) {
	switch {
	case w.chance(w.hostile):
		w.untyped(2)
		return
	case w.chance(30):
		w.add("null")
		return
	case w.own(typ, depth):
		return
	case whole(typ) && (typ.Kind() == reflect.Interface || typ.Kind() == reflect.Slice || typ.Name() == "RawExtension"):
		w.untyped(depth)
		return
	}
	switch typ.Kind() {
	case reflect.Bool:
		w.add(pick(w, "true", "false"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if w.chance(w.hostile) {
			w.number()
		} else {
			w.small()
		}
	case reflect.Float32, reflect.Float64:
		w.add(pick(w, "0", "1.5", "0.1", "-2.5e-3", "1e2", "3.4e38"))
	case reflect.String:
		w.str(w.content())
	case reflect.Pointer:
		w.value(typ.Elem(), depth)
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Uint8 && w.chance(700) {
			w.str(pick(w, "aGVsbG8=", "", "AA==", `aGVs\nbG8=`))
			return
		}
		w.list(w.length(depth), func() { w.value(typ.Elem(), depth-1) })
	case reflect.Array:
		w.list(w.IntN(5), func() { w.value(typ.Elem(), depth-1) })
	case reflect.Map:
		w.members(w.keys(typ.Key(), depth), func(string) { w.value(typ.Elem(), depth-1) })
	case reflect.Struct:
		w.structure(typ, depth)
	default:
		w.add("null")
	}
}

func (w *writer) length(depth int) int {
	if depth <= 0 {
		return 0
	}
	return w.IntN(4)
}

// keys returns keys for a map with keys of a type.
func (w *writer) keys(typ reflect.Type, depth int) []string {
	switch {
	case depth <= 0:
		return nil
	case typ == reflect.TypeFor[tag]():
		return []string{"#a", "#b"}[:w.IntN(3)]
	case typ.Kind() == reflect.String, w.chance(w.hostile):
		return w.names()
	}
	return []string{"1", "2", "77", "127"}[:w.IntN(4)]
}

func (w *writer) structure(typ reflect.Type, depth int) {
	members := membersOf(typ)
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	some := 250
	if len(names) > 12 {
		some = 120
	}
	names = slices.DeleteFunc(names, func(string) bool { return depth <= 0 || !w.chance(some) })
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	if w.chance(100) {
		names = append(names, pick(w, "future", "BOOL", "Labels", "labelſ", ""))
	}
	w.members(names, func(name string) {
		member, ok := members[name]
		_, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		switch {
		case !ok:
			w.untyped(2)
		case strings.Contains(options, "string") && !w.chance(w.hostile):
			w.str(pick(w, "1", "0", "true", `\"a\"`, "null", canary))
		default:
			w.value(member.Type, depth-1)
		}
	})
}

// text returns a JSON text for a type.
func text(seed uint64, typ reflect.Type) []byte {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 2))}
	w.hostile = []int{0, 0, 1, 5, 30}[seed%5]
	w.structure(typ, 4)
	return w.out
}

// damaged returns a text with some bytes changed.
func damaged(r *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(text)), r.IntN(len(text))
		switch r.IntN(6) {
		case 0:
			text[i] = byte(r.IntN(256))
		case 1:
			text[i] = `{}[]",:\0123456789-+.eEntfu `[r.IntN(28)]
		case 2: // a part goes
			text = slices.Delete(text, i, min(len(text), i+1+r.IntN(4)))
		case 3: // a part is doubled
			i, j = min(i, j), max(i, j)
			text = slices.Insert(text, i, slices.Clone(text[i:min(j, i+40)])...)
		case 4: // two parts change places
			text[i], text[j] = text[j], text[i]
		case 5: // it ends
			text = text[:i+1]
		}
		if len(text) < 2 {
			break
		}
	}
	return text
}

// node is a JSON value. Unlike a map, it has a member for each occurrence of a key.
type node struct {
	object, array bool
	keys          []string
	elements      []*node
}

// nodes parses JSON with encoding/json, which must be able to.
func nodes(t *testing.T, text []byte) *node {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	next := func() json.Token {
		token, err := d.Token()
		if err != nil && err != io.EOF {
			t.Fatalf("%v: %s", err, text)
		}
		return token
	}
	var value func() *node
	value = func() *node {
		n := &node{}
		switch next() {
		case json.Delim('{'):
			n.object = true
			for d.More() {
				n.keys = append(n.keys, next().(string))
				n.elements = append(n.elements, value())
			}
			next()
		case json.Delim('['):
			n.array = true
			for d.More() {
				n.elements = append(n.elements, value())
			}
			next()
		}
		return n
	}
	return value()
}

// twice reports whether a key occurs twice in an object that decoding reads for a type. A nil type means all objects.
func (n *node) twice(typ reflect.Type) bool {
	for typ != nil && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ != nil && whole(typ) {
		typ = nil
	}
	var members map[string]reflect.StructField
	if typ != nil && typ.Kind() == reflect.Struct {
		members = membersOf(typ)
	}
	seen := map[string]bool{}
	for i, element := range n.elements {
		below := typ
		if n.object {
			if members != nil {
				member, ok := members[n.keys[i]]
				if !ok {
					continue // nobody looks there
				}
				below = member.Type
			}
			if seen[n.keys[i]] {
				return true
			}
			seen[n.keys[i]] = true
		}
		if typ != nil && typ.Kind() != reflect.Struct {
			if typ.Kind() != reflect.Map && typ.Kind() != reflect.Slice {
				continue // which does not fit
			}
			below = typ.Elem()
		}
		if element.twice(below) {
			return true
		}
	}
	return false
}

// names reports whether a text is part of a key.
func (n *node) names(part string) bool {
	return slices.ContainsFunc(n.keys, func(key string) bool { return strings.Contains(key, part) }) ||
		slices.ContainsFunc(n.elements, func(e *node) bool { return e.names(part) })
}

// decoders are webhooks whose functions keep the object that they get.
type decoders[T any] struct {
	object, old, mutating http.Handler
	got                   *T
}

func newDecoders[T any]() *decoders[T] {
	d := &decoders[T]{}
	d.object = admission.Validating("object.example.com", admission.OnCreate(
		func(_ context.Context, r *admission.CreateRequest[T]) error { d.got = r.Object; return nil }))
	d.old = admission.Validating("old.example.com", admission.OnUpdate(
		func(_ context.Context, r *admission.UpdateRequest[struct{}]) error { return nil }), admission.OnDelete(
		func(_ context.Context, r *admission.DeleteRequest[T]) error { d.got = r.OldObject; return nil }))
	d.mutating = admission.Mutating("mutating.example.com", admission.OnCreate(
		func(_ context.Context, r *admission.CreateRequest[T]) error { return nil }))
	return d
}

// tally counts what a test has seen.
type tally struct{ allowed, denied, twice, broken int }

// check decodes a text with a webhook and with sigs.k8s.io/json, and compares.
func (d *decoders[T]) check(t *testing.T, seed uint64, text []byte, secret bool, seen *tally) {
	t.Helper()
	const before = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","kind":{},"resource":{},"operation":`
	body := fmt.Appendf(nil, `%s"CREATE","object":%s}}`, before, text)
	handler := d.object
	if seed%3 == 0 {
		body = fmt.Appendf(nil, `%s"DELETE","oldObject":%s}}`, before, text)
		handler = d.old
	}
	if !json.Valid(text) {
		seen.broken++
		if answer := send(t, handler, body); answer.Code >= 500 || answer.Code == http.StatusOK && json.Valid(body) != true {
			t.Fatalf("ATTACKSEED=%d: HTTP %d for\n%q\n%s", seed, answer.Code, body, answer.Body)
		}
		return
	}
	parsed := nodes(t, text)
	want, twice := new(T), parsed.twice(reflect.TypeFor[T]())
	wantErr := sigsjson.UnmarshalCaseSensitivePreserveInts(text, want)
	isNull := string(bytes.TrimSpace(text)) == "null"

	d.got = nil
	if isNull { // as good as none
		return
	}
	response := reviews.Ask(t, handler, body)
	got := d.got
	if response.Allowed != (wantErr == nil && !twice) {
		t.Fatalf("ATTACKSEED=%d: allowed %v with %+v; sigs.k8s.io/json: %v; a key twice: %v\n%s", seed, response.Allowed, response.Result, wantErr, twice, text)
	}
	if !response.Allowed {
		seen.denied++
		if response.Result.Code != http.StatusBadRequest {
			t.Fatalf("ATTACKSEED=%d: code %d\n%s", seed, response.Result.Code, text)
		}
		message := response.Result.Message
		if secret && !parsed.names(canary) && strings.Contains(message, canary) {
			t.Fatalf("ATTACKSEED=%d: the denial quotes the value: %s\n%s", seed, message, text)
		}
		if wantErr == nil { // and no other error hides it
			seen.twice++
			if !strings.Contains(message, "stands twice") {
				t.Fatalf("ATTACKSEED=%d: %s\n%s", seed, message, text)
			}
		}
		return
	}
	seen.allowed++
	// The memory of the review is reused for the next one, so the object that the function keeps must not lie in it.
	for i := range body {
		body[i] = 'X'
	}
	send(t, handler, body)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("ATTACKSEED=%d: (-sigs.k8s.io/json +admission)\n%s\n%s", seed, cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })), text)
	}
	// Without an edit there is no patch.
	if reflect.TypeFor[T]() != reflect.TypeFor[odd]() {
		if response := reviews.Ask(t, d.mutating, fmt.Appendf(nil, `%s"CREATE","object":%s}}`, before, text)); len(response.Patch) > 0 || !response.Allowed {
			t.Fatalf("ATTACKSEED=%d: allowed %v, a patch without an edit: %s\n%s", seed, response.Allowed, response.Patch, text)
		}
	}
}

// both checks a text for a type, and the same text damaged.
func (d *decoders[T]) both(t *testing.T, seed uint64, seen *tally) {
	t.Helper()
	src := text(seed, reflect.TypeFor[T]())
	d.check(t, seed, src, true, seen)
	r := rand.New(rand.NewPCG(seed, 3))
	for range 4 {
		d.check(t, seed, damaged(r, src), false, seen)
	}
}

// TestDecoding decodes random texts, valid and hostile, for types with every Go kind of field. A webhook must come to
// the verdict and to the value of sigs.k8s.io/json. One difference is documented: a key that occurs twice denies.
func TestDecoding(t *testing.T) {
	everyKind, odds, pods := newDecoders[every](), newDecoders[odd](), newDecoders[corev1.Pod]()
	var seen tally
	for seed := range seeds(t, 12000) {
		everyKind.both(t, seed, &seen)
		if seed%4 == 0 {
			odds.both(t, seed, &seen)
			pods.both(t, seed, &seen)
		}
	}
	t.Logf("%d allowed, %d denied, %d of them for a key twice alone, %d no JSON", seen.allowed, seen.denied, seen.twice, seen.broken)
	if fixed() && (seen.allowed < 5000 || seen.denied < 5000 || seen.twice < 300 || seen.broken < 5000) {
		t.Error("too few of a kind: the test sees nothing")
	}
}
