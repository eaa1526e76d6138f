// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
)

// rule is an element without keys.
type rule struct {
	From  string            `json:"from,omitempty"`
	To    []string          `json:"to,omitempty"`
	Ports []corev1.EnvVar   `json:"ports" patchMergeKey:"name"`
	Extra map[string]*int64 `json:"extra,omitempty"`
}

// Shared is embedded by address.
type Shared struct {
	Owner *string `json:"owner,omitempty"`
	Large int64   `json:"large,omitempty"`
}

// order is a custom type with members that Kubernetes' own types do not have.
type order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	*Shared           `json:",inline"`

	Spec struct {
		Rules    []rule                                    `json:"rules,omitempty"`
		Pointers []*rule                                   `json:"pointers,omitempty"`
		Matrix   [][]int64                                 `json:"matrix"`
		ByName   map[string]rule                           `json:"byName,omitempty"`
		Limits   map[corev1.ResourceName]resource.Quantity `json:"limits,omitempty"`
		Bytes    []byte                                    `json:"bytes,omitempty"`
		Float    float64                                   `json:"float,omitempty"`
		Any      any                                       `json:"any,omitempty"`
		Raw      runtime.RawExtension                      `json:"raw,omitempty"`
		Seen     *metav1.Time                              `json:"seen,omitempty"`
	} `json:"spec"`
	Status *struct {
		Conditions []metav1.Condition `json:"conditions,omitempty" patchMergeKey:"type"`
	} `json:"status,omitempty"`
}

// differential makes an object, mutates it in a webhook, and compares the API server's result of the patch with the
// function's result.
func differential[T any](t *testing.T, seed uint64) {
	t.Helper()
	r := newRandom(seed)
	first := new(T)
	r.fill(reflect.ValueOf(first).Elem(), 7)
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var document any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	r.addUnknown(document, reflect.TypeFor[T]())
	object, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var left []byte
	after := reviews.Mutated(t, object, func(v *T) {
		typeMeta := reflect.ValueOf(v).Elem().FieldByName("TypeMeta")
		kept := typeMeta.Interface()
		r.mutate(reflect.ValueOf(v).Elem(), 12)
		typeMeta.Set(reflect.ValueOf(kept)) // No webhook changes the kind of an object.
		left, err = json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
	})
	// A pointer to a nil map, for example, comes back as a nil pointer, so both are read as the next webhook would read
	// them.
	again := func(text []byte) []byte {
		back := new(T)
		if err := kjson.Unmarshal(text, back); err != nil {
			t.Fatalf("ATTACKSEED=%d: %v\n%s", seed, err, text)
		}
		written, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		return written
	}
	left, got := again(left), again(after)
	if !bytes.Equal(got, left) {
		t.Fatalf("ATTACKSEED=%d: the policy left\n%s\nand the API server gets\n%s\n%s", seed, left, got, cmp.Diff(reviews.Parse(t, left), reviews.Parse(t, got)))
	}
	if err := sameUnknown(reviews.Parse(t, object), reviews.Parse(t, after), reflect.TypeFor[T](), ""); err != nil {
		t.Fatalf("ATTACKSEED=%d: %v\nbefore %s\nafter  %s", seed, err, object, after)
	}
}

// sameUnknown checks that values that stayed keep their unknown members, and that new values have none.
func sameUnknown(before, after any, typ reflect.Type, key string) error {
	if whole(typ) {
		return nil
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return sameUnknown(before, after, typ.Elem(), key)
	case reflect.Struct:
		was, _ := before.(map[string]any)
		is, ok := after.(map[string]any)
		if !ok {
			return nil
		}
		if !reflect.DeepEqual(was[unknownKey], is[unknownKey]) {
			return fmt.Errorf("%s: %v became %v", typ, was[unknownKey], is[unknownKey])
		}
		for name, member := range membersOf(typ) {
			if err := sameUnknown(was[name], is[name], member.Type, member.Tag.Get("patchMergeKey")); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	case reflect.Map:
		was, _ := before.(map[string]any)
		is, _ := after.(map[string]any)
		for name := range is {
			if err := sameUnknown(was[name], is[name], typ.Elem(), ""); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	case reflect.Slice:
		was, _ := before.([]any)
		is, _ := after.([]any)
		if key != "" {
			return sameKeyed(was, is, typ.Elem(), key)
		}
		return sameUnkeyed(was, is)
	}
	return nil
}

// sameKeyed compares the elements of one key with each other.
func sameKeyed(was, is []any, typ reflect.Type, key string) error {
	byKey := map[any]any{}
	for _, elem := range was {
		if object, ok := elem.(map[string]any); ok {
			byKey[object[key]] = elem
		}
	}
	for _, elem := range is {
		object, ok := elem.(map[string]any)
		if !ok {
			continue
		}
		if err := sameUnknown(byKey[object[key]], elem, typ, ""); err != nil {
			return fmt.Errorf("[%s=%v]: %w", key, object[key], err)
		}
	}
	return nil
}

// sameUnkeyed checks that each element has the unknown members of at most one old element. If its texts occur only once
// before and after, it must have kept its own unknown members.
func sameUnkeyed(was, is []any) error {
	texts := func(list []any) (unknown, known []string, count map[string]int) {
		count = map[string]int{}
		for _, elem := range list {
			all, _ := json.Marshal(collect(elem, true))
			rest, _ := json.Marshal(collect(elem, false))
			unknown, known = append(unknown, string(all)), append(known, string(rest))
			count[string(rest)]++
		}
		return unknown, known, count
	}
	unknownWas, knownWas, countWas := texts(was)
	unknownIs, knownIs, countIs := texts(is)
	for i := range is {
		for j := range was {
			if knownIs[i] == knownWas[j] && countIs[knownIs[i]] == 1 && countWas[knownWas[j]] == 1 && unknownIs[i] != unknownWas[j] {
				return fmt.Errorf("%s: %s became %s", knownIs[i], unknownWas[j], unknownIs[i])
			}
		}
	}
	return nil
}

// collect returns x with only its unknown members, or without them.
func collect(x any, unknown bool) any {
	switch x := x.(type) {
	case map[string]any:
		result := map[string]any{}
		for name, member := range x {
			switch {
			case name == unknownKey && unknown:
				result[name] = member
			case name != unknownKey:
				result[name] = collect(member, unknown)
			}
		}
		return result
	case []any:
		result := []any{}
		for _, elem := range x {
			result = append(result, collect(elem, unknown))
		}
		return result
	}
	if unknown {
		return nil
	}
	return x
}

// TestPatches has webhooks edit random objects at random. With their patches, the API server's engine must make exactly
// the object that the function left, with the unknown members of the original object.
func TestPatches(t *testing.T) {
	for seed := range seeds(t, 1500) {
		if seed%5 == 0 { // it is large
			differential[every](t, seed)
		}
		differential[corev1.Pod](t, seed)
		differential[appsv1.Deployment](t, seed)
		differential[order](t, seed)
	}
}

func FuzzPatch(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		differential[every](t, seed)
		differential[corev1.Pod](t, seed)
		differential[appsv1.Deployment](t, seed)
		differential[order](t, seed)
	})
}
