// Package v1 has kinds with the same fields. The webhook of each has another defect; Sound has none.
//
// +groupName=shop.example.com
package v1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds.
var GroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}

// AddToScheme registers the kinds.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Sound{}, &Panicking{}, &Unordered{}, &Growing{}, &Stuck{})
	return nil
}

// Spec is the specification of each kind.
type Spec struct {
	Size   string            `json:"size,omitempty"`
	Count  int32             `json:"count,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Items  []Item            `json:"items,omitempty"`
	Limits *Limits           `json:"limits,omitempty"`
}

// Item is an element of a list.
type Item struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
}

// Limits are optional.
type Limits struct {
	Most *int32 `json:"most,omitempty"`
}

// Object is the content of each kind.
type Object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// Sound has webhooks without a defect.
type Sound struct {
	Object `json:",inline"`
}

// Panicking has a validator that panics.
type Panicking struct {
	Object `json:",inline"`
}

// Unordered has a validator whose message has the order of a map.
type Unordered struct {
	Object `json:",inline"`
}

// Growing has a defaulter that adds an item each time.
type Growing struct {
	Object `json:",inline"`
}

// Stuck has a validator that denies every update of an object that is in use.
type Stuck struct {
	Object `json:",inline"`
}

func (o *Sound) DeepCopyObject() runtime.Object     { return clone(o) }
func (o *Panicking) DeepCopyObject() runtime.Object { return clone(o) }
func (o *Unordered) DeepCopyObject() runtime.Object { return clone(o) }
func (o *Growing) DeepCopyObject() runtime.Object   { return clone(o) }
func (o *Stuck) DeepCopyObject() runtime.Object     { return clone(o) }

func clone[T any](o *T) *T {
	copied := new(T)
	if data, err := json.Marshal(o); err != nil || json.Unmarshal(data, copied) != nil {
		return nil
	}
	return copied
}
