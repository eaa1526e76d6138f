// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// dock and pier are two versions of a kind. The berth of a dock is a number.
type dock struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec dockSpec `json:"spec"`
}

type dockSpec struct {
	Port dockPort `json:"port,omitzero"`
}

type dockPort struct {
	Quay dockQuay `json:"quay,omitempty"`
}

type dockQuay struct {
	Berth int32  `json:"berth"`
	Owner string `json:"owner,omitempty"`
}

type pier struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec pierSpec `json:"spec"`
}

type pierSpec struct {
	Port pierPort `json:"port,omitzero"`
}

type pierPort struct {
	Quay pierQuay `json:"quay,omitempty"`
}

type pierQuay struct {
	Berth string `json:"berth"`
	Owner string `json:"owner,omitempty"`
}

var (
	docks = NewStash[dock]("v1", Schema{})
	piers = NewStash[pier]("v2", Schema{})
)

func pierOf(_ context.Context, src *dock, dst *pier) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Port.Quay.Berth = strconv.Itoa(int(src.Spec.Port.Quay.Berth))
	return nil
}

func dockOf(ctx context.Context, src *pier, dst *dock) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	n, err := strconv.Atoi(src.Spec.Port.Quay.Berth)
	if err != nil && src.Spec.Port.Quay.Berth != "" && !Omit(ctx) {
		return err
	}
	dst.Spec.Port.Quay.Berth = int32(n)
	return nil
}

// TestZeroStructsOfTheSource converts structs that are zero in Go, and that the object has. Their other members are the
// same in both versions, or their values do not fit the other version.
func TestZeroStructsOfTheSource(t *testing.T) {
	same := Same{"spec": {"port": {"quay": {"owner": nil}}}}
	toPier := func(ctx context.Context, src *dock, dst *pier) error {
		if err := pierOf(ctx, src, dst); err != nil {
			return err
		}
		return Exchange(ctx, src, dst, docks, piers, dockOf)
	}
	toDock := func(ctx context.Context, src *pier, dst *dock) error {
		if err := dockOf(ctx, src, dst); err != nil {
			return err
		}
		return Exchange(ctx, src, dst, piers, docks, pierOf)
	}
	h := NewHandler(Serve(Between("example.com", "Dock", "v1", "v2", toPier, toDock, same)))
	for spec, want := range map[string]string{
		`{}`:                                 `"spec":{}`,
		`{"port":{}}`:                        `"spec":{"port":{}}`,
		`{"port":{"quay":{"berth":"west"}}}`: `"spec":{"port":{"quay":{"berth":0}}}`,
		`{"port":{"quay":{"berth":"west","owner":"me"}}}`: `"spec":{"port":{"quay":{"berth":0,"owner":"me"}}}`,
	} {
		object := `{"apiVersion":"example.com/v2","kind":"Dock","metadata":{"name":"a"},"spec":` + spec + `}`
		there, failure := converting(t, h, "v1", object)
		if failure != "" || !strings.Contains(there, want) {
			t.Errorf("%s becomes %s%s", spec, there, failure)
		}
		if back, failure := converting(t, h, "v2", there); failure != "" || !strings.Contains(back, `"spec":`+spec) {
			t.Errorf("%s becomes %s and then %s%s", spec, there, back, failure)
		}
	}
}
