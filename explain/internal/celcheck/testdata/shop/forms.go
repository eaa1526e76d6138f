// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Forms is a validator that denies in many forms.
type Forms struct {
	Ask    func(string) error
	Client interface {
		Get(ctx context.Context, name string) error
	}
	last error
}

var (
	errSentinel = errors.New("it has no note")
	errLater    error
)

// Wrong is an error.
type Wrong struct{ Field string }

func (w *Wrong) Error() string { return w.Field }

// Text is an error, too.
type Text string

func (t Text) Error() string { return string(t) }

// ValidateCreate denies in the forms of errors.
func (v *Forms) ValidateCreate(ctx context.Context, object runtime.Object) error {
	o, ok := object.(*Order)
	if !ok {
		return fmt.Errorf("%T is no order", object) // plumbing
	}
	if _, ok := o.Labels["team"]; !ok {
		return errors.New("no team") // want: object.metadata.?labels[?'team'].hasValue()
	}
	if team, found := o.Labels["team"]; found && team == "" {
		return errors.New("an empty team") // want: !object.metadata.?labels[?'team'].hasValue() || object.metadata.?labels[?'team'].orValue("") != ""
	}
	if o.Spec.Note == "" {
		return errSentinel // want: object.spec.?note.orValue("") != ""
	}
	if o.Spec.Quantity == 7 {
		return &Wrong{Field: "quantity"} // want: object.spec.?quantity.orValue(0) != 7
	}
	if o.Spec.Quantity == 8 {
		return Text("quantity") // want: object.spec.?quantity.orValue(0) != 8
	}
	if o.Spec.Quantity == 9 {
		return fmt.Errorf("%w: quantity", errSentinel) // want: object.spec.?quantity.orValue(0) != 9
	}
	if err := v.Ask("nothing of the order"); err != nil { // want: no: v.Ask is a function value
		return fmt.Errorf("ask: %w", err)
	}
	if err := v.Client.Get(ctx, "limits"); err != nil { // want: no: Get is a method of an interface
		return err
	}
	if _, err := strconv.Atoi(o.Spec.Note); err != nil { // want: no: Atoi is code of another package
		return errors.New("the note is no number")
	}
	switch any(o.Spec.Limit).(type) {
	case nil:
		return errors.New("no limit") // want: no: it depends on the type of a value
	}
	inner := func(n int32) error {
		if n > 90 {
			return errors.New("too many") // want: object.spec.?quantity.orValue(0) <= 90
		}
		return nil
	}
	if err := inner(o.Spec.Quantity); err != nil {
		return err
	}
	var errs field.ErrorList
	each(o.Spec.Items, func(i Item) {
		if i.Count > 5 {
			errs = append(errs, field.TooMany(field.NewPath("items"), int(i.Count), 5)) // want: object.spec.?items.orValue([]).all(i, i.?count.orValue(0) <= 5)
		}
	})
	strings.Map(func(r rune) rune {
		if r == '!' {
			errs = append(errs, field.Forbidden(field.NewPath("note"), "it shouts")) // want: no: it is in a function that other code calls
		}
		return r
	}, o.Spec.Note)
	collect(o, &errs)
	if err := v.unknown(o); err != nil {
		return err
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Kind: "Order"}, o.Name, errs)
}

func (v *Forms) unknown(o *Order) error {
	if o.Spec.Quantity == 10 {
		return errLater // want: no: it returns errLater
	}
	if o.Spec.Quantity == 11 {
		return io.EOF // want: no: it returns io.EOF
	}
	if o.Spec.Quantity == 12 {
		return v.last // want: no: it returns v.last
	}
	return nil
}

func each(items []Item, do func(Item)) {
	for _, i := range items {
		do(i)
	}
}

func collect(o *Order, errs *field.ErrorList) {
	if o.Spec.Priority == high && o.Spec.Paused {
		*errs = append(*errs, field.Forbidden(field.NewPath("priority"), "it is paused")) // want: object.spec.?priority.orValue("") != 'high' || !object.spec.?paused.orValue(false)
	}
}

// ValidateUpdate denies in the forms of control flow.
func (v *Forms) ValidateUpdate(ctx context.Context, old, object runtime.Object) error {
	switch object := object.(type) {
	case *Order:
		if err := v.more(ctx, object); err != nil {
			return err
		}
		return v.changed(object)
	default:
		return errors.New("no order") // plumbing
	}
}

func (v *Forms) changed(o *Order) error {
	if err := named(o); err != nil {
		if o.Spec.Paused {
			return nil
		}
		return err
	}
	if err := short(o); err != nil && o.Spec.Paused {
		return err
	}
	if _, err := fmt.Sscan(o.Spec.Note); err == nil { // want: no: Sscan is code of another package
		return errors.New("the note is a number") // want: no: an earlier return may skip it
	}
	if o.Spec.Quantity == 30 {
		return errors.New("after a return") // want: no: an earlier return may skip it
	}
	return nil
}

func short(o *Order) error {
	if len(o.Spec.Tags) > 3 {
		return errors.New("many tags") // want: no: an earlier return may skip it
	}
	return nil
}

func named(o *Order) error {
	if o.Spec.SKU == "none" {
		return errors.New("no article") // want: no: its error does not always deny
	}
	return nil
}

func (v *Forms) more(ctx context.Context, o *Order) error {
	made := errors.New("it is made before") // want: object.spec.?quantity.orValue(0) != 20
	if o.Spec.Quantity == 20 {
		return made
	}
	if err := deny(o.Spec.Quantity == 21, errors.New("an argument")); err != nil { // want: no: it depends on wrong
		return err
	}
	if check(o.Spec.SKU) != nil {
		return errors.New("it is checked")
	}
	switch {
	case o.Spec.Paused:
		return nil
	case o.Spec.Quantity == 22:
		return field.ErrorList{field.Forbidden(field.NewPath("quantity"), "22")}.ToAggregate() // want: object.spec.?paused.orValue(false) || object.spec.?quantity.orValue(0) != 22
	}
	switch o.Spec.Priority {
	case low:
		fallthrough
	case high:
		return errors.New("it falls") // want: no: it is in a switch with fallthrough
	}
	if o.Spec.Limit != nil {
		if o.Spec.Quantity == 23 {
			return errors.Join(errors.New("one of two"), nil) // want: object.spec.?paused.orValue(false) || !has(object.spec.limit) || object.spec.?quantity.orValue(0) != 23
		}
	}
list:
	for _, item := range o.Spec.Items {
		switch item.Name {
		case "last":
			break list
		case "bad":
			return errors.New("before the last") // want: no: it is in a loop that ends early
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err() // want: no: Err is code of another package
	default:
	}
	if o.Spec.Delivery != nil {
		if o.Spec.Delivery.Carrier == "post" {
			return nil
		}
		v.last = nil
	}
	if o.Spec.Note == "late" {
		return errors.New("after a return that is nested") // want: no: an earlier return may skip it
	}
	return nil
}

func deny(wrong bool, err error) error {
	if wrong {
		return err
	}
	return nil
}

func check(sku string) error {
	if sku == "free" {
		return errors.New("nothing is free") // want: object.spec.sku != 'free'
	}
	return nil
}

// ValidateDelete forgets errors.
func (v *Forms) ValidateDelete(ctx context.Context, o *Order) error {
	_ = check(o.Spec.SKU)
	check(o.Spec.SKU)
	return nil
}
