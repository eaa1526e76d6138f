// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types that read themselves, or have a name of their own.
type (
	word  string
	digit int8
	flag  bool
	octet uint8
	blob  []byte
	words []word
	named map[word]digit

	// tag reads and writes itself as text.
	tag struct{ name string }
	// code is a string that reads and writes itself as text.
	code string
	// pair reads and writes itself as JSON.
	pair struct{ left, right int64 }
)

// UnmarshalText implements encoding.TextUnmarshaler. Its error quotes the value, like the errors of many types.
func (t *tag) UnmarshalText(text []byte) error {
	name, ok := strings.CutPrefix(string(text), "#")
	if !ok {
		return fmt.Errorf("%q does not begin with #", text)
	}
	t.name = name
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (t tag) MarshalText() ([]byte, error) { return []byte("#" + t.name), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *code) UnmarshalText(text []byte) error {
	if len(text) > 0 && text[0] == '!' {
		return fmt.Errorf("%q begins with !", text)
	}
	*c = code(text)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (c code) MarshalText() ([]byte, error) { return []byte(c), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (p *pair) UnmarshalJSON(text []byte) error {
	var both []int64
	if err := json.Unmarshal(text, &both); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	if len(both) > 2 {
		return errors.New("more than two: " + string(text))
	}
	*p = pair{}
	if len(both) > 0 {
		p.left = both[0]
	}
	if len(both) > 1 {
		p.right = both[1]
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p pair) MarshalJSON() ([]byte, error) { return json.Marshal([]int64{p.left, p.right}) }

// Base and Far are embedded.
type (
	Base struct {
		BaseText string   `json:"baseText,omitempty"`
		BaseList []string `json:"baseList"`
	}
	Far struct {
		FarNumber *int64 `json:"farNumber,omitempty"`
		FarDeep   *Far   `json:"farDeep,omitempty"`
	}
	// Named is embedded with a name, so that it is a member.
	Named struct {
		Text string `json:"text,omitempty"`
	}
	// hidden is embedded although it is not exported.
	hidden struct {
		Seen string `json:"seen,omitempty"`
	}
)

// quoted has the option string, with which encoding/json puts values into strings.
type quoted struct {
	Number  int64   `json:"number,string"`
	Truth   bool    `json:"truth,string,omitempty"`
	Text    string  `json:"text,string,omitempty"`
	Pointer *uint16 `json:"pointer,string,omitempty"`
	Below   []Named `json:"below,omitempty"`
}

// every has a field of every Go kind that JSON can hold, with every option.
type every struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Base              `json:",inline"`
	*Far              `json:",inline"`
	Named             `json:"named,omitempty"`
	hidden            `json:",inline"`

	Bool    bool    `json:"bool"`
	Int     int     `json:"int,omitempty"`
	Int8    int8    `json:"int8,omitempty"`
	Int16   int16   `json:"int16,omitzero"`
	Int32   int32   `json:"int32"`
	Int64   int64   `json:"int64,omitempty"`
	Uint    uint    `json:"uint,omitempty"`
	Uint8   uint8   `json:"uint8,omitempty"`
	Uint16  uint16  `json:"uint16,omitempty"`
	Uint32  uint32  `json:"uint32"`
	Uint64  uint64  `json:"uint64,omitempty"`
	Uintptr uintptr `json:"uintptr,omitempty"`
	Float32 float32 `json:"float32,omitempty"`
	Float64 float64 `json:"float64,omitempty"`
	String  string  `json:"string,omitempty"`
	NoTag   string
	Dash    string `json:"-,"`
	Never   string `json:"-"`

	Bytes     []byte             `json:"bytes,omitempty"`
	Blob      blob               `json:"blob"`
	Octets    []octet            `json:"octets,omitempty"`
	Word      word               `json:"word,omitempty"`
	Digit     digit              `json:"digit,omitempty"`
	Flag      flag               `json:"flag,omitempty"`
	Words     words              `json:"words,omitempty"`
	MapNamed  named              `json:"mapNamed,omitempty"`
	ToBool    *bool              `json:"toBool,omitempty"`
	ToString  *string            `json:"toString"`
	ToPointer **int32            `json:"toPointer,omitempty"`
	ToList    *[]int16           `json:"toList,omitempty"`
	ToMap     *map[string]string `json:"toMap,omitempty"`
	ToStruct  *Named             `json:"toStruct,omitempty"`
	Strings   []string           `json:"strings,omitempty"`
	Numbers   []float32          `json:"numbers"`
	Matrix    [][]uint16         `json:"matrix,omitempty"`
	Structs   []Named            `json:"structs,omitempty"`
	Pointers  []*Named           `json:"pointers,omitempty"`
	Keyed     []corev1.EnvVar    `json:"keyed,omitempty" patchMergeKey:"name"`
	Array     [3]int8            `json:"array"`
	Texts     [2]string          `json:"texts,omitzero"`
	Parts     [2]Named           `json:"parts,omitempty"`

	Labels   map[string]string           `json:"labels,omitempty"`
	ByWord   map[word]Named              `json:"byWord,omitempty"`
	ByInt    map[int16]string            `json:"byInt,omitempty"`
	ByUint   map[uint8]*Named            `json:"byUint,omitempty"`
	ByTag    map[tag]int32               `json:"byTag,omitempty"`
	ByCode   map[code][]string           `json:"byCode,omitempty"`
	Maps     map[string]map[string]int64 `json:"maps,omitempty"`
	Lists    map[string][]Named          `json:"lists,omitempty"`
	ToMapped map[string]*quoted          `json:"toMapped,omitempty"`
	Flags    map[string]flag             `json:"flags"`

	Any   any            `json:"any,omitempty"`
	Anys  []any          `json:"anys,omitempty"`
	Dict  map[string]any `json:"dict,omitempty"`
	ToAny *any           `json:"toAny,omitempty"`

	Raw      json.RawMessage             `json:"raw,omitempty"`
	ToRaw    *json.RawMessage            `json:"toRaw,omitempty"`
	Number   json.Number                 `json:"number,omitempty"`
	Pair     pair                        `json:"pair"`
	ToPair   *pair                       `json:"toPair,omitempty"`
	Pairs    []pair                      `json:"pairs,omitempty"`
	Tag      tag                         `json:"tag"`
	ToTag    *tag                        `json:"toTag,omitempty"`
	Code     code                        `json:"code,omitempty"`
	Codes    []code                      `json:"codes,omitempty"`
	Quoted   quoted                      `json:"quoted"`
	Time     metav1.Time                 `json:"time,omitempty"`
	ToTime   *metav1.Time                `json:"toTime,omitempty"`
	Micro    metav1.MicroTime            `json:"micro,omitzero"`
	Duration metav1.Duration             `json:"duration,omitempty"`
	Wait     *metav1.Duration            `json:"wait,omitempty"`
	Port     intstr.IntOrString          `json:"port,omitempty"`
	Quantity resource.Quantity           `json:"quantity,omitempty"`
	Limits   corev1.ResourceList         `json:"limits,omitempty"`
	Ext      runtime.RawExtension        `json:"ext,omitempty"`
	Exts     []runtime.RawExtension      `json:"exts,omitempty"`
	Loose    *unstructured.Unstructured  `json:"loose,omitempty"`
	Self     *every                      `json:"self,omitempty"`
	Selves   map[string]every            `json:"selves,omitempty"`
	Anon     struct{ X, Y int8 }         `json:"anon,omitempty"`
	Empty    struct{}                    `json:"empty,omitempty"`
	Empties  []struct{}                  `json:"empties,omitempty"`
	Set      map[string]struct{}         `json:"set,omitempty"`
	Fields   *metav1.FieldsV1            `json:"fields,omitempty"`
	Selector metav1.LabelSelector        `json:"selector,omitempty"`
	When     map[string]metav1.MicroTime `json:"when,omitempty"`
}

// odd has fields of the kinds that JSON cannot hold: nothing but null is decoded into them.
type odd struct {
	Chan     chan int              `json:"chan,omitempty"`
	Func     func()                `json:"func,omitempty"`
	Complex  complex128            `json:"complex,omitempty"`
	Stringer fmt.Stringer          `json:"stringer,omitempty"`
	Error    error                 `json:"error,omitempty"`
	ByFloat  map[float64]string    `json:"byFloat,omitempty"`
	ByBool   map[bool]string       `json:"byBool,omitempty"`
	ByStruct map[struct{}]string   `json:"byStruct,omitempty"`
	Chans    []chan int            `json:"chans,omitempty"`
	Funcs    map[string]func()     `json:"funcs,omitempty"`
	Shallow  struct{ C chan bool } `json:"shallow,omitempty"`
	Fine     string                `json:"fine,omitempty"`
}

// whole says whether values of a type are decoded and patched as a whole, without a look at what lies below.
func whole(typ reflect.Type) bool {
	addressed := reflect.PointerTo(typ)
	if typ.Kind() != reflect.Pointer && (addressed.Implements(reflect.TypeFor[json.Unmarshaler]()) ||
		addressed.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())) {
		return true
	}
	switch typ.Kind() {
	case reflect.Array, reflect.Interface:
		return true
	case reflect.Map:
		return typ.Key().Kind() != reflect.String || reflect.PointerTo(typ.Key()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	case reflect.Struct:
		for i := range typ.NumField() {
			if strings.Contains(typ.Field(i).Tag.Get("json"), ",string") {
				return true
			}
		}
	}
	return false
}
