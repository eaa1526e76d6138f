// SPDX-License-Identifier: Apache-2.0

// Package shop has validators whose checks CEL can say, and others.
package shop

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Order is a kind.
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec OrderSpec `json:"spec"`
}

// DeepCopyObject makes an object of an order.
func (o *Order) DeepCopyObject() runtime.Object { return &Order{o.TypeMeta, o.ObjectMeta, o.Spec} }

// OrderSpec is what is ordered.
type OrderSpec struct {
	SKU      string    `json:"sku"`
	Quantity int32     `json:"quantity,omitempty"`
	Limit    *int32    `json:"limit,omitempty"`
	Priority string    `json:"priority,omitempty"`
	Note     string    `json:"note,omitempty"`
	Paused   bool      `json:"paused,omitempty"`
	Items    []Item    `json:"items,omitempty"`
	Delivery *Delivery `json:"delivery,omitempty"`
	Tags     []string  `json:"tags,omitempty"`
	// Comment may be missing in YAML. A Go client sends it always.
	// +optional
	Comment string `json:"comment"`
	// Weight may be null.
	// +optional
	// +nullable
	Weight *int32 `json:"weight"`
	// Colors may be null, and Go knows no difference to an empty list.
	// +optional
	// +nullable
	Colors []string `json:"colors"`
}

// Item is an element of a list.
type Item struct {
	Name  string `json:"name"`
	Count int32  `json:"count,omitempty"`
}

// Delivery is a struct behind a pointer.
type Delivery struct {
	Address string `json:"address"`
	Carrier string `json:"carrier,omitempty"`
	// +nullable
	Hour *int32 `json:"hour,omitempty"`
}

const (
	low  = "low"
	high = "high"
)

var word = regexp.MustCompile(`^[a-z]\w*$`)

// OrderValidator is a validator of controller-runtime's form.
type OrderValidator struct{ Ask func(string) error }

// ValidateCreate checks a new order.
func (v *OrderValidator) ValidateCreate(ctx context.Context, o *Order) ([]string, error) {
	if o.Labels["team"] == "" {
		return nil, errors.New("the label team is missing") // want: object.metadata.?labels[?'team'].orValue("") != ""
	}
	if len(o.Annotations) > 2 {
		return nil, fmt.Errorf("%d annotations", len(o.Annotations)) // want: size(object.metadata.?annotations.orValue({})) <= 2
	}
	if err := v.Ask(o.Spec.SKU); err != nil { // want: no: v.Ask is a function value
		return nil, fmt.Errorf("ask: %w", err)
	}
	if err := atMost[int32](o.Spec.Quantity, 1e6); err != nil {
		return nil, err
	}
	return nil, validate(&o.Spec, field.NewPath("spec")).ToAggregate()
}

func atMost[T int32 | int64](n, limit T) error {
	if n > limit {
		return errors.New("too many") // want: no: it depends on n
	}
	return nil
}

// ValidateUpdate checks a changed order.
func (v *OrderValidator) ValidateUpdate(ctx context.Context, old, o *Order) ([]string, error) {
	if old.Spec.SKU != o.Spec.SKU {
		return nil, field.Forbidden(field.NewPath("spec", "sku"), "cannot change") // want: oldObject.spec.sku == object.spec.sku
	}
	if !reflect.DeepEqual(o.Spec.Items, old.Spec.Items) {
		return nil, errors.New("items stay") // want: object.spec.?items == oldObject.spec.?items
	}
	return nil, validate(&o.Spec, field.NewPath("spec")).ToAggregate()
}

// ValidateDelete checks nothing.
func (v *OrderValidator) ValidateDelete(ctx context.Context, o *Order) ([]string, error) {
	return nil, nil
}

