// SPDX-License-Identifier: Apache-2.0

package failure

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

func TestYAML(t *testing.T) {
	for object, want := range map[string]string{
		`{}`:      "{}",
		`{"a":1}`: "a: 1",
		`{"metadata":{"creationTimestamp":null},"spec":{"a":{"b":"c d"}},"status":{}}`: "spec:\n  a:\n    b: c d",
		`{"a":[{"b":1,"c":[]},"yes",["x",{}]],"d e":{"f.g/h":1.50,"":true}}`:           "a:\n- b: 1\n  c: []\n- \"yes\"\n- - x\n  - {}\nd e:\n  \"\": true\n  f.g/h: 1.50",
		`{"a":"<&>\n","b":" x","c":"0x1","d":"12","e":9007199254740993}`:               "a: \"<&>\\n\"\nb: \" x\"\nc: \"0x1\"\nd: \"12\"\ne: 9007199254740993",
	} {
		if got := YAML([]byte(object)); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", object, got, want)
		}
	}
	long := YAML([]byte(`{"a":[` + strings.Repeat("1,", 100) + `1],"b":"` + strings.Repeat("é", 1000) + `"}`))
	if lines := strings.Split(long, "\n"); len(lines) != mostLines || lines[mostLines-1] != "… 84 more lines" {
		t.Errorf("a long object is\n%s", long)
	}
}

func TestDiff(t *testing.T) {
	for _, test := range []struct{ want, got, diff string }{
		{`{"a":1}`, `{ "a": 1 }`, ""},
		{`{"a":1}`, `{"b":{"c":[]}}`, "- a: 1\n+ b: {\"c\":[]}"},
		{`{"a":null}`, `{}`, "- a: null"},
		{`{"a":{"b.c":1}}`, `{"a":{"b.c":"1"}}`, "- a[\"b.c\"]: 1\n+ a[\"b.c\"]: \"1\""},
		{`{"a":[1,2,3]}`, `{"a":[1,4,2,3]}`, "+ a[1]: 4"},
		{`{"a":[{"b":1},2]}`, `{"a":[{"b":2}]}`, "- a[0].b: 1\n+ a[0].b: 2\n- a[1]: 2"},
		{`[]`, `["x y"]`, "+ [0]: x y"},
		{`nonsense`, `{}`, "- nonsense\n+ {}"},
	} {
		if diff := Diff([]byte(test.want), []byte(test.got)); diff != test.diff {
			t.Errorf("%s and %s differ by\n%s\nwant\n%s", test.want, test.got, diff, test.diff)
		}
	}
}

