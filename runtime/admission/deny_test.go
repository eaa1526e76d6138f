// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
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
			got := denial(test.err, metav1.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Order"}, "o-1", false)
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

func TestDeny(t *testing.T) {
	gone := apierrors.NewGone("no more").Status()
	unavailable := apierrors.NewServiceUnavailable("the shop is closed").Status()
	if Deny(nil, gone) != nil {
		t.Error("Deny(nil, status) is an error")
	}
	required := field.Required(field.NewPath("words"), "say something")
	invalid := denial(required, metav1.GroupVersionKind{Kind: "Pod"}, "web", false)
	for name, test := range map[string]struct {
		err     error
		options []Option
		want    metav1.Status
	}{
		"status":      {Deny(errors.New("x"), gone), nil, gone},
		"5xx":         {Deny(context.DeadlineExceeded, unavailable), nil, unavailable},
		"wrapped":     {fmt.Errorf("asked: %w", Deny(required, gone)), nil, gone},
		"forbidden":   {required, []Option{ForbidInvalid()}, forbidden(required)},
		"named":       {required, []Option{ForbidInvalid("others.example.com", "words.example.com")}, forbidden(required)},
		"other named": {required, []Option{ForbidInvalid("others.example.com")}, invalid},
		"own status":  {&apierrors.StatusError{ErrStatus: gone}, []Option{ForbidInvalid()}, gone},
		"plain error": {errors.New("no"), []Option{ForbidInvalid()}, forbidden(errors.New("no"))},
	} {
		t.Run(name, func(t *testing.T) {
			h := Validating("words.example.com", OnCreate(func(context.Context, *CreateRequest[lists]) error { return test.err })).With(test.options...)
			got := verdictOf(t, h, reviewOf(Create, `{}`, "")).Response
			if got.Allowed || got.Result.Code != test.want.Code || got.Result.Reason != test.want.Reason || got.Result.Message != test.want.Message {
				t.Errorf("got %+v, want %+v", got.Result, test.want)
			}
		})
	}
}

func TestNewRequest(t *testing.T) {
	var kept Request
	h := Validating("words.example.com", OnUpdate(func(_ context.Context, r *UpdateRequest[lists]) error {
		sent := r.AdmissionRequest()
		request := NewRequest(sent)
		if again := request.AdmissionRequest(); !reflect.DeepEqual(again, sent) {
			t.Errorf("\n got %+v\nwant %+v", again, sent)
		}
		kept = r.Request
		request.envelope, request.sent, kept.envelope = nil, nil, nil
		if !reflect.DeepEqual(request, kept) {
			t.Errorf("\n got %+v\nwant %+v", request, kept)
		}
		return nil
	}))
	verdictOf(t, h, reviewOf(Update, `{"words":["new"]}`, `{"words":["old"]}`))
	if kept.Name == "" || kept.UserInfo.Username == "" || kept.RequestKind.Kind == "" {
		t.Errorf("%+v", kept)
	}
	for err, want := range map[error]int32{
		errors.New("no"): http.StatusForbidden,
		field.Required(field.NewPath("words"), ""): http.StatusUnprocessableEntity,
		Failure(errors.New("no answer")):           http.StatusInternalServerError,
		apierrors.NewGone("no more"):               http.StatusGone,
	} {
		if got := kept.Status(err); got.Code != want {
			t.Errorf("%v: got %+v, want %d", err, got, want)
		}
	}
}

// TestLongDenials denies with random field errors, whose values and details have any size. A user sees the field, the
// beginning of the value and the detail, and the denial keeps its bounds.
func TestLongDenials(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	text := func(most int) string {
		var out strings.Builder
		for n := random.IntN(1 + most>>random.IntN(8)); out.Len() < n; {
			out.WriteString([]string{"a", "Z", " ", "ä", "…", "\n", `"`, ": ", "😀"}[random.IntN(9)])
		}
		return out.String()
	}
	kind := metav1.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Order"}
	const wholeDetail = longCause * 3 / 4
	for i := range 600 {
		name := text(300)
		list := make(field.ErrorList, 1+random.IntN([]int{1, 4, 100}[random.IntN(3)]))
		for i := range list {
			e := &field.Error{Field: "spec." + text(400), Detail: text([]int{100, wholeDetail, 4000}[random.IntN(3)])}
			e.Type = []field.ErrorType{field.ErrorTypeInvalid, field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeForbidden, field.ErrorTypeDuplicate}[random.IntN(5)]
			value := text([]int{10, 1000, 20_000}[random.IntN(3)])
			e.BadValue = []any{value, &value, struct{ Text string }{value}, len(value), nil}[random.IntN(5)]
			list[i] = e
		}
		got := bounded(denial(list.ToAggregate(), kind, name, false))
		same := apierrors.NewInvalid(schema.GroupKind{Group: kind.Group, Kind: kind.Kind}, name, list).Status()
		if len(list) == 1 && len(list[0].Field) <= 256 && len(list[0].ErrorBody()) <= longCause && !reflect.DeepEqual(got, same) {
			t.Fatalf("%d: got %+v\nwant %+v", i, got, same)
		}
		first := wire.ShortPath(list[0].Field) + ": " + got.Details.Causes[0].Message
		if len(got.Message) > longMessage+longCause || !utf8.ValidString(got.Message) || !strings.Contains(got.Message, first) {
			t.Fatalf("%d: a message of %d bytes: %q\nwant %q in it", i, len(got.Message), got.Message, first)
		}
		unique := list.ToAggregate().Errors() // which has each text once
		if want := min(len(unique), mostCauses); len(got.Details.Causes) != want {
			t.Fatalf("%d: %d causes, want %d", i, len(got.Details.Causes), want)
		}
		missing := 0
		if _, after, ok := strings.Cut(got.Message[max(0, len(got.Message)-30):], ", and "); ok {
			fmt.Sscanf(after, "%d more errors", &missing)
		}
		for j, cause := range got.Details.Causes {
			text := cause.Field + ": " + cause.Message
			if n := len(unique) - missing; j < n && !strings.Contains(got.Message, text) || j == n && len(got.Message)+len(text) < longMessage {
				t.Fatalf("%d: a message of %d bytes with %d of %d errors: %q\nerror %d is %q", i, len(got.Message), n, len(unique), got.Message, j, text)
			}
			e := unique[j].(*field.Error)
			body := e.ErrorBody()
			switch {
			case len(cause.Message) > longCause || !utf8.ValidString(cause.Message) || cause.Field != wire.ShortPath(e.Field):
			case len(body) <= longCause && cause.Message != body:
			case len(e.Detail) <= wholeDetail && !strings.HasSuffix(cause.Message, e.Detail):
			case !strings.HasPrefix(body, wire.Head(longCause/4-8, cause.Message)):
			default:
				continue
			}
			t.Fatalf("%d: a cause of %d bytes: %+v, for %q with the detail %q", i, len(cause.Message), cause, body, e.Detail)
		}
		// Where the texts of errors count, each has its detail.
		few := unique[:min(len(unique), longMessage/longCause/2)]
		for _, text := range []string{
			bounded(denial(utilerrors.NewAggregate(few), kind, name, true)).Message,
			bounded(denial(errors.Join(append(few[:len(few):len(few)], errors.New("no"))...), kind, name, false)).Message,
			(&failedError{"orders.example.com", Failure(errors.Join(few...))}).Error(),
		} {
			if len(text) > longMessage+longCause || !utf8.ValidString(text) {
				t.Fatalf("%d: a message of %d bytes: %q", i, len(text), text)
			}
			for _, one := range few {
				if e := one.(*field.Error); len(e.Detail) <= longCause/4 && !strings.Contains(text, strings.ReplaceAll(e.Detail, "\n", "; ")) && !strings.Contains(text, e.Detail) {
					t.Fatalf("%d: no detail %q in %q", i, e.Detail, text)
				}
			}
		}
	}
}
