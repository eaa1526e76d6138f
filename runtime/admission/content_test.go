// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// The content of a request can only cause a denial. If it could make the call fail, the request would pass a webhook
// with failurePolicy Ignore.

// logged has slog.Default write to a buffer during a test.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

// visit is an object with fields whose types decode themselves.
type visit struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Image             string           `json:"image,omitempty"`
	Wait              *metav1.Duration `json:"wait,omitempty"`
	Seen              *metav1.Time     `json:"seen,omitempty"`
	Count             int32            `json:"count,omitempty"`
}

func TestUndecodableDenies(t *testing.T) {
	log := logged(t)
	old := func(settle func(error) error) *Handler {
		return Validating("visits.example.com", OnUpdate(func(_ context.Context, r *UpdateRequest[visit]) error {
			_, err := r.OldObject()
			return settle(err)
		}))
	}
	create := Validating("visits.example.com", OnCreate(func(context.Context, *CreateRequest[visit]) error { return nil }))
	update := Validating("visits.example.com", OnUpdate(func(context.Context, *UpdateRequest[visit]) error { return nil }))
	remove := Validating("visits.example.com", OnDelete(func(context.Context, *DeleteRequest[visit]) error { return nil }))
	connect := Validating("visits.example.com", OnConnect(func(context.Context, *ConnectRequest[corev1.PodExecOptions]) error { return nil }))
	const bad = `{"image":"evil","wait":"abc"}`
	for name, test := range map[string]struct {
		h       *Handler
		body    string
		message string
	}{
		"a duration":       {create, reviewOf(Create, bad, ""), "the object of the request cannot be read: wait: not a valid v1.Duration"},
		"a time":           {create, reviewOf(Create, `{"seen":"2023-01-02t03:04:05z"}`, ""), "seen: not a valid v1.Time"},
		"a number":         {create, reviewOf(Create, `{"count":4294967296}`, ""), "count: the number does not fit int32"},
		"no object":        {create, reviewOf(Create, `"x"`, ""), "a string cannot be read as admission.visit"},
		"a duplicate key":  {create, reviewOf(Create, `{"image":"good","image":"evil"}`, ""), `the key "image" stands twice`},
		"the new object":   {update, reviewOf(Update, bad, `{}`), "the object of the request cannot be read: wait"},
		"both objects":     {update, reviewOf(Update, bad, bad), "the object of the request cannot be read: wait"},
		"to delete":        {remove, reviewOf(Delete, "", bad), "the oldObject of the request cannot be read: wait"},
		"to connect":       {connect, reviewOf(Connect, `{"command":"sh"}`, ""), "command: a string cannot be read as []string"},
		"options":          {create, strings.Replace(reviewOf(Create, `{}`, ""), `"kubectl"`, `5`, 1), "the options of the request cannot be read: fieldManager"},
		"options (delete)": {remove, strings.Replace(reviewOf(Delete, "", `{}`), `["All"]`, `"All"`, 1), "the options of the request cannot be read: dryRun"},

		"an old object":         {old(func(err error) error { return err }), reviewOf(Update, `{}`, bad), "the oldObject of the request cannot be read: wait"},
		"marked":                {old(Failure), reviewOf(Update, `{}`, bad), "the oldObject of the request cannot be read: wait"},
		"wrapped":               {old(func(err error) error { return fmt.Errorf("x: %w", err) }), reviewOf(Update, `{}`, bad), "oldObject"},
		"wrapped and marked":    {old(func(err error) error { return Failure(fmt.Errorf("x: %w", err)) }), reviewOf(Update, `{}`, bad), "oldObject"},
		"marked and wrapped":    {old(func(err error) error { return fmt.Errorf("x: %w", Failure(err)) }), reviewOf(Update, `{}`, bad), "oldObject"},
		"as text":               {old(func(err error) error { return Failure(fmt.Errorf("x: %v", err)) }), reviewOf(Update, `{}`, bad), "oldObject"},
		"another error":         {old(func(error) error { return Failure(errors.New("x")) }), reviewOf(Update, `{}`, bad), "oldObject"},
		"joined":                {old(func(err error) error { return errors.Join(context.Canceled, err) }), reviewOf(Update, `{}`, bad), "oldObject"},
		"joined marked":         {old(func(err error) error { return errors.Join(context.Canceled, Failure(err)) }), reviewOf(Update, `{}`, bad), "oldObject"},
		"joined with a verdict": {old(func(err error) error { return errors.Join(field.Required(field.NewPath("x"), ""), err) }), reviewOf(Update, `{}`, bad), "oldObject"},
	} {
		t.Run(name, func(t *testing.T) {
			var o observed
			got := verdictOf(t, test.h.With(Observe(&o)), test.body).Response
			if got.Allowed || got.UID != `u"1` || got.Result == nil || got.Result.Code != http.StatusBadRequest ||
				got.Result.Reason != metav1.StatusReasonBadRequest || !strings.Contains(got.Result.Message, test.message) {
				t.Errorf("%+v %+v", got, got.Result)
			}
			if last := o[len(o)-1]; last.Allowed || last.Failed || last.Code != http.StatusBadRequest || last.Err == nil {
				t.Errorf("observed %+v", last)
			}
		})
	}
	if log.Len() > 0 {
		t.Errorf("denials are logged: %s", log)
	}
	ignored := old(func(error) error { return nil })
	if got := verdictOf(t, ignored, reviewOf(Update, `{}`, bad)).Response; !got.Allowed {
		t.Errorf("a validator that does not mind the old object: %+v", got.Result)
	}
}

