// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Whole is any integer type.
type Whole interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Pointer returns a pointer to a value.
func Pointer[T any](value T) *T { return &value }

// CopyPointer returns a pointer to a copy of what a pointer points to, or nil.
func CopyPointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return Pointer(*p)
}

// Integer converts an integer to another type. It is an error if the value does not fit.
func Integer[D, S Whole](dst *D, src S) error {
	d := D(src)
	if S(d) != src || (d < 0) != (src < 0) {
		return fmt.Errorf("%d does not fit into %T", src, d)
	}
	*dst = d
	return nil
}

// ToSeconds converts a duration to whole seconds; fractions are cut off.
func ToSeconds[D Whole](dst *D, src metav1.Duration) error {
	return Integer(dst, int64(src.Duration/time.Second))
}

// FromSeconds converts whole seconds to a duration.
func FromSeconds[S Whole](dst *metav1.Duration, src S) error {
	var seconds int64
	if err := Integer(&seconds, src); err != nil {
		return err
	}
	d := time.Duration(seconds) * time.Second
	if int64(d/time.Second) != seconds {
		return fmt.Errorf("%d seconds are more than a duration can say", src)
	}
	dst.Duration = d
	return nil
}

// FormatInteger converts an integer to text.
func FormatInteger[D ~string, S Whole](dst *D, src S) error {
	*dst = D(fmt.Sprint(src))
	return nil
}

// ParseInteger converts text to an integer. Empty text is zero.
func ParseInteger[D Whole, S ~string](dst *D, src S) error {
	if src == "" {
		return nil
	}
	if n, err := strconv.ParseInt(string(src), 10, 64); err == nil {
		return Integer(dst, n)
	}
	n, err := strconv.ParseUint(string(src), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", src)
	}
	return Integer(dst, n)
}

// FormatBool converts a bool to text.
func FormatBool[D ~string, S ~bool](dst *D, src S) error {
	*dst = D(strconv.FormatBool(bool(src)))
	return nil
}

// ParseBool converts "true" or "false" to a bool. Empty text is false.
func ParseBool[D ~bool, S ~string](dst *D, src S) error {
	switch src {
	case "", "false":
	case "true":
		*dst = true
	default:
		return fmt.Errorf("%q is neither true nor false", src)
	}
	return nil
}

// FormatQuantity converts a quantity to text. Zero is empty text.
func FormatQuantity[D ~string](dst *D, src resource.Quantity) error {
	if src.IsZero() {
		return nil
	}
	*dst = D(src.String())
	return nil
}

// ParseQuantity converts text to a quantity. Empty text is zero.
func ParseQuantity[S ~string](dst *resource.Quantity, src S) error {
	if src == "" {
		return nil
	}
	q, err := resource.ParseQuantity(string(src))
	if err != nil {
		return fmt.Errorf("%q is not a quantity: %w", src, err)
	}
	*dst = q
	return nil
}

// FormatDuration converts a duration to text. Zero is empty text.
func FormatDuration[D ~string](dst *D, src metav1.Duration) error {
	if src.Duration != 0 {
		*dst = D(src.Duration.String())
	}
	return nil
}

// ParseDuration converts text to a duration. Empty text is zero.
func ParseDuration[S ~string](dst *metav1.Duration, src S) error {
	if src == "" {
		return nil
	}
	d, err := time.ParseDuration(string(src))
	if err == nil {
		dst.Duration = d
	}
	return err
}

// FormatIntOrString converts a number or text to text. The number 0 is empty text.
func FormatIntOrString[D ~string](dst *D, src intstr.IntOrString) error {
	if src != (intstr.IntOrString{}) {
		*dst = D(src.String())
	}
	return nil
}

// ParseIntOrString converts text to a number, or else keeps it as text. Empty text is the number 0.
func ParseIntOrString[S ~string](dst *intstr.IntOrString, src S) error {
	if src != "" {
		*dst = intstr.Parse(string(src))
	}
	return nil
}

// Join converts a list to one text with separators. It is an error if an element contains the separator,
// because it could not be split again.
func Join[D, S ~string](dst *D, src []S, separator string) error {
	parts := make([]string, len(src))
	for i, s := range src {
		if strings.Contains(string(s), separator) {
			return fmt.Errorf("%q cannot be joined with %q between the elements", s, separator)
		}
		parts[i] = string(s)
	}
	*dst = D(strings.Join(parts, separator))
	return nil
}

// Split converts text with separators to a list. Empty text is a nil list.
func Split[D, S ~string](dst *[]D, src S, separator string) error {
	if src == "" {
		return nil
	}
	for part := range strings.SplitSeq(string(src), separator) {
		*dst = append(*dst, D(part))
	}
	return nil
}
