// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

type level string

type embedded struct {
	Shared string `json:"shared,omitempty"`
	Name   string `json:"name,omitempty"` // hidden by the Name of everything
}

type Behind struct {
	Pointed *int64 `json:"pointed,omitempty"`
}

// everything has a member of every shape.
type everything struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	embedded          `json:",inline"`
	*Behind           `json:",inline"`

	Name     string                       `json:"name"`
	Untagged int                          `yaml:"other"`
	Level    level                        `json:"level,omitempty"`
	Bool     bool                         `json:"bool"`
	Pointer  *bool                        `json:"pointer,omitempty"`
	Small    int8                         `json:"small,omitempty"`
	Large    int64                        `json:"large,omitempty"`
	Unsigned uint16                       `json:"unsigned,omitempty"`
	Float    float64                      `json:"float,omitempty"`
	Narrow   float32                      `json:"narrow,omitempty"`
	Bytes    []byte                       `json:"bytes,omitempty"`
	Strings  []string                     `json:"strings,omitempty"`
	Levels   []level                      `json:"levels"`
	Pointers []*embedded                  `json:"pointers,omitempty"`
	Keyed    []corev1.EnvVar              `json:"keyed,omitempty" patchMergeKey:"name"`
	Matrix   [][]int                      `json:"matrix,omitempty"`
	Array    [2]int                       `json:"array,omitempty"`
	Labels   map[string]string            `json:"labels,omitempty"`
	Named    map[level]resource.Quantity  `json:"named,omitempty"`
	Nested   map[string]map[string]Behind `json:"nested,omitempty"`
	Numbers  map[int]string               `json:"numbers,omitempty"`
	Any      any                          `json:"any,omitempty"`
	Raw      runtime.RawExtension         `json:"raw,omitempty"`
	Number   json.Number                  `json:"number,omitempty"`
	Time     *metav1.Time                 `json:"time,omitempty"`
	Port     intstr.IntOrString           `json:"port,omitempty"`
	Zero     metav1.MicroTime             `json:"zero,omitzero"`
	Self     *everything                  `json:"self,omitempty"`
	Skipped  string                       `json:"-"`
	hidden   string                       //nolint:unused // it is there to be passed over
}

var everythingJSON = []string{
	`{}`,
	`{"kind":"Everything","apiVersion":"example.com/v1","metadata":{"name":"a","labels":{"a":"b","c":null},"finalizers":["x"]}}`,
	`{"shared":"s","name":"outer","pointed":5}`,
	`{"Untagged":3,"level":"high","bool":true,"pointer":false,"small":-128,"large":9223372036854775807,"unsigned":65535}`,
	`{"float":1.5e3,"narrow":0.1,"bytes":"aGVsbG8=","strings":["a","b",null],"levels":["x"],"pointers":[{"shared":"p"},null]}`,
	`{"strings":[],"levels":[],"labels":{},"named":{},"matrix":[[],[1,2],null],"array":[1,2,3]}`,
	`{"strings":null,"levels":null,"labels":null,"named":null,"pointer":null,"bytes":null,"any":null,"self":null,"name":null}`,
	`{"keyed":[{"name":"A","value":"1","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"B"}]}`,
	`{"named":{"cpu":"0.5","memory":"1024Mi"},"nested":{"a":{"b":{"pointed":1}}},"numbers":{"1":"one"}}`,
	`{"any":{"i":1700000000123456789,"f":1.0,"e":1e2,"big":92233720368547758079,"neg":-0,"l":[1,"x",true,null,{}]}}`,
	`{"raw":{"kind":"X","n":12345678901234567890},"number":12.50,"time":"2026-01-02T03:04:05Z","port":80,"zero":null}`,
	`{"port":"http","self":{"self":{"name":"deep"}}}`,
	`{"name":"esc\u0061ped \"\\\/\b\f\n\r\t \ud83d\ude00 \ud83d \udc00x","\u006cevel":"by escape"}`,
	`{"NAME":"case counts","Level":"x","unknown":{"deep":[1,{"a":"}]"}]},"hidden":"h","Skipped":"s","-":"-"}`,
	"{\"name\":\"not \xff utf8\",\"labels\":{\"\xfe\":\"\xfd\"}}",
	" {\n\t\"name\" : \"spaced\" , \"strings\" : [ \"a\" , \"b\" ] , \"labels\" : { \"a\" : \"b\" } , \"matrix\" : [ [ 1 , 2 ] ] } ",
	// Values that do not fit.
	`{"name":1}`, `{"bool":"x"}`, `{"small":128}`, `{"small":1.0}`, `{"unsigned":-1}`, `{"large":1e3}`, `{"float":"x"}`,
	`{"narrow":1e300}`, `{"bytes":"%"}`, `{"strings":{}}`, `{"strings":[1]}`, `{"labels":{"a":1}}`, `{"labels":[]}`,
	`{"metadata":[]}`, `{"time":"yesterday"}`, `{"named":{"cpu":"lots"}}`, `{"keyed":[{"name":"A"},{"value":5}]}`,
	`{"any":1e999}`, `{"matrix":[[1],["x"]]}`, `{"array":"x"}`, `[]`, `"x"`, `1`,
}

