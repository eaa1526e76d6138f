// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPartial(t *testing.T) {
	ctx := context.Background()
	if ObjectOf[metav1.Object](ctx) != nil || Partial(ctx) {
		t.Error("there is no object outside of a conversion")
	}
	for name, tc := range map[string]struct {
		metav1.ObjectMeta
		want bool
	}{
		"a name":                 {metav1.ObjectMeta{Name: "a"}, false},
		"a name to be generated": {metav1.ObjectMeta{GenerateName: "a-"}, false},
		"labels alone":           {metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}, true},
		"nothing":                {metav1.ObjectMeta{}, true},
	} {
		if ctx := WithObject(ctx, &tc.ObjectMeta); Partial(ctx) != tc.want || ObjectOf[metav1.Object](ctx) != &tc.ObjectMeta {
			t.Errorf("%s: partial is %t", name, Partial(ctx))
		}
	}
}
