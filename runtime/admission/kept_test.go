// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"reflect"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestKept reads parts with one call: repeated, changed, absent, wrong and long parts.
func TestKept(t *testing.T) {
	var k kept[metav1.GroupVersionKind]
	long := strings.Repeat("x", longPart)
	for _, test := range []struct {
		part string
		want metav1.GroupVersionKind
		ok   bool
	}{
		{`null`, metav1.GroupVersionKind{}, true},
		{`{"version":"v1","kind":"Pod"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}, true},
		{`{"version":"v1","kind":"Pod"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}, true},
		{`{"version":"v1","kind":"Job"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Job"}, true},
		{`{"version":"v1","kind":5}`, metav1.GroupVersionKind{Version: "v1"}, false},
		{`{"version":"v1","kind":5}`, metav1.GroupVersionKind{Version: "v1"}, false},
		{`null`, metav1.GroupVersionKind{}, true},
		{`{"kind":"` + long + `"}`, metav1.GroupVersionKind{Kind: long}, true},
		{`{"version":"v1","kind":"Job"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Job"}, true},
	} {
		var e envelope
		if err := e.scan([]byte(`{"request":{"kind":` + test.part + `}}`)); err != nil {
			t.Fatal(err)
		}
		var got metav1.GroupVersionKind
		if err := k.decode(&e, objectKindPart, kindShape, &got); got != test.want || (err == nil) != test.ok {
			t.Errorf("%.40s is %.80v with %v", test.part, got, err)
		}
		if len(k.raw) >= longPart {
			t.Errorf("%d bytes are kept", len(k.raw))
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeOf(new(call).kind.value), reflect.TypeOf(new(call).resource.value)} {
		for i := range typ.NumField() {
			if typ.Field(i).Type.Kind() != reflect.String {
				t.Errorf("%s of %s is shared between calls", typ.Field(i).Name, typ)
			}
		}
	}
}

// TestKeptUser has functions change their user, and checks that the next call does not see the change.
func TestKeptUser(t *testing.T) {
	var k kept[authenticationv1.UserInfo]
	for _, test := range []struct {
		user string
		want authenticationv1.UserInfo
	}{
		{`{"username":"a","groups":["g","h"]}`, authenticationv1.UserInfo{Username: "a", Groups: []string{"g", "h"}}},
		{`{"username":"a","groups":["g","h"]}`, authenticationv1.UserInfo{Username: "a", Groups: []string{"g", "h"}}},
		{`{"username":"b","extra":{"x":["y"]}}`, authenticationv1.UserInfo{Username: "b", Extra: map[string]authenticationv1.ExtraValue{"x": {"y"}}}},
		{`{"username":"b","extra":{"x":["y"]}}`, authenticationv1.UserInfo{Username: "b", Extra: map[string]authenticationv1.ExtraValue{"x": {"y"}}}},
		{`null`, authenticationv1.UserInfo{}},
		{`{"username":"a","groups":["g","h"]}`, authenticationv1.UserInfo{Username: "a", Groups: []string{"g", "h"}}},
	} {
		var e envelope
		if err := e.scan([]byte(`{"request":{"userInfo":` + test.user + `}}`)); err != nil {
			t.Fatal(err)
		}
		var got authenticationv1.UserInfo
		if err := decodeUser(&k, &e, &got); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s is %+v with %v", test.user, got, err)
		}
		for i := range got.Groups {
			got.Groups[i] = "changed"
		}
		got.Groups = append(got.Groups, "more")
		for key := range got.Extra {
			got.Extra[key][0] = "changed"
		}
	}
}