// decodeAll scans and decodes src into a new value of the shape's type.
func decodeAll(src []byte, s *wire.Shape) (any, error) {
	end := wire.ScanAll(src, func(i int) int { return wire.ScanValue(src, i, wire.MaxDepth) })
	if end < 0 {
		return nil, wire.SyntaxError(src, ^end)
	}
	v := reflect.New(s.Typ)
	err := wire.Decode(src, wire.Span{Start: wire.Space(src, 0), End: end}, new(wire.Texts), s, v.Elem())
	return v.Interface(), err
}

// agrees checks that decode gives the same value or error as sigs.k8s.io/json. A key that occurs twice is the
// exception: only decode refuses it.
func agrees[T any](t *testing.T, s *wire.Shape, src []byte) {
	t.Helper()
	got, err := decodeAll(src, s)
	want := new(T)
	wantErr := kjson.Unmarshal(src, want)
	if err != nil {
		if wantErr == nil && !strings.Contains(err.Error(), "stands twice") {
			t.Fatalf("%s: refused with %v, which sigs.k8s.io/json accepts", src, err)
		}
		return
	}
	if wantErr != nil {
		t.Fatalf("%s: accepted, which sigs.k8s.io/json refuses: %v", src, wantErr)
	}
	if !reflect.DeepEqual(got, any(want)) {
		t.Fatalf("%s:\n%s", src, cmp.Diff(want, got, cmp.AllowUnexported(everything{}, resource.Quantity{})))
	}
}

func TestDecodeAgreesWithSigsJSON(t *testing.T) {
	s := new(wire.Shapes).Of(reflect.TypeFor[everything]())
	for _, src := range everythingJSON {
		agrees[everything](t, s, []byte(src))
	}
}

func FuzzDecode(f *testing.F) {
	for _, src := range everythingJSON {
		f.Add([]byte(src))
	}
	s, untyped := new(wire.Shapes).Of(reflect.TypeFor[everything]()), new(wire.Shapes).Of(reflect.TypeFor[any]())
	f.Fuzz(func(t *testing.T, src []byte) {
		agrees[everything](t, s, src)
		agrees[any](t, untyped, src)
	})
}

func TestDecodeRefusesDuplicates(t *testing.T) {
	s := new(wire.Shapes).Of(reflect.TypeFor[everything]())
	for _, src := range []string{
		`{"name":"a","name":"b"}`,
		`{"name":"a","n\u0061me":"b"}`,
		`{"name":null,"name":"b"}`,
		`{"metadata":{"name":"a","name":"b"}}`,
		`{"labels":{"a":"1","a":"2"}}`,
		`{"named":{"cpu":"1","cpu":"2"}}`,
		`{"any":{"x":[{"a":1,"a":2}]}}`,
		`{"raw":{"a":{"b":1,"b":2}}}`,
		`{"raw":{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"0":1}}`,
		`{"numbers":{"1":"a","1":"b"}}`,
	} {
		if _, err := decodeAll([]byte(src), s); err == nil || !strings.Contains(err.Error(), "stands twice") {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// TestDecodeCaseCounts checks that keys are case-sensitive: a validator that reads spec gets the value that the API
// server stores under spec.
func TestDecodeCaseCounts(t *testing.T) {
	type object struct {
		Spec int `json:"spec"`
	}
	got, err := decodeAll([]byte(`{"spec":1,"Spec":99}`), new(wire.Shapes).Of(reflect.TypeFor[object]()))
	if err != nil || got.(*object).Spec != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDecodeErrorsNameThePlace(t *testing.T) {
	_, err := decodeAll([]byte(`{"spec":{"containers":[{"name":"a"},{"name":"b","env":[{"value":5}]}]}}`),
		new(wire.Shapes).Of(reflect.TypeFor[corev1.Pod]()))
	const want = "spec.containers[1].env[0].value: a number cannot be read as string"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTextsKeepNothingLong(t *testing.T) {
	var kept wire.Texts
	for _, s := range []string{"", "a", "IfNotPresent", "app.kubernetes.io/name", strings.Repeat("x", 500)} {
		for range 2 {
			if got := kept.Of([]byte(s)); got != s {
				t.Errorf("%q became %q", s, got)
			}
		}
	}
	for _, places := range kept {
		if len(places[0]) >= wire.LongText || len(places[1]) >= wire.LongText {
			t.Errorf("kept %d and %d bytes", len(places[0]), len(places[1]))
		}
	}
}
