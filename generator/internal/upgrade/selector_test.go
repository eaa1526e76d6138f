// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestImplies(t *testing.T) {
	for _, tc := range []struct {
		one, another string
		want         bool
	}{
		{"", "", true},
		{"a=b", "", true},
		{"", "a=b", false},
		{"a=b", "a in (b,c)", true},
		{"a in (b,c)", "a=b", false},
		{"a=b", "a", true},
		{"a", "a=b", false},
		{"a=b", "a notin (c,d)", true},
		{"a=b", "a notin (b)", false},
		{"a notin (b,c)", "a notin (b)", true},
		{"a notin (b)", "a notin (b,c)", false},
		{"a notin (b)", "a", false},
		{"!a", "a notin (b)", true},
		{"!a", "!a", true},
		{"!a", "a", false},
		{"a=b,c=d", "c=d", true},
		{"a=b,c=d", "c=d,e", false},
		{"a=b", "b=a", false},
	} {
		one, err := metav1.ParseToLabelSelector(tc.one)
		if err != nil {
			t.Fatal(err)
		}
		another, err := metav1.ParseToLabelSelector(tc.another)
		if err != nil {
			t.Fatal(err)
		}
		if got := implies(one, another); got != tc.want {
			t.Errorf("%q implies %q: %v, want %v", tc.one, tc.another, got, tc.want)
		}
	}
}
