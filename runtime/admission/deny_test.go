// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestDenialAndFailure(t *testing.T) {
	orders := schema.GroupResource{Group: "shop.example.com", Resource: "orders"}
	required := field.Required(field.NewPath("spec", "sku"), "say what")
	invalid := field.Invalid(field.NewPath("spec", "count"), -1, "must not be negative")
	invalidStatus := `Order.shop.example.com "o-1" is invalid: `
	for name, test := range map[string]struct {
		err     error
		code    int32 // 0 for a failure
		reason  metav1.StatusReason
		message string
		causes  int
	}{
		"plain":            {errors.New("no"), 403, metav1.StatusReasonForbidden, "no", 0},
		"wrapped":          {fmt.Errorf("order: %w", errors.New("no")), 403, metav1.StatusReasonForbidden, "order: no", 0},
		"field":            {required, 422, metav1.StatusReasonInvalid, invalidStatus + "spec.sku: Required value: say what", 1},
		"wrapped field":    {fmt.Errorf("order: %w", required), 422, metav1.StatusReasonInvalid, "order: spec.sku: Required value: say what", 1},
		"joined fields":    {errors.Join(required, nil, invalid), 422, metav1.StatusReasonInvalid, invalidStatus + "[spec.sku: Required value: say what, spec.count: Invalid value: -1: must not be negative]", 2},
		"list":             {field.ErrorList{required, invalid}.ToAggregate(), 422, metav1.StatusReasonInvalid, invalidStatus, 2},
		"nested":           {errors.Join(required, utilerrors.NewAggregate([]error{invalid, errors.New("no")})), 422, metav1.StatusReasonInvalid, "spec.sku: Required value: say what; [spec.count", 2},
		"status":           {apierrors.NewConflict(orders, "o-1", errors.New("taken")), 409, metav1.StatusReasonConflict, "taken", 0},
		"wrapped status":   {fmt.Errorf("x: %w", apierrors.NewNotFound(orders, "o-2")), 404, metav1.StatusReasonNotFound, `orders.shop.example.com "o-2" not found`, 0},
		"refused":          {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 403, metav1.StatusReasonForbidden, "dial: connection refused", 0},
		"joined with one":  {errors.Join(errors.New("no"), context.DeadlineExceeded), 403, metav1.StatusReasonForbidden, "no\ncontext deadline exceeded", 0},
		"joined statuses":  {errors.Join(apierrors.NewServiceUnavailable("down"), apierrors.NewConflict(orders, "o-1", errors.New("taken"))), 409, metav1.StatusReasonConflict, "taken", 0},
		"panic":            {&PanicError{Value: "x"}, 500, metav1.StatusReasonInternalError, "panic: x", 0},
		"joined panic":     {errors.Join(context.Canceled, &PanicError{Value: "x"}), 500, metav1.StatusReasonInternalError, "panic: x", 0},
		"field and status": {errors.Join(required, apierrors.NewInternalError(errors.New("x"))), 422, metav1.StatusReasonInvalid, "spec.sku", 1},

		"failure":          {Failure(errors.New("x")), 0, "", "x", 0},
		"wrapped failure":  {fmt.Errorf("y: %w", Failure(required)), 0, "", "", 0},
		"deadline":         {fmt.Errorf("look up: %w", context.DeadlineExceeded), 0, "", "", 0},
		"cancelled":        {fmt.Errorf("look up: %w", context.Canceled), 0, "", "", 0},
		"os deadline":      {fmt.Errorf("read: %w", os.ErrDeadlineExceeded), 0, "", "", 0},
		"net timeout":      {&url.Error{Op: "Get", URL: "x", Err: &net.DNSError{IsTimeout: true}}, 0, "", "", 0},
		"server error":     {apierrors.NewInternalError(errors.New("etcd")), 0, "", "", 0},
		"unavailable":      {fmt.Errorf("list: %w", apierrors.NewServiceUnavailable("down")), 0, "", "", 0},
		"too many":         {apierrors.NewTooManyRequests("later", 1), 0, "", "", 0},
		"server timeout":   {apierrors.NewTimeoutError("x", 1), 0, "", "", 0},
		"joined failures":  {errors.Join(context.Canceled, Failure(errors.New("x"))), 0, "", "", 0},
		"marked panic":     {Failure(&PanicError{Value: "x"}), 0, "", "", 0},
		"failed aggregate": {utilerrors.NewAggregate([]error{context.Canceled}), 0, "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := isFailure(test.err), test.code == 0; got != want {
				t.Fatalf("a failure is %v, want %v", got, want)
			}
			if test.code == 0 {
				return
			}
			got := denial(test.err, metav1.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Order"}, "o-1")
			causes := 0
			if got.Details != nil {
				causes = len(got.Details.Causes)
			}
			if got.Code != test.code || got.Reason != test.reason || got.Status != metav1.StatusFailure ||
				!strings.Contains(got.Message, test.message) || causes != test.causes {
				t.Errorf("%+v", got)
			}
		})
	}
	if Failure(nil) != nil {
		t.Error("Failure(nil) is an error")
	}
}

