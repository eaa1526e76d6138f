// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"math"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestIntegerBounds(t *testing.T) {
	var small int8
	var natural uint32
	var wide uint64
	for _, tc := range []struct {
		name string
		err  error
		fits bool
	}{
		{"127 in int8", Integer(&small, int64(127)), true},
		{"-128 in int8", Integer(&small, int64(-128)), true},
		{"128 in int8", Integer(&small, int64(128)), false},
		{"1<<40 in int8", Integer(&small, int64(1<<40)), false},
		{"-1 in uint32", Integer(&natural, int32(-1)), false},
		{"-1 in uint64", Integer(&wide, int64(-1)), false},
		{"largest in uint64", Integer(&wide, uint64(math.MaxUint64)), true},
		{"largest of uint64 in int8", Integer(&small, uint64(math.MaxUint64)), false},
		{"seconds of a week in int8", ToSeconds(&small, metav1.Duration{Duration: 7 * 24 * time.Hour}), false},
		{"seconds of 1<<40", FromSeconds(new(metav1.Duration), int64(1<<40)), false},
		{"seconds of an hour", FromSeconds(new(metav1.Duration), 3600), true},
		{"text of 128 in int8", ParseInteger(&small, "128"), false},
		{"text of the largest in uint64", ParseInteger(&wide, "18446744073709551615"), true},
		{"no number", ParseInteger(&small, "x"), false},
		{"no bool", ParseBool(new(bool), "yes"), false},
		{"no quantity", ParseQuantity(new(resource.Quantity), "1 x"), false},
		{"no duration", ParseDuration(new(metav1.Duration), "1 x"), false},
		{"no JSON", ParseJSON(new([]string), `["a"`), false},
		{"JSON of another type", ParseJSON(new([]string), []byte(`{"a": 1}`)), false},
		{"no JSON at all", ParseJSON(new([]string), ""), true},
		{"a separator in an element", Join(new(string), []string{"a,b"}, ","), false},
	} {
		if (tc.err == nil) != tc.fits {
			t.Errorf("%s: %v", tc.name, tc.err)
		}
	}
}

// TestText checks that written text can be read, and that empty text is the zero value.
func TestText(t *testing.T) {
	roundTrip(t, FormatInteger[string, int32], ParseInteger[int32, string], 0, 1, -5)
	roundTrip(t, FormatBool[string, bool], ParseBool[bool, string], true, false)
	roundTrip(t, FormatDuration[string], ParseDuration[string], metav1.Duration{}, metav1.Duration{Duration: 90 * time.Second})
	roundTrip(t, FormatIntOrString[string], ParseIntOrString[string], intstr.IntOrString{}, intstr.FromInt32(3), intstr.FromString("25%"))
	for _, text := range []string{"", "1500m", "2Gi"} {
		var q resource.Quantity
		var again string
		if err := ParseQuantity(&q, text); err != nil {
			t.Fatal(err)
		}
		if err := FormatQuantity(&again, q); err != nil || again != text {
			t.Errorf("%q becomes %q, %v", text, again, err)
		}
	}
	for _, list := range [][]string{nil, {"a"}, {"a", "b"}, {"a", "", "b"}, {"", ""}} {
		var joined string
		var split []string
		if err := Join(&joined, list, ","); err != nil {
			t.Fatal(err)
		}
		if err := Split(&split, joined, ","); err != nil || !slices.Equal(list, split) {
			t.Errorf("%q becomes %q, %v", list, split, err)
		}
	}
}

func roundTrip[T comparable](t *testing.T, format func(*string, T) error, parse func(*T, string) error, values ...T) {
	t.Helper()
	for _, v := range values {
		var text string
		var again T
		if err := format(&text, v); err != nil {
			t.Fatal(err)
		}
		if err := parse(&again, text); err != nil || again != v {
			t.Errorf("%v is written %q and read %v, %v", v, text, again, err)
		}
	}
}
