// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// patchOf decodes src, edits it and returns the patch.
func patchOf[T any](t *testing.T, src string, edit func(*T), keys ...Option) string {
	t.Helper()
	h := Mutating("test.example.com", append(keys, OnCreate(func(context.Context, *CreateRequest[T]) error { return nil }))...)
	s := h.actions[Create].object
	v, err := decodeAll([]byte(src), s)
	if err != nil {
		t.Fatal(err)
	}
	edit(v.(*T))
	patch, err := new(patcher).diff([]byte(src), wire.Whole([]byte(src)), s, reflect.ValueOf(v).Elem())
	if err != nil {
		t.Fatal(err)
	}
	return string(patch)
}

func TestPatchMembers(t *testing.T) {
	yes := true
	for name, test := range map[string]struct {
		src  string
		edit func(*everything)
		want string
	}{
		"nothing": {
			`{"kind":"E","name":"n","metadata":{"creationTimestamp":null,"labels":{}},"levels":null,"any":{"n":92233720368547758079},"named":{"cpu":"0.50"},"float":1.0,"unknown":1}`,
			func(*everything) {},
			``,
		},
		"reading a quantity is no edit": {
			`{"named":{"cpu":"0.50"}}`,
			func(e *everything) {
				cpu := e.Named["cpu"]
				_ = cpu.String()
				e.Named["cpu"] = cpu
			},
			``,
		},
		"scalars in the order of the text": {
			`{"small":1,"name":"n","bool":false,"float":1,"unsigned":2,"bytes":"aGVsbG8="}`,
			func(e *everything) {
				e.Bytes, e.Unsigned, e.Float, e.Bool, e.Name, e.Small = []byte("x"), 3, 1.5, true, "m", 2
			},
			`[{"op":"replace","path":"/small","value":2},{"op":"replace","path":"/name","value":"m"},{"op":"replace","path":"/bool","value":true},` +
				`{"op":"replace","path":"/float","value":1.5},{"op":"replace","path":"/unsigned","value":3},{"op":"replace","path":"/bytes","value":"eA=="}]`,
		},
		"additions in the order of the type": {
			`{"name":"n"}`,
			func(e *everything) {
				e.Port.IntVal, e.Pointer, e.Behind, e.Shared = 80, &yes, &Behind{new(int64)}, "s"
			},
			`[{"op":"add","path":"/shared","value":"s"},{"op":"add","path":"/pointed","value":0},{"op":"add","path":"/pointer","value":true},` +
				`{"op":"add","path":"/port","value":80}]`,
		},
		"removals": {
			`{"name":"n","pointer":true,"small":5,"labels":{"a":"b"},"strings":["x"],"self":{"name":"x","unknown":1},"levels":["a"],"pointed":5}`,
			func(e *everything) { *e = everything{Name: "n"} },
			`[{"op":"remove","path":"/pointer"},{"op":"remove","path":"/small"},{"op":"remove","path":"/labels"},{"op":"remove","path":"/strings"},` +
				`{"op":"remove","path":"/self"},{"op":"replace","path":"/levels","value":null},{"op":"remove","path":"/pointed"}]`,
		},
		"what omitempty would leave out but stands there": {
			`{"small":0,"strings":[],"labels":{},"pointer":null}`,
			func(e *everything) { e.Strings, e.Labels = []string{}, map[string]string{} },
			``,
		},
		"from empty to nil": {
			`{"strings":[],"levels":[]}`,
			func(e *everything) { e.Strings, e.Levels = nil, nil },
			`[{"op":"remove","path":"/strings"},{"op":"replace","path":"/levels","value":null}]`,
		},
		"null gets a value": {
			`{"labels":null,"pointer":null,"name":null,"any":null,"named":{"cpu":null},"keyed":[{"name":"A","valueFrom":null}],"pointers":[null]}`,
			func(e *everything) {
				e.Labels, e.Pointer, e.Name, e.Any = map[string]string{"a": "b"}, &yes, "n", "x"
				e.Named["cpu"] = resource.MustParse("1")
				e.Keyed[0].ValueFrom = &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "p"}}
				e.Pointers[0] = &embedded{Shared: "s"}
			},
			`[{"op":"replace","path":"/labels","value":{"a":"b"}},{"op":"replace","path":"/pointer","value":true},{"op":"replace","path":"/name","value":"n"},` +
				`{"op":"replace","path":"/any","value":"x"},{"op":"replace","path":"/named/cpu","value":"1"},` +
				`{"op":"replace","path":"/keyed/0/valueFrom","value":{"fieldRef":{"fieldPath":"p"}}},{"op":"replace","path":"/pointers/0","value":{"shared":"s"}}]`,
		},
		"large integers": {
			`{"large":1700000000123456789,"any":{"n":9223372036854775807,"m":[12345678901234567890]}}`,
			func(e *everything) { e.Large++; e.Any.(map[string]any)["x"] = int64(9007199254740993) },
			`[{"op":"replace","path":"/large","value":1700000000123456790},{"op":"add","path":"/any/x","value":9007199254740993}]`,
		},
		"maps": {
			`{"labels":{"b":"1","a/b~c\"":"2","c":null,"d":"4"},"named":{"memory":"1024Mi","cpu":"1"},"nested":{"x":{"y":{"pointed":1,"unknown":2}}}}`,
			func(e *everything) {
				e.Labels = map[string]string{"b": "1", "a/b~c\"": "3", "c": "", "z": "5", "y": "<6>"}
				e.Named["cpu"], e.Named["disk"] = resource.MustParse("2"), resource.MustParse("3Gi")
				two := int64(2)
				e.Nested["x"] = map[string]Behind{"y": {&two}, "z": {}}
			},
			`[{"op":"replace","path":"/labels/a~1b~0c\"","value":"3"},{"op":"remove","path":"/labels/d"},{"op":"add","path":"/labels/y","value":"\u003c6\u003e"},` +
				`{"op":"add","path":"/labels/z","value":"5"},{"op":"replace","path":"/named/cpu","value":"2"},{"op":"add","path":"/named/disk","value":"3Gi"},` +
				`{"op":"replace","path":"/nested/x/y/pointed","value":2},{"op":"add","path":"/nested/x/z","value":{}}]`,
		},
		"values without a type": {
			`{"any":{"keep":{"f":1.0},"gone":1,"list":[{"a":1},{"b":2}],"kind":"object"}}`,
			func(e *everything) {
				m := e.Any.(map[string]any)
				delete(m, "gone")
				m["list"].([]any)[1].(map[string]any)["b"] = "two"
				m["kind"] = []any{}
			},
			`[{"op":"remove","path":"/any/gone"},{"op":"replace","path":"/any/list/1/b","value":"two"},{"op":"replace","path":"/any/kind","value":[]}]`,
		},
		"what reads itself": {
			`{"raw":{"a":1},"number":12.50,"time":"2026-01-02T03:04:05Z","port":80,"array":[1,2],"numbers":{"1":"a"}}`,
			func(e *everything) {
				e.Raw = runtime.RawExtension{Raw: []byte(`{"a":2}`)}
				e.Number, e.Array, e.Port.IntVal = "12.51", [2]int{1, 3}, 81
				later := metav1.NewTime(e.Time.Add(1e9).UTC())
				e.Time = &later
			},
			`[{"op":"replace","path":"/raw","value":{"a":2}},{"op":"replace","path":"/number","value":12.51},` +
				`{"op":"replace","path":"/time","value":"2026-01-02T03:04:06Z"},{"op":"replace","path":"/port","value":81},` +
				`{"op":"replace","path":"/array","value":[1,3]}]`,
		},
		"the same time elsewhere": {
			`{"time":"2026-01-02T03:04:05Z"}`,
			func(e *everything) { *e.Time = metav1.NewTime(e.Time.UTC()) },
			``,
		},
		"kind and apiVersion": {
			`{"kind":"E","metadata":{"name":"x"},"self":{"kind":"inner"}}`,
			func(e *everything) {
				*e = everything{ObjectMeta: metav1.ObjectMeta{Name: "x"}, Self: &everything{}}
			},
			`[{"op":"remove","path":"/self/kind"}]`,
		},
		"a parent is added with what is in it": {
			`{"self":{}}`,
			func(e *everything) {
				e.Self.Pointers = []*embedded{{Shared: "s"}}
				e.Self.Nested = map[string]map[string]Behind{"a": {"b": {}}}
			},
			`[{"op":"add","path":"/self/pointers","value":[{"shared":"s"}]},{"op":"add","path":"/self/nested","value":{"a":{"b":{}}}}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := patchOf(t, test.src, test.edit); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// port is an element with two keys.
type port struct {
	Port     int    `json:"port"`
	Protocol string `json:"protocol,omitempty"`
	Name     string `json:"name,omitempty"`
}

type lists struct {
	Env   []corev1.EnvVar `json:"env,omitempty" patchMergeKey:"name"`
	Ports []port          `json:"ports,omitempty"`
	Rules []port          `json:"rules,omitempty"`
	Words []string        `json:"words,omitempty"`
}

func TestPatchLists(t *testing.T) {
	const env = `{"env":[{"name":"A","value":"1","x":"a"},{"name":"B","value":"2","x":"b"},{"name":"C","value":"3","x":"c"},{"name":"D","value":"4","x":"d"}]}`
	const rules = `{"rules":[{"port":1,"x":"a"},{"port":2,"x":"b"},{"port":3,"x":"c"},{"port":4,"x":"d"}]}`
	for name, test := range map[string]struct {
		src  string
		edit func(*lists)
		want string
	}{
		"an edit": {env,
			func(l *lists) { l.Env[1].Value = "5" },
			`[{"op":"replace","path":"/env/1/value","value":"5"}]`},
		"an insertion in front, and an edit": {env,
			func(l *lists) {
				l.Env[0].Value = "5"
				l.Env = slices.Insert(l.Env, 0, corev1.EnvVar{Name: "N", Value: "0"})
			},
			`[{"op":"add","path":"/env/0","value":{"name":"N","value":"0"}},{"op":"replace","path":"/env/1/value","value":"5"}]`},
		"a removal": {env,
			func(l *lists) { l.Env = slices.Delete(l.Env, 0, 1) },
			`[{"op":"remove","path":"/env/0"}]`},
		"two removals, from the last on": {env,
			func(l *lists) { l.Env = []corev1.EnvVar{l.Env[1], l.Env[3]} },
			`[{"op":"remove","path":"/env/2"},{"op":"remove","path":"/env/0"}]`},
		"a move takes along what is unknown": {env,
			func(l *lists) {
				l.Env[3].Value = "5"
				l.Env = []corev1.EnvVar{l.Env[3], l.Env[0], l.Env[1], l.Env[2]}
			},
			`[{"op":"remove","path":"/env/3"},{"op":"add","path":"/env/0","value":{"name":"D","value":"4","x":"d"}},{"op":"replace","path":"/env/0/value","value":"5"}]`},
		"a reversal is written in one piece": {env,
			func(l *lists) { slices.Reverse(l.Env); l.Env[0].Value = "" },
			`[{"op":"replace","path":"/env","value":[{"name":"D","value":"4","x":"d"},{"name":"C","value":"3","x":"c"},{"name":"B","value":"2","x":"b"},{"name":"A","value":"1","x":"a"}]},` +
				`{"op":"remove","path":"/env/0/value"}]`},
		"another key is another element": {env,
			func(l *lists) { l.Env[1].Name = "N" },
			`[{"op":"remove","path":"/env/1"},{"op":"add","path":"/env/1","value":{"name":"N","value":"2"}}]`},
		"all new": {env,
			func(l *lists) { l.Env = []corev1.EnvVar{{Name: "N"}} },
			`[{"op":"replace","path":"/env","value":[{"name":"N"}]}]`},
		"emptied": {env,
			func(l *lists) { l.Env = l.Env[:0] },
			`[{"op":"remove","path":"/env"}]`},
		"two keys": {`{"ports":[{"port":53,"protocol":"TCP","x":"t"},{"port":53,"protocol":"UDP","x":"u"},{"port":80,"x":"h"}]}`,
			func(l *lists) { l.Ports = l.Ports[1:]; l.Ports[0].Name = "dns" },
			`[{"op":"remove","path":"/ports/0"},{"op":"add","path":"/ports/0/name","value":"dns"}]`},
		"a key that is not unique": {`{"env":[{"name":"A","value":"1","x":"a"},{"name":"A","value":"2","x":"b"},{"name":"C"}]}`,
			func(l *lists) { l.Env = l.Env[1:] },
			`[{"op":"remove","path":"/env/0"}]`},
		"without keys: an edit": {rules,
			func(l *lists) { l.Rules[2].Name = "n" },
			`[{"op":"add","path":"/rules/2/name","value":"n"}]`},
		"without keys: an insertion in front": {rules,
			func(l *lists) { l.Rules = slices.Insert(l.Rules, 0, port{Port: 9}) },
			`[{"op":"add","path":"/rules/0","value":{"port":9}}]`},
		"without keys: a move": {rules,
			func(l *lists) { l.Rules[0], l.Rules[1] = l.Rules[1], l.Rules[0] },
			`[{"op":"remove","path":"/rules/1"},{"op":"add","path":"/rules/0","value":{"port":2,"x":"b"}}]`},
		"without keys: a removal": {rules,
			func(l *lists) { l.Rules = slices.Delete(l.Rules, 1, 2) },
			`[{"op":"remove","path":"/rules/1"}]`},
		"without keys: two edits and a removal between": {rules,
			func(l *lists) { l.Rules[0].Name, l.Rules[3].Name = "n", "m"; l.Rules = slices.Delete(l.Rules, 1, 2) },
			`[{"op":"remove","path":"/rules/1"},{"op":"remove","path":"/rules/0"},{"op":"add","path":"/rules/0","value":{"port":1,"name":"n"}},{"op":"add","path":"/rules/2/name","value":"m"}]`},
		"without keys: an edited element beside a new one is new": {rules,
			func(l *lists) { l.Rules[0].Name = "n"; l.Rules = slices.Insert(l.Rules, 0, port{Port: 9}) },
			`[{"op":"remove","path":"/rules/0"},{"op":"add","path":"/rules/0","value":{"port":9}},{"op":"add","path":"/rules/1","value":{"port":1,"name":"n"}}]`},
		"words": {`{"words":["a","b","c"]}`,
			func(l *lists) { l.Words = []string{"a", "x", "c", "d"} },
			`[{"op":"add","path":"/words/3","value":"d"},{"op":"replace","path":"/words/1","value":"x"}]`},
		"the same word twice": {`{"words":["a","b","a"]}`,
			func(l *lists) { l.Words = []string{"a", "a", "b"} },
			`[{"op":"remove","path":"/words/2"},{"op":"add","path":"/words/1","value":"a"}]`},
		"a first element": {`{"words":[]}`,
			func(l *lists) { l.Words = []string{"a"} },
			`[{"op":"replace","path":"/words","value":["a"]}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := patchOf(t, test.src, test.edit, ListKeys[lists]("ports", "port", "protocol")); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestPatchOfManyEdits checks that a patch grows with the edits and not with their square.
func TestPatchOfManyEdits(t *testing.T) {
	text := []string{}
	for i := range 2000 {
		text = append(text, fmt.Sprintf(`{"name":"E%d","value":"%d","x":%d}`, i, i, i))
	}
	src := `{"env":[` + strings.Join(text, ",") + `]}`
	for name, edit := range map[string]func(*lists){
		"reversed": func(l *lists) { slices.Reverse(l.Env) },
		"every other gone": func(l *lists) {
			l.Env = slices.DeleteFunc(l.Env, func(e corev1.EnvVar) bool { return len(e.Value)%2 == 0 })
		},
		"one in front": func(l *lists) { l.Env = slices.Insert(l.Env, 0, corev1.EnvVar{Name: "N"}) },
		"all edited": func(l *lists) {
			for i := range l.Env {
				l.Env[i].Value += "!"
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := patchOf(t, src, edit); len(got) == 0 || len(got) > 2*len(src) {
				t.Errorf("a patch of %d bytes for an object of %d", len(got), len(src))
			}
		})
	}
}

// TestPatchOfNestedLists checks that the depth of nested lists does not slow a patch down if the edit is elsewhere. If
// every level were compared once for each list around it, the test would take minutes.
func TestPatchOfNestedLists(t *testing.T) {
	type tree struct {
		Any   any    `json:"any,omitempty"`
		Name  string `json:"name"`
		Below []tree `json:"below,omitempty" patchMergeKey:"name"`
		Bare  []tree `json:"bare,omitempty"`
	}
	const depth = 4000
	for name, src := range map[string]string{
		"arrays":        `{"name":"a","any":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`,
		"mixed":         `{"name":"a","any":` + strings.Repeat(`[{"a":`, depth) + "1" + strings.Repeat("}]", depth) + `}`,
		"with keys":     `{"name":"a","below":[` + strings.Repeat(`{"name":"b","below":[`, depth) + strings.Repeat("]}", depth) + `]}`,
		"without keys":  `{"name":"a","bare":[` + strings.Repeat(`{"name":"b","bare":[`, depth) + strings.Repeat("]}", depth) + `]}`,
		"of both kinds": `{"name":"a","bare":[` + strings.Repeat(`{"name":"b","below":[{"name":"b","bare":[`, depth/2) + strings.Repeat("]}]}", depth/2) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if got, want := patchOf(t, src, func(o *tree) { o.Name = "c" }), `[{"op":"replace","path":"/name","value":"c"}]`; got != want {
				t.Errorf("got %.200s, want %s", got, want)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%d levels took %s", depth, took)
			}
		})
	}
}

func TestPatchIsTheSameEveryTime(t *testing.T) {
	edit := func(e *everything) {
		e.Labels = map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}
		e.Named["a"], e.Named["b"], e.Named["c"] = resource.MustParse("1"), resource.MustParse("2"), resource.MustParse("3")
	}
	const src = `{"labels":{"x":"1","y":"2"},"named":{"z":"1"}}`
	want := patchOf(t, src, edit)
	for range 50 {
		if got := patchOf(t, src, edit); got != want {
			t.Fatalf("\n got %s\nwant %s", got, want)
		}
	}
}
