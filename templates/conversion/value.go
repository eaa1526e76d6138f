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

// Whole is any whole number.
type Whole interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Integer converts a whole number to another width. One that does not fit is an error.
func Integer[D, S Whole](dst *D, src S) error {
	d := D(src)
	if S(d) != src || (d < 0) != (src < 0) {
		return fmt.Errorf("%d does not fit into %T", src, d)
	}
	*dst = d
	return nil
}

// ToSeconds converts a duration to whole seconds; what is less than one is cut off.
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

// FormatInteger writes a whole number as text.
func FormatInteger[D ~string, S Whole](dst *D, src S) error {
	*dst = D(fmt.Sprint(src))
	return nil
}

// ParseInteger reads a whole number. No text is zero.
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

// FormatBool writes a truth value as text.
func FormatBool[D ~string, S ~bool](dst *D, src S) error {
	*dst = D(strconv.FormatBool(bool(src)))
	return nil
}

// ParseBool reads "true" or "false". No text is false.
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

// FormatQuantity writes a quantity as text; zero is no text.
func FormatQuantity[D ~string](dst *D, src resource.Quantity) error {
	if src.IsZero() {
		return nil
	}
	*dst = D(src.String())
	return nil
}

// ParseQuantity reads a quantity. No text is zero.
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

// FormatDuration writes a duration as text; zero is no text.
func FormatDuration[D ~string](dst *D, src metav1.Duration) error {
	if src.Duration != 0 {
		*dst = D(src.Duration.String())
	}
	return nil
}

// ParseDuration reads a duration. No text is zero.
func ParseDuration[S ~string](dst *metav1.Duration, src S) error {
	if src == "" {
		return nil
	}
	d, err := time.ParseDuration(string(src))
	dst.Duration = d
	return err
}

// FormatIntOrString writes a number or text as text; the number 0 is no text.
func FormatIntOrString[D ~string](dst *D, src intstr.IntOrString) error {
	if src != (intstr.IntOrString{}) {
		*dst = D(src.String())
	}
	return nil
}

// ParseIntOrString reads a number, or else text. No text is the number 0.
func ParseIntOrString[S ~string](dst *intstr.IntOrString, src S) error {
	if src != "" {
		*dst = intstr.Parse(string(src))
	}
	return nil
}

// Join writes a list as one text with separators. An element that holds the separator is an error: it
// could not be read back.
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

// Split reads a list from one text with separators. No text is no list.
func Split[D, S ~string](dst *[]D, src S, separator string) error {
	if src == "" {
		return nil
	}
	for part := range strings.SplitSeq(string(src), separator) {
		*dst = append(*dst, D(part))
	}
	return nil
}