// tags has the form of controller-runtime's Warnings.
type tags []string

type oldValidator struct{ err error }

func (v oldValidator) ValidateCreate(context.Context, *lists) (tags, error) {
	return tags{"careful"}, v.err
}

func (v oldValidator) ValidateUpdate(_ context.Context, old, object *lists) (tags, error) {
	if old.Words[0] != "old" || object.Words[0] != "new" {
		return nil, errors.New("mixed up")
	}
	return nil, v.err
}

func (v oldValidator) ValidateDelete(_ context.Context, object *lists) (tags, error) {
	return object.Words, v.err
}

type oldDefaulter struct{ err error }

func (d oldDefaulter) Default(ctx context.Context, object *lists) error {
	name, _ := ctx.Value(oldDefaulter{}).(string)
	object.Words = append(object.Words, name)
	return d.err
}

func TestAdapters(t *testing.T) {
	type validator interface {
		ValidateCreate(context.Context, *CreateRequest[lists]) error
		ValidateUpdate(context.Context, *UpdateRequest[lists]) error
		ValidateDelete(context.Context, *DeleteRequest[lists]) error
	}
	for name, test := range map[string]struct {
		err  error
		code int32
	}{
		"allowed":        {nil, 0},
		"plain":          {errors.New("no"), http.StatusForbidden},
		"field":          {field.Required(field.NewPath("a"), ""), http.StatusForbidden},
		"context":        {context.Canceled, http.StatusForbidden},
		"status":         {apierrors.NewConflict(schema.GroupResource{}, "", errors.New("x")), http.StatusConflict},
		"server error":   {apierrors.NewInternalError(errors.New("x")), http.StatusInternalServerError},
		"marked failure": {Failure(errors.New("x")), -1},
	} {
		t.Run(name, func(t *testing.T) {
			var v validator = AdaptValidator(oldValidator{test.err})
			h := Validating("old.example.com", OnCreate(v.ValidateCreate), OnUpdate(v.ValidateUpdate), OnDelete(v.ValidateDelete))
			for _, body := range []string{
				reviewOf(Create, `{"words":["new"]}`, ""),
				reviewOf(Update, `{"words":["new"]}`, `{"words":["old"]}`),
				reviewOf(Delete, "", `{"words":["old"]}`),
			} {
				if test.code < 0 {
					if w := ask(h, body); w.Code != http.StatusInternalServerError {
						t.Errorf("HTTP %d", w.Code)
					}
					continue
				}
				got := verdictOf(t, h, body).Response
				if got.Allowed != (test.err == nil) || test.err != nil && got.Result.Code != test.code {
					t.Errorf("%+v", got)
				}
			}
			if test.code >= 0 {
				if got := verdictOf(t, h, reviewOf(Create, `{}`, "")).Response.Warnings; len(got) != 1 || got[0] != "careful" {
					t.Errorf("warnings %q", got)
				}
			}
		})
	}
}

func TestAdaptDefaulterWithRequest(t *testing.T) {
	d := AdaptDefaulter(oldDefaulter{}, WithRequest(func(ctx context.Context, r admissionv1.AdmissionRequest) context.Context {
		return context.WithValue(ctx, oldDefaulter{}, r.Name+string(r.Object.Raw))
	}))
	h := Mutating("old.example.com", OnCreate(d.DefaultCreate), OnUpdate(d.DefaultUpdate))
	for _, body := range []string{reviewOf(Create, `{"x":1}`, ""), reviewOf(Update, `{"x":1}`, `{"x":1}`)} {
		if got, want := string(verdictOf(t, h, body).Response.Patch), `[{"op":"add","path":"/words","value":["web{\"x\":1}"]}]`; got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}
