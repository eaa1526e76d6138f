// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestApplyPatch has the examples of RFC 6902, appendix A, for the operations of admission patches. It also has patches
// that fail.
func TestApplyPatch(t *testing.T) {
	for name, test := range map[string]struct{ object, patch, want, err string }{
		"add a member":              {`{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux"}]`, `{"baz":"qux","foo":"bar"}`, ""},
		"add an element":            {`{"foo":["bar","baz"]}`, `[{"op":"add","path":"/foo/1","value":"qux"}]`, `{"foo":["bar","qux","baz"]}`, ""},
		"add a last element":        {`{"foo":["bar"]}`, `[{"op":"add","path":"/foo/-","value":["a"]}]`, `{"foo":["bar",["a"]]}`, ""},
		"add behind the last":       {`{"foo":["bar"]}`, `[{"op":"add","path":"/foo/1","value":1}]`, `{"foo":["bar",1]}`, ""},
		"remove a member":           {`{"baz":"qux","foo":"bar"}`, `[{"op":"remove","path":"/baz"}]`, `{"foo":"bar"}`, ""},
		"remove an element":         {`{"foo":["bar","qux","baz"]}`, `[{"op":"remove","path":"/foo/1"}]`, `{"foo":["bar","baz"]}`, ""},
		"replace":                   {`{"baz":"qux","foo":"bar"}`, `[{"op":"replace","path":"/baz","value":"boo"}]`, `{"baz":"boo","foo":"bar"}`, ""},
		"replace in a list":         {`[{"a":1},{"a":2}]`, `[{"op":"replace","path":"/1/a","value":3}]`, `[{"a":1},{"a":3}]`, ""},
		"replace the whole":         {`{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}}]`, `{"b":2}`, ""},
		"move":                      {`{"foo":{"waldo":"fred"},"qux":{}}`, `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`, `{"foo":{},"qux":{"thud":"fred"}}`, ""},
		"move an element":           {`["all","grass","cows","eat"]`, `[{"op":"move","from":"/1","path":"/3"}]`, `["all","cows","eat","grass"]`, ""},
		"copy, then edit":           {`{"a":{"x":1}}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/b/x","value":2}]`, `{"a":{"x":1},"b":{"x":2}}`, ""},
		"test":                      {`{"baz":["a",2]}`, `[{"op":"test","path":"/baz","value":["a",2]}]`, `{"baz":["a",2]}`, ""},
		"escapes":                   {`{"a/b":1,"m~n":2}`, `[{"op":"remove","path":"/a~1b"},{"op":"replace","path":"/m~0n","value":3}]`, `{"m~n":3}`, ""},
		"~01 is not a slash":        {`{"~1":1}`, `[{"op":"remove","path":"/~01"}]`, `{}`, ""},
		"null is a value":           {`{}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null}`, ""},
		"large integers":            {`{"a":9007199254740993}`, `[{"op":"add","path":"/b","value":9007199254740995}]`, `{"a":9007199254740993,"b":9007199254740995}`, ""},
		"no parent":                 {`{"foo":"bar"}`, `[{"op":"add","path":"/baz/bat","value":1}]`, "", `there is no "baz"`},
		"a string for a parent":     {`{"foo":"bar"}`, `[{"op":"add","path":"/foo/bat","value":1}]`, "", "neither an object nor a list"},
		"replace what is not there": {`{}`, `[{"op":"replace","path":"/a","value":1}]`, "", `operation 0, replace /a: there is no "a"`},
		"beyond the end":            {`{"a":[1]}`, `[{"op":"add","path":"/a/2","value":1}]`, "", `no element "2" in a list of 1`},
		"remove behind the last":    {`{"a":[1]}`, `[{"op":"remove","path":"/a/1"}]`, "", `no element "1" in a list of 1`},
		"leading zero":              {`{"a":[1,2]}`, `[{"op":"remove","path":"/a/01"}]`, "", `no element "01"`},
		"negative index":            {`{"a":[1,2]}`, `[{"op":"remove","path":"/a/-1"}]`, "", `no element "-1"`},
		"remove at the dash":        {`{"a":[1,2]}`, `[{"op":"remove","path":"/a/-"}]`, "", `no element "-"`},
		"no slash":                  {`{"a":1}`, `[{"op":"remove","path":"a"}]`, "", "a path begins with /"},
		"no value":                  {`{}`, `[{"op":"add","path":"/a"}]`, "", "it has no value"},
		"another value":             {`{"a":1}`, `[{"op":"test","path":"/a","value":2}]`, "", "the value is another one"},
		"unknown operation":         {`{"a":1}`, `[{"op":"merge","path":"/a","value":2}]`, "", "there is no such operation"},
		"no list":                   {`{"a":1}`, `{}`, "", "cannot unmarshal object"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := applyPatch([]byte(test.object), []byte(test.patch))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("object (-want +got):\n%s", diff)
			}
		})
	}
}