func validate(spec *OrderSpec, path *field.Path) (errs field.ErrorList) {
	if spec.Quantity < 1 || spec.Quantity > 100 {
		errs = append(errs, field.Invalid(path.Child("quantity"), spec.Quantity, "must be 1 to 100")) // want: object.spec.?quantity.orValue(0) >= 1 && object.spec.?quantity.orValue(0) <= 100
	}
	if spec.Limit != nil && *spec.Limit < spec.Quantity {
		errs = append(errs, field.Invalid(path.Child("limit"), *spec.Limit, "must be the quantity at least")) // want: !has(object.spec.limit) || object.spec.limit >= object.spec.?quantity.orValue(0)
	}
	switch spec.Priority {
	case "", low, high:
	default:
		errs = append(errs, field.NotSupported(path.Child("priority"), spec.Priority, []string{low, high})) // want: object.spec.?priority.orValue("") in ["", 'low', 'high']
	}
	if !word.MatchString(spec.SKU) {
		errs = append(errs, field.Invalid(path.Child("sku"), spec.SKU, "must be a word")) // want: object.spec.sku.matches(r'^[a-z]\w*$')
	}
	if len(spec.Note) > 10 {
		errs = append(errs, field.TooLong(path.Child("note"), spec.Note, 10)) // want: no: it depends on len(spec.Note)
	}
	if len(spec.Items) == 0 && !spec.Paused {
		errs = append(errs, field.Required(path.Child("items"), "at least one")) // want: size(object.spec.?items.orValue([])) != 0 || object.spec.?paused.orValue(false)
	}
	for i, item := range spec.Items {
		if item.Count < 0 || strings.HasPrefix(item.Name, "x-") {
			errs = append(errs, field.Invalid(path.Child("items").Index(i), item.Count, "is not for sale")) // want: object.spec.?items.orValue([]).all(item, item.?count.orValue(0) >= 0 && !item.name.startsWith('x-'))
		}
	}
	if spec.Paused {
		if spec.Priority == high {
			return append(errs, field.Forbidden(path.Child("priority"), "it is paused")) // want: !object.spec.?paused.orValue(false) || object.spec.?priority.orValue("") != 'high'
		}
		return errs
	}
	if slices.Contains(spec.Tags, "secret") {
		errs = append(errs, field.Forbidden(path.Child("tags"), "no secrets")) // want: object.spec.?paused.orValue(false) || !('secret' in object.spec.?tags.orValue([]))
	}
	seen := map[string]bool{}
	for _, item := range spec.Items {
		if seen[item.Name] {
			errs = append(errs, field.Duplicate(path.Child("items"), item.Name)) // want: no: it depends on seen[item.Name]
		}
		seen[item.Name] = true
	}
	if spec.Comment == "rude" {
		errs = append(errs, field.Forbidden(path.Child("comment"), "be polite")) // want: object.spec.?paused.orValue(false) || object.spec.?comment.orValue("") != 'rude'
	}
	if spec.Weight != nil && *spec.Weight > 50 {
		errs = append(errs, field.Invalid(path.Child("weight"), *spec.Weight, "at most 50")) // want: object.spec.?paused.orValue(false) || !has(object.spec.weight) || object.spec.weight == null || object.spec.weight <= 50
	}
	if spec.Delivery != nil && spec.Delivery.Hour != nil && *spec.Delivery.Hour > 22 {
		errs = append(errs, field.Invalid(path.Child("delivery", "hour"), *spec.Delivery.Hour, "at most 22")) // want: object.spec.?paused.orValue(false) || !has(object.spec.delivery) || !object.spec.?delivery.?hour.hasValue() || object.spec.delivery.hour == null || object.spec.?delivery.?hour.orValue(0) <= 22
	}
	if len(spec.Colors) > 100 {
		errs = append(errs, field.TooMany(path.Child("colors"), len(spec.Colors), 100)) // want: no: it depends on len(spec.Colors)
	}
	return append(errs, delivered(spec.Delivery, path.Child("delivery"))...)
}

func delivered(d *Delivery, path *field.Path) field.ErrorList {
	if d == nil {
		return nil
	}
	if d.Address == "" {
		return field.ErrorList{field.Required(path.Child("address"), "where to")} // want: object.spec.?paused.orValue(false) || !has(object.spec.delivery) || object.spec.?delivery.?address.orValue("") != ""
	}
	if d.Carrier == "pigeon" && len(d.Address) > 0 {
		return field.ErrorList{field.Invalid(path.Child("carrier"), d.Carrier, "is too slow")} // want: object.spec.?paused.orValue(false) || !has(object.spec.delivery) || object.spec.?delivery.?carrier.orValue("") != 'pigeon' || object.spec.?delivery.?address.orValue("") == ""
	}
	return nil
}