// TestStoredObjectNamesTheWay wants the message to say how to remove an object that is stored, and only then.
func TestStoredObjectNamesTheWay(t *testing.T) {
	h := Validating("visits.example.com",
		OnCreate(func(context.Context, *CreateRequest[visit]) error { return nil }),
		OnUpdate(func(context.Context, *UpdateRequest[visit]) error { return nil }),
		OnDelete(func(context.Context, *DeleteRequest[visit]) error { return nil }))
	const bad, way = `{"wait":"abc"}`, `with the match condition oldObject == null || oldObject.metadata.name != "web"`
	for body, want := range map[string]bool{
		reviewOf(Create, bad, ""):   false,
		reviewOf(Update, bad, `{}`): false,
		reviewOf(Update, bad, bad):  true,
		reviewOf(Delete, "", bad):   true,
	} {
		if got := verdictOf(t, h, body).Response.Result.Message; strings.Contains(got, way) != want {
			t.Errorf("%s: %s", body, got)
		}
	}
	// A DELETE of a collection names no object.
	body := strings.Replace(reviewOf(Delete, "", bad), `"name":"web"`, `"name":""`, 1)
	if got := verdictOf(t, h, body).Response.Result.Message; !strings.Contains(got, `oldObject.metadata.name != "NAME"`) {
		t.Error(got)
	}
}

