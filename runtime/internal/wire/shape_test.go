// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// byValue and byPointer have an IsZero method of their own.
type (
	byValue   struct{ N int }
	byPointer struct{ N int }
)

func (b byValue) IsZero() bool    { return b.N == 7 }
func (b *byPointer) IsZero() bool { return b.N == 7 }

type part struct {
	N int `json:"n"`
}

// omitted has each kind of field with each option.
type omitted struct {
	Text       string             `json:"text,omitempty"`
	Number     int                `json:"number,omitzero"`
	Struct     part               `json:"struct,omitempty"`
	ZeroStruct part               `json:"zeroStruct,omitzero"`
	Pointer    *part              `json:"pointer,omitempty"`
	Zero       *part              `json:"zero,omitzero"`
	Both       *part              `json:"both,omitempty,omitzero"`
	Number2    *int               `json:"number2,omitzero"`
	List       []string           `json:"list,omitempty"`
	ZeroList   []string           `json:"zeroList,omitzero"`
	Map        map[string]string  `json:"map,omitempty"`
	ZeroMap    map[string]string  `json:"zeroMap,omitzero"`
	Array      [2]int             `json:"array,omitempty"`
	Empty      [0]int             `json:"empty,omitempty"`
	ZeroArray  [2]int             `json:"zeroArray,omitzero"`
	Own        byValue            `json:"own,omitzero"`
	OwnPointer *byValue           `json:"ownPointer,omitzero"`
	At         byPointer          `json:"at,omitzero"`
	AtPointer  *byPointer         `json:"atPointer,omitzero"`
	Time       metav1.Time        `json:"time,omitzero"`
	Quantity   resource.Quantity  `json:"quantity,omitzero"`
	Quantity2  *resource.Quantity `json:"quantity2,omitzero"`
	Always     string             `json:"always"`
}

// TestOmits compares the omitted fields with encoding/json.
func TestOmits(t *testing.T) {
	for name, value := range map[string]omitted{
		"nothing": {},
		"empty": {Pointer: &part{}, Zero: &part{}, Both: &part{}, Number2: new(int), List: []string{}, ZeroList: []string{}, Map: map[string]string{}, ZeroMap: map[string]string{},
			OwnPointer: &byValue{}, AtPointer: &byPointer{}, Quantity2: &resource.Quantity{}},
		"their zero": {Own: byValue{7}, OwnPointer: &byValue{7}, At: byPointer{7}, AtPointer: &byPointer{7}},
		"all": {Text: "a", Number: 1, Struct: part{1}, ZeroStruct: part{1}, Pointer: &part{1}, Zero: &part{1}, Both: &part{1}, List: []string{"a"}, ZeroList: []string{"a"},
			Map: map[string]string{"a": ""}, ZeroMap: map[string]string{"a": ""}, Array: [2]int{1}, ZeroArray: [2]int{1}, Own: byValue{1}, At: byPointer{1},
			Time: metav1.Time{Time: time.Unix(1, 0)}, Quantity: resource.MustParse("1"), Always: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			var shapes Shapes
			for _, v := range []reflect.Value{reflect.ValueOf(value), reflect.ValueOf(&value).Elem()} {
				text, err := json.Marshal(v.Interface())
				if v.CanAddr() {
					text, err = json.Marshal(v.Addr().Interface())
				}
				if err != nil {
					t.Fatal(err)
				}
				var members map[string]json.RawMessage
				if err := json.Unmarshal(text, &members); err != nil {
					t.Fatal(err)
				}
				for _, m := range shapes.Of(v.Type()).Fields {
					field, _ := m.In(v)
					if _, there := members[m.Name]; there == m.Omits(field) {
						t.Errorf("%s of %v (addressable: %v): omitted %v, encoding/json has %s", m.Name, field, v.CanAddr(), m.Omits(field), text)
					}
				}
			}
		})
	}
}