// TestSmallest looks for smallest objects, and counts what it tries.
func TestSmallest(t *testing.T) {
	const object = `{"a":{"b":["x","needed","y"],"c":{"one":"text","two":"more"},"n":17},"d":[1,2]}`
	const other = `{"d":[3]}`
	steps := func(object []byte) []Step {
		return append(Removals(object), Step{Path: []string{"a", "c", "one"}, Simple: ""}, Step{Path: []string{"a", "c", "two"}, Name: "x"}, Step{Path: []string{"d", "7"}, Simple: "x"})
	}
	twoOf := func(o Objects) bool {
		a, _ := members(t, o[0])["a"].(map[string]any)
		b, _ := a["b"].([]any)
		c, _ := a["c"].(map[string]any)
		return slices.Contains(b, any("needed")) && len(c) == 2
	}
	for name, test := range map[string]struct {
		objects Objects
		search  Search
		fails   func(Objects) bool
		want    string
	}{
		"removed parts":  {Objects{[]byte(object)}, Search{Steps: Removals, Tries: 500}, twoOf, `{"a":{"b":["needed"],"c":{"one":"text","two":"more"}}}`},
		"simpler values": {Objects{[]byte(object)}, Search{Steps: steps, Tries: 500}, twoOf, `{"a":{"b":["needed"],"c":{"one":"","x":"more"}}}`},
		"no tries":       {Objects{[]byte(object)}, Search{Steps: steps}, twoOf, object},
		"few tries":      {Objects{[]byte(object)}, Search{Steps: Removals, Tries: 1}, twoOf, object},
		"not valid": {Objects{[]byte(object)}, Search{Steps: Removals, Tries: 500, Written: func(o []byte) (json.RawMessage, bool) {
			return o, strings.Contains(string(o), "more")
		}}, func(Objects) bool { return true }, `{"a":{"c":{"two":"more"}}}`},
		"an unchanged object": {Objects{[]byte(object), []byte(other)}, Search{Steps: Removals, Tries: 500}, twoOf,
			`{"a":{"b":["needed"],"c":{"one":"text","two":"more"}}} {"a":{"b":["needed"],"c":{"one":"text","two":"more"}}}`},
		"two objects": {Objects{[]byte(object), []byte(other)}, Search{Steps: steps, Tries: 500},
			func(o Objects) bool {
				return twoOf(o) && len(members(t, o[1])) == 1 && !o.Unchanged() && !twoOf(Objects{o[1]})
			},
			`{"a":{"b":["needed"],"c":{"one":"","x":"more"}}} {"d":[]}`},
		"only the old object": {Objects{nil, []byte(other)}, Search{Steps: Removals, Tries: 500},
			func(o Objects) bool { return len(members(t, o[1])) == 1 }, ` {"d":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			tried := 0
			test.search.Failing = func(inputs []Objects) []bool {
				tried += len(inputs)
				failing := make([]bool, len(inputs))
				for i, o := range inputs {
					failing[i] = test.fails(o)
				}
				return failing
			}
			got := test.search.Smallest(test.objects)
			if text := strings.TrimSuffix(string(got[0])+" "+string(got[1]), " "); text != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
			if tried > test.search.Tries {
				t.Errorf("it tried %d inputs, want at most %d", tried, test.search.Tries)
			}
		})
	}
}

func members(t *testing.T, object []byte) (members map[string]any) {
	t.Helper()
	if len(object) > 0 {
		if err := json.Unmarshal(object, &members); err != nil {
			t.Fatal(err)
		}
	}
	return members
}

// stack returns the stack of a panic below a function.
func stack(f func()) (text string) {
	defer func() {
		if recover() != nil {
			text = string(debug.Stack())
		}
	}()
	f()
	return ""
}

//go:noinline
func inner(m map[string]int) { m["a"]++ }

func TestFrames(t *testing.T) {
	text := stack(func() {
		slices.SortFunc([]int{2, 1}, func(int, int) int { inner(nil); return 0 })
	})
	var got []string
	for _, f := range Frames(text) {
		got = append(got, f.Function)
		if f.Position.String() != fmt.Sprintf("failure_test.go:%d", f.Line) {
			t.Errorf("%s is at %s", f.Function, f.Position)
		}
	}
	want := []string{"failure.inner", "failure.TestFrames.func1.1"}
	if len(got) < 2 || !slices.Equal(got[:2], want) || slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "slices.") }) {
		t.Errorf("the calls are %q, want them to begin with %q:\n%s", got, want, text)
	}
	if frames := Frames("no stack"); frames != nil {
		t.Errorf("of no stack %v", frames)
	}
}

// TestUserFrame has a panic in a dependency, deeper than Frames shows, that code of the project has called.
func TestUserFrame(t *testing.T) {
	for _, dependency := range []string{
		"/home/me/go/pkg/mod/k8s.io/apimachinery@v0.37.2/x.go", "/home/me/shop/vendor/k8s.io/apimachinery/x.go", "k8s.io/apimachinery@v0.37.2/x.go",
	} {
		text := "goroutine 1 [running]:\npanic({0x1})\n\t/go/src/runtime/panic.go:1 +0x1\n" +
			strings.Repeat("k8s.io/apimachinery.F(...)\n\t"+dependency+":7 +0x1\n", mostFrames+1) +
			"example.com/shop.(*V).ValidateCreate(0x1)\n\t/home/me/shop/order.go:33 +0x1\n" +
			"sigs.k8s.io/controller-runtime.G(...)\n\t" + dependency + ":9 +0x1\n" +
			module + "/admission/admissiontest.ask(...)\n\t/home/me/go/pkg/mod/runtime/ask.go:1 +0x1\n" +
			"example.com/shop.TestV(...)\n\t/home/me/shop/order_test.go:1 +0x1\n"
		if f, ok := UserFrame(text); !ok || f.Line != 33 {
			t.Errorf("%s: %v", dependency, f)
		}
		alone := strings.Replace(text, "/home/me/shop/order.go", dependency, 1)
		if f, ok := UserFrame(alone); !ok || f.File != dependency {
			t.Errorf("without code of the project: %v", f)
		}
	}
	if f, ok := UserFrame("no stack"); ok {
		t.Errorf("of no stack %v", f)
	}
}

func TestPosition(t *testing.T) {
	_, file, _, _ := runtime.Caller(0)
	absolute, err := filepath.Abs("../wire/wire.go")
	if err != nil {
		t.Fatal(err)
	}
	const inModule = "internal/wire/wire.go:3"
	for given, want := range map[string]string{
		file:                       "failure_test.go:3",
		absolute:                   inModule,
		"../wire/wire.go":          inModule,
		"/elsewhere/main.go":       "/elsewhere/main.go:3",
		"example.com/x/y/order.go": "example.com/x/y/order.go:3",
		"":                         "",
	} {
		if got := (Position{given, 3}).String(); got != want {
			t.Errorf("%q is %s, want %s", given, got, want)
		}
	}
}

type subject struct{}

func (subject) Method() {}

func TestPositionOfFunctions(t *testing.T) {
	want := OfMethod(subject{}, "Method")
	if want.String() == "" || !strings.HasPrefix(want.String(), "failure_test.go:") {
		t.Errorf("a method is at %q", want)
	}
	if got := OfMethod(&subject{}, "Method"); got != want {
		t.Errorf("by a pointer it is at %q, want %q", got, want)
	}
	for name, got := range map[string]Position{
		"no method": OfMethod(subject{}, "Other"), "nil": OfMethod(nil, "Method"), "no function": OfFunc(7), "a nil function": OfFunc((func())(nil)),
	} {
		if got != (Position{}) {
			t.Errorf("%s is at %q", name, got)
		}
	}
}

// record is called as a function that makes a request.
func record() []uintptr { return Calls(0) }

func TestCaller(t *testing.T) {
	here := Function(0)
	_, _, line, _ := runtime.Caller(0)
	calls := record()
	if at := Caller(calls, here); at.Line != line+1 {
		t.Errorf("the call in this function is at %s, want line %d", at, line+1)
	}
	func() { calls = record() }()
	if at := Caller(calls, here); at.Line != line+5 {
		t.Errorf("the call in a literal is at %s, want line %d", at, line+5)
	}
	if at := Caller(calls, "another.Function"); !strings.HasPrefix(at.String(), "failure_test.go:") {
		t.Errorf("without the function it is %s", at)
	}
	if at := Caller(nil, here); at != (Position{}) {
		t.Errorf("without a record it is %s", at)
	}
}