// TestDeepObjectIsDecided sends the deepest object that an API server takes, which a review puts two levels deeper.
func TestDeepObjectIsDecided(t *testing.T) {
	asked := 0
	h := Validating("visits.example.com", OnCreate(func(_ context.Context, r *CreateRequest[visit]) error {
		asked++
		return field.Forbidden(field.NewPath("image"), r.Object.Image)
	}))
	for _, depth := range []int{wire.MaxDepth - 3, wire.MaxDepth - 1} {
		deep := strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
		object := `{"image":"evil","x":` + deep + `}`
		var accepted any
		if err := kjson.Unmarshal([]byte(object), &accepted); err != nil {
			t.Fatal(err)
		}
		if got := verdictOf(t, h, reviewOf(Create, object, "")).Response; got.Allowed || got.Result.Code != http.StatusUnprocessableEntity {
			t.Errorf("%+v", got)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

// TestTooLargeIsDenied sends more than the limit. A user may make an object that is larger in a review than it was when
// it was sent: each < has six characters there.
func TestTooLargeIsDenied(t *testing.T) {
	var o observed
	h := Validating("pods.example.com", ForKind("v1", "Pod"), OnCreate(allowCreate), BodyLimit(100<<10), Observe(&o))
	server := httptest.NewServer(h)
	defer server.Close()
	for name, size := range map[string]int{"a little": 101 << 10, "much": 10 << 20} {
		for how, body := range map[string]func(string) io.Reader{
			"announced": func(s string) io.Reader { return strings.NewReader(s) },
			"chunked":   func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				review := reviewOf(Create, `{"metadata":{"name":"web"},"x":"`+strings.Repeat("x", size)+`"}`, "")
				response, err := server.Client().Post(server.URL, "application/json", body(review))
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				var got struct {
					APIVersion string
					Response   struct {
						UID     string
						Allowed bool
						Status  metav1.Status
					}
				}
				if err := json.NewDecoder(response.Body).Decode(&got); err != nil || response.StatusCode != http.StatusOK {
					t.Fatalf("HTTP %d, %v", response.StatusCode, err)
				}
				if got.APIVersion != "admission.k8s.io/v1" || got.Response.UID != `u"1` || got.Response.Allowed ||
					got.Response.Status.Code != http.StatusRequestEntityTooLarge || !strings.Contains(got.Response.Status.Message, "more than 102400 bytes") {
					t.Errorf("%+v", got)
				}
			})
		}
	}
	for _, one := range o {
		if one.Failed || one.Code != http.StatusRequestEntityTooLarge || one.Name != "web" || one.Operation != Create {
			t.Errorf("observed %+v", one)
		}
	}
}

// touchy panics or ends its goroutine if its text contains the word for it.
type touchy struct{ text string }

func (x *touchy) UnmarshalJSON(text []byte) error {
	x.text = strings.Trim(string(text), `"`)
	return x.act("unmarshal ")
}

func (x touchy) MarshalJSON() ([]byte, error) {
	return []byte(`"` + x.text + `"`), x.act("marshal ")
}

func (x touchy) act(when string) error {
	what, ok := strings.CutPrefix(x.text, when)
	if !ok {
		return nil
	}
	switch what {
	case "panic":
		panic("no way")
	case "goexit":
		runtime.Goexit()
	case "error":
		return errors.New("no JSON of secret-4711")
	}
	return nil
}

// broken is an error whose Error method panics.
type broken struct{ reason *string }

func (b *broken) Error() string { return *b.reason }

type touchyObject struct {
	Do touchy `json:"do"`
	To string `json:"to,omitempty"`
}

func TestPanicDenies(t *testing.T) {
	h := Mutating("touchy.example.com", OnCreate(func(_ context.Context, r *CreateRequest[touchyObject]) error {
		switch r.Object.Do.text {
		case "panic":
			var m map[string]int
			m["x"]++
		case "abort":
			panic(http.ErrAbortHandler)
		case "nil":
			panic(nil)
		case "goexit":
			runtime.Goexit()
		case "a value that panics":
			panic(&broken{})
		case "an error that panics":
			return fmt.Errorf("x: %w", error(&broken{}))
		case "a nil error":
			return (*broken)(nil)
		case "edit":
			r.Object.Do.text = "marshal panic"
		case "edit to goexit":
			r.Object.Do.text = "marshal goexit"
		case "edit to error":
			r.Object.Do.text = "marshal error"
		case "nil object":
			r.Object = nil
		}
		return nil
	}))
	now := time.Now()
	h.log.repeated.Now = func() time.Time { return now }
	for what, test := range map[string]struct {
		message string
		panics  bool
	}{
		"panic":                {"panic: assignment to entry in nil map", true},
		"abort":                {"panic: net/http: abort Handler", true},
		"nil":                  {"panic called with nil argument", true},
		"goexit":               {"panic: runtime.Goexit was called", true},
		"a value that panics":  {"panic: ", true},
		"a nil error":          {"panic: runtime error: invalid memory address", true},
		"unmarshal panic":      {"panic: no way", true},
		"unmarshal goexit":     {"panic: runtime.Goexit was called", true},
		"edit":                 {"panic: no way", true},
		"edit to goexit":       {"panic: runtime.Goexit was called", true},
		"edit to error":        {"the edited object cannot be written: /do: admission.touchy cannot be written as JSON", false},
		"nil object":           {"the defaulter has set the object to nil", false},
		"an error that panics": {"", false}, // whose text package fmt makes up
	} {
		t.Run(what, func(t *testing.T) {
			log := logged(t)
			now = now.Add(serving.TallyInterval)
			server := httptest.NewServer(h)
			response, err := server.Client().Post(server.URL+"?timeout=5s", "application/json", strings.NewReader(reviewOf(Create, `{"do":"`+what+`"}`, "")))
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			server.Close() // waits for the log lines after the answer
			var got struct {
				Response struct {
					UID     string
					Allowed bool
					Patch   []byte
					Status  metav1.Status
				}
			}
			if err := json.Unmarshal(body, &got); err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("HTTP %d %s, %v", response.StatusCode, body, err)
			}
			want := int32(http.StatusInternalServerError)
			if test.message == "" {
				want = http.StatusForbidden
			}
			r := got.Response
			if r.UID != `u"1` || r.Allowed || r.Patch != nil || r.Status.Code != want || !strings.Contains(r.Status.Message, test.message) {
				t.Errorf("%s", body)
			}
			lines := strings.Count(log.String(), "\n")
			if stacks := strings.Count(log.String(), "stack="); want == 500 && lines != 1 || (stacks == 1) != test.panics {
				t.Errorf("the log is %s", log)
			}
			if strings.Contains(log.String()+string(body), "secret-4711") {
				t.Errorf("a value is told: %s %s", body, log)
			}
		})
	}
	if got := verdictOf(t, h, reviewOf(Create, `{"do":"nothing"}`, "")).Response; !got.Allowed {
		t.Errorf("it serves no more: %+v", got.Result)
	}
}

// TestPanicIsObserved wants a panic to be a denial to observers, too.
func TestPanicIsObserved(t *testing.T) {
	logged(t)
	var o observed
	h := Validating("pods.example.com", Observe(&o), OnCreate(func(context.Context, *CreateRequest[corev1.Pod]) error { panic("no way") }))
	verdictOf(t, h, reviewOf(Create, podJSON, ""))
	p := (*PanicError)(nil)
	if len(o) != 1 || o[0].Allowed || o[0].Failed || o[0].Code != http.StatusInternalServerError || !errors.As(o[0].Err, &p) ||
		p.Value != "no way" || !strings.Contains(string(p.Stack), "TestPanicIsObserved") {
		t.Errorf("observed %+v", o)
	}
}

type panicking struct{}

func (panicking) Observe(context.Context, Observation) { panic("no view") }

// TestPanicOfAnObserver wants the answer to arrive and the other observers to be called.
func TestPanicOfAnObserver(t *testing.T) {
	log := logged(t)
	var o observed
	server := httptest.NewServer(Validating("pods.example.com", OnCreate(allowCreate), Observe(panicking{}), Observe(&o)))
	defer server.Close()
	response, err := server.Client().Post(server.URL, "application/json", strings.NewReader(reviewOf(Create, podJSON, "")))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	server.Close()
	if err != nil || !strings.Contains(string(body), `"allowed":true`) {
		t.Errorf("%s, %v", body, err)
	}
	if len(o) != 1 || strings.Count(log.String(), "observer panicked") != 1 || !strings.Contains(log.String(), "no view") {
		t.Errorf("%d calls observed, the log is %s", len(o), log)
	}
}

// secretive has a member of every kind whose values may be secrets.
type secretive struct {
	Quantity resource.Quantity            `json:"quantity"`
	Time     metav1.Time                  `json:"time"`
	Micro    metav1.MicroTime             `json:"micro"`
	Duration metav1.Duration              `json:"duration"`
	Port     intstr.IntOrString           `json:"port"`
	Int      int8                         `json:"int"`
	Uint     uint16                       `json:"uint"`
	Float    float32                      `json:"float"`
	Bytes    []byte                       `json:"bytes"`
	Bool     bool                         `json:"bool"`
	String   string                       `json:"string"`
	Strings  []string                     `json:"strings"`
	Labels   map[string]string            `json:"labels"`
	Map      map[string]resource.Quantity `json:"map"`
	Array    [2]int8                      `json:"array"`
	Quoted   struct {
		N int `json:"n,string"`
	} `json:"quoted"`
	Inner struct {
		Numbers map[int]int8 `json:"numbers"`
	} `json:"inner"`
	Any    any         `json:"any"`
	Number json.Number `json:"number"`
	Self   touchy      `json:"self"`
}

// TestErrorsNameNoValues has every kind of value be wrong, with a secret in it that nobody is to read elsewhere.
func TestErrorsNameNoValues(t *testing.T) {
	log := logged(t)
	h := Validating("secrets.example.com", OnCreate(func(context.Context, *CreateRequest[secretive]) error { return nil }))
	for object, want := range map[string]string{
		`{"quantity":"secret-4711"}`:           "quantity: not a valid resource.Quantity",
		`{"quantity":{"secret-4711":1}}`:       "quantity: not a valid resource.Quantity",
		`{"time":"secret-4711"}`:               "time: not a valid v1.Time",
		`{"micro":"secret-4711"}`:              "micro: not a valid v1.MicroTime",
		`{"duration":"secret-4711"}`:           "duration: not a valid v1.Duration",
		`{"port":4711471147114711}`:            "port: not a valid intstr.IntOrString",
		`{"int":4711}`:                         "int: the number does not fit int8",
		`{"int":4.4711}`:                       "int: the number is not whole",
		`{"int":"secret-4711"}`:                "int: a string cannot be read as int8",
		`{"uint":47114711}`:                    "uint: the number does not fit uint16",
		`{"float":4711e99}`:                    "float: the number does not fit float32",
		`{"bytes":"secret-4711%"}`:             "bytes: the string is not base64",
		`{"bytes":[4711]}`:                     "bytes: [0]: the number does not fit uint8",
		`{"bool":"secret-4711"}`:               "bool: a string cannot be read as bool",
		`{"string":4711}`:                      "string: a number cannot be read as string",
		`{"strings":["a",4711]}`:               "strings[1]: a number cannot be read as string",
		`{"labels":{"a":4711}}`:                "labels.a: a number cannot be read as string",
		`{"map":{"a":"secret-4711"}}`:          "map.a: not a valid resource.Quantity",
		`{"array":[4711]}`:                     "array: not a valid [2]int8",
		`{"quoted":{"n":"secret-4711"}}`:       "quoted: not a valid struct",
		`{"inner":{"numbers":{"1":4711}}}`:     "inner.numbers: not a valid map[int]int8",
		`{"any":4711e999}`:                     "any: the number does not fit float64",
		`{"any":{"a":[4711e999]}}`:             "any.a[0]: the number does not fit float64",
		`{"number":"secret-4711"}`:             "number: not a valid json.Number",
		`{"self":"unmarshal error"}`:           "self: not a valid admission.touchy",
		`{"map":{"a\n\u001b[31mb":"x"}}`:       `map."a\n\x1b[31mb": not a valid`,
		`{"strings":"secret-4711"}`:            "strings: a string cannot be read as []string",
		`{"inner":"secret-4711"}`:              "inner: a string cannot be read as struct",
		`{"labels":{"a":{"b":"secret-4711"}}}`: "labels.a: an object cannot be read as string",
	} {
		got := verdictOf(t, h, reviewOf(Create, object, "")).Response
		if got.Allowed || got.Result.Code != http.StatusBadRequest {
			t.Errorf("%s: %+v", object, got)
			continue
		}
		if strings.Contains(got.Result.Message, "4711") || !strings.Contains(strings.ReplaceAll(got.Result.Message, ": [", "["), strings.ReplaceAll(want, ": [", "[")) {
			t.Errorf("%s: %s, want %q", object, got.Result.Message, want)
		}
	}
	long := strings.Repeat("k", 100<<10)
	for _, object := range []string{`{"map":{"` + long + `":"x"}}`, `{"labels":{"` + long + `":"x","` + long + `":"y"}}`} {
		if got := verdictOf(t, h, reviewOf(Create, object, "")).Response.Result.Message; len(got) > 300 {
			t.Errorf("a message of %d bytes: %.300s", len(got), got)
		}
	}
	if log.Len() > 0 {
		t.Errorf("logged: %s", log)
	}
}

// TestLongQuantityDenies has a quantity whose reading takes time and memory that grow with the square of its digits.
func TestLongQuantityDenies(t *testing.T) {
	h := Validating("pods.example.com", OnCreate(func(context.Context, *CreateRequest[corev1.Pod]) error { return nil }))
	for _, tc := range []struct {
		digits  int
		allowed bool
	}{{1000, true}, {2000, false}, {3 << 20, false}} {
		object := `{"spec":{"containers":[{"resources":{"limits":{"cpu":"` + strings.Repeat("9", tc.digits) + `"}}}]}}`
		got := verdictOf(t, h, reviewOf(Create, object, "")).Response
		if got.Allowed != tc.allowed {
			t.Errorf("%d digits: %+v", tc.digits, got)
		}
		if !got.Allowed && got.Result.Message != "the object of the request cannot be read: spec.containers[0].resources.limits.cpu: a quantity of more than 1024 bytes" {
			t.Errorf("%d digits: %s", tc.digits, got.Result.Message)
		}
	}
}

// TestLongQuantityExponentDenies has a quantity whose rounding takes time and memory that grow with its exponent.
func TestLongQuantityExponentDenies(t *testing.T) {
	h := Mutating("pods.example.com", OnCreate(func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
		cpu := r.Object.Spec.Containers[0].Resources.Limits["cpu"]
		if cpu.Cmp(resource.MustParse("1")) > 0 {
			r.Warn("more than 1")
		}
		return nil
	}))
	const refused = "spec.containers[0].resources.limits.cpu: a quantity with an exponent of more than 3 digits"
	digits := strings.Repeat("9", 900)
	for text, allowed := range map[string]bool{
		`"1e3"`: true, `1e3`: true, `"1E0000003"`: true, `"1E"`: true, `"1Ei"`: true, `"1e-9"`: true, `"1e999"`: true, `"` + digits + `e-999"`: true, `"1.5e+30"`: true,
		`"1e-999999999"`: false, `1e-999999999`: false, `"1E1000"`: false, `"` + digits + `e999999999"`: false, `"0e-2147483647"`: false, `"1e+0099999"`: false,
		`"1\u0065-999999999"`: false, `"1e-\u0039999999999"`: false,
	} {
		got := verdictOf(t, h, reviewOf(Create, `{"spec":{"containers":[{"resources":{"limits":{"cpu":`+text+`}}}]}}`, "")).Response
		if got.Allowed != allowed || !allowed && !strings.Contains(got.Result.Message, refused) && !strings.Contains(text, `\`) {
			t.Errorf("%.40s: %+v %+v", text, got.Allowed, got.Result)
		}
	}
}

// TestHostileListsAreBounded has lists, pointers and maps whose elements are large in Go and empty in JSON.
func TestHostileListsAreBounded(t *testing.T) {
	type large struct {
		Text [1 << 12]byte `json:"-"`
	}
	type object struct {
		List     []large          `json:"list,omitempty"`
		Pointers []*large         `json:"pointers,omitempty"`
		Map      map[string]large `json:"map,omitempty"`
	}
	h := Validating("objects.example.com", OnCreate(func(context.Context, *CreateRequest[object]) error { return nil }))
	const n = 300_000 // 1.2 GB
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf(`"%d":{}`, i))
	}
	for _, src := range []string{
		`{"list":[{}` + strings.Repeat(",{}", n) + `]}`, `{"pointers":[{}` + strings.Repeat(",{}", n) + `]}`, `{"map":{` + strings.Join(keys, ",") + `}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := verdictOf(t, h, reviewOf(Create, src, "")).Response
		runtime.ReadMemStats(&after)
		if got.Allowed || got.Result.Code != http.StatusBadRequest || !strings.Contains(got.Result.Message, "decodes to more than 256 MiB") {
			t.Errorf("%.20s: %+v", src, got)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2<<30 { // a list that grows makes garbage
			t.Errorf("%.20s: %d MiB were allocated", src, allocated>>20)
		}
	}
}

// TestBytesAsNumbers compares bytes that are written as an array of numbers with sigs.k8s.io/json. Without an edit,
// there must be no patch.
func TestBytesAsNumbers(t *testing.T) {
	type name []byte
	type small uint8
	type bytesOf struct {
		Plain   []byte            `json:"plain,omitempty"`
		Named   name              `json:"named"`
		Elems   []small           `json:"elems"`
		Pointer *[]byte           `json:"pointer"`
		Lists   [][]byte          `json:"lists"`
		Maps    map[string][]byte `json:"maps"`
	}
	s := new(wire.Shapes).Of(reflect.TypeFor[bytesOf]())
	texts := []string{
		`null`, `""`, `"aGVsbG8="`, `"aGVs\nbG8="`, `[]`, `[ ]`, `[0]`, `[104,101,108,108,111]`, `[255]`, `[256]`, `[-1]`, `[1.0]`, `[1e2]`, `[null]`, `[1,null,3]`,
		`["1"]`, `[[1]]`, `[true]`, `{}`, `5`, `true`, `"%"`, `"aGVsbG8"`, `[1,256,3]`,
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var list []string
		for range random.IntN(6) {
			list = append(list, []string{"0", "7", "255", "null", "300", "-0", "1.5", `"a"`}[random.IntN(8)])
		}
		texts = append(texts, "["+strings.Join(list, ",")+"]")
	}
	for _, text := range texts {
		for _, src := range []string{
			`{"plain":` + text + `}`, `{"named":` + text + `}`, `{"elems":` + text + `}`, `{"pointer":` + text + `}`,
			`{"lists":[` + text + `,` + text + `]}`, `{"maps":{"a":` + text + `}}`,
		} {
			got, err := decodeAll([]byte(src), s)
			want := new(bytesOf)
			wantErr := kjson.Unmarshal([]byte(src), want)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s: %v, sigs.k8s.io/json says %v", src, err, wantErr)
				continue
			}
			if err != nil {
				continue
			}
			if !reflect.DeepEqual(got, any(want)) {
				t.Errorf("%s: %s", src, cmp.Diff(want, got))
			}
			if patch := patchOf(t, src, func(*bytesOf) {}); patch != "" {
				t.Errorf("%s: an edit of nothing is %s", src, patch)
			}
		}
	}
	if got, want := patchOf(t, `{"plain":[1,2],"named":[3]}`, func(b *bytesOf) { b.Plain[0] = 9 }),
		`[{"op":"replace","path":"/plain","value":"CQI="}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
