// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// answers answers as an API server may. integration asks a real one.
type answers func(*authorizationv1.SubjectAccessReview) (*authorizationv1.SubjectAccessReview, error)

func (a answers) Create(_ context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	return a(r)
}

func status(s authorizationv1.SubjectAccessReviewStatus) answers {
	return func(r *authorizationv1.SubjectAccessReview) (*authorizationv1.SubjectAccessReview, error) {
		r.Status = s
		return r, nil
	}
}

func request() *admission.Request {
	return &admission.Request{UserInfo: authenticationv1.UserInfo{
		Username: "jane", UID: "1", Groups: []string{"shop", "system:authenticated"},
		Extra: map[string]authenticationv1.ExtraValue{"scopes": {"a", "b"}, "authentication.kubernetes.io/node-name": {"n"}},
	}}
}

var approve = authorizationv1.ResourceAttributes{Verb: "approve", Group: "shop.example.com", Resource: "orders", Namespace: "default", Name: "web"}

// TestRequire has the answer to a request for each answer of the API server.
func TestRequire(t *testing.T) {
	refused := func(err error) answers {
		return func(*authorizationv1.SubjectAccessReview) (*authorizationv1.SubjectAccessReview, error) {
			return nil, err
		}
	}
	kind := schema.GroupKind{Group: "authorization.k8s.io", Kind: "SubjectAccessReview"}
	for name, c := range map[string]struct {
		client  Client
		request *admission.Request
		code    int32 // 0 is allowed
		message string
	}{
		"allowed":          {status(authorizationv1.SubjectAccessReviewStatus{Allowed: true}), request(), 0, ""},
		"no opinion":       {status(authorizationv1.SubjectAccessReviewStatus{}), request(), 403, `orders.shop.example.com "web" is forbidden: User "jane" cannot approve resource "orders" in API group "shop.example.com" in the namespace "default"`},
		"denied":           {status(authorizationv1.SubjectAccessReviewStatus{Allowed: true, Denied: true, Reason: "never"}), request(), 403, ": never"},
		"evaluation error": {status(authorizationv1.SubjectAccessReviewStatus{EvaluationError: "no role"}), request(), 403, "cannot approve"},
		"no answer":        {refused(nil), request(), 500, "no answer"},
		"connection":       {refused(errors.New("connection refused")), request(), 500, "connection refused"},
		"not permitted":    {refused(apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no"))), request(), 500, "forbidden"},
		"too many":         {refused(apierrors.NewTooManyRequestsError("later")), request(), 500, "later"},
		"invalid":          {refused(apierrors.NewInvalid(kind, "", nil)), request(), 403, "cannot review"},
		"no request":       {status(authorizationv1.SubjectAccessReviewStatus{Allowed: true}), nil, 403, "no user"},
		"no user":          {status(authorizationv1.SubjectAccessReviewStatus{Allowed: true}), &admission.Request{}, 403, "no user"},
		"no client":        {nil, request(), 403, "no client"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Of(c.request, c.client).Require(t.Context(), approve)
			if c.code == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("allowed")
			}
			if got := request().Status(err); got.Code != c.code {
				t.Errorf("%v is answered with %d, want %d", err, got.Code, c.code)
			}
			if !strings.Contains(err.Error(), c.message) {
				t.Errorf("%q lacks %q", err, c.message)
			}
		})
	}
	var nobody *User
	if allowed, _, err := nobody.Allowed(t.Context(), approve); allowed || err == nil {
		t.Errorf("a nil User: %t %v", allowed, err)
	}
}

// TestReview compares the review with the user.
func TestReview(t *testing.T) {
	var got *authorizationv1.SubjectAccessReview
	client := answers(func(r *authorizationv1.SubjectAccessReview) (*authorizationv1.SubjectAccessReview, error) {
		got = r
		return r, nil
	})
	if _, _, err := Of(request(), client).Allowed(t.Context(), approve); err != nil {
		t.Fatal(err)
	}
	want := authorizationv1.SubjectAccessReviewSpec{
		ResourceAttributes: &approve, User: "jane", UID: "1", Groups: []string{"shop", "system:authenticated"},
		Extra: map[string]authorizationv1.ExtraValue{"scopes": {"a", "b"}, "authentication.kubernetes.io/node-name": {"n"}},
	}
	if !reflect.DeepEqual(got.Spec, want) {
		t.Errorf("got %+v, want %+v", got.Spec, want)
	}
}

// TestAskedOnce counts the reviews of a request.
func TestAskedOnce(t *testing.T) {
	var asked atomic.Int32
	fails := true
	client := answers(func(r *authorizationv1.SubjectAccessReview) (*authorizationv1.SubjectAccessReview, error) {
		asked.Add(1)
		if fails {
			return nil, errors.New("not now")
		}
		r.Status.Allowed = r.Spec.ResourceAttributes.Verb == "approve"
		return r, nil
	})
	user := Of(request(), client)
	if _, _, err := user.Allowed(t.Context(), approve); err == nil {
		t.Fatal("no error")
	}
	fails = false // an error is not kept
	for range 3 {
		if allowed, _, err := user.Allowed(t.Context(), approve); err != nil || !allowed {
			t.Fatalf("%t %v", allowed, err)
		}
	}
	other := approve
	other.Verb = "refuse"
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			if allowed, _, err := user.Allowed(t.Context(), other); err != nil || allowed {
				t.Errorf("%t %v", allowed, err)
			}
			if allowed, _, err := user.Allowed(t.Context(), approve); err != nil || !allowed {
				t.Errorf("%t %v", allowed, err)
			}
		}()
	}
	all.Wait()
	if n := asked.Load(); n < 3 || n > 2+8 {
		t.Errorf("asked %d times: once without an answer, once for approve, and until there is an answer for refuse", n)
	}
	before := asked.Load()
	if _, _, err := Of(request(), client).Allowed(t.Context(), approve); err != nil || asked.Load() != before+1 {
		t.Errorf("another request asks %d times, %v", asked.Load()-before, err)
	}
}

// TestHandler has a validator answer as it requires.
func TestHandler(t *testing.T) {
	for code, client := range map[int]Client{
		http.StatusOK: status(authorizationv1.SubjectAccessReviewStatus{}),
		http.StatusInternalServerError: answers(func(*authorizationv1.SubjectAccessReview) (*authorizationv1.SubjectAccessReview, error) {
			return nil, errors.New("down")
		}),
	} {
		handler := admission.Validating("orders.example.com", admission.On(admission.Create, func(ctx context.Context, r *admission.RawRequest) error {
			return Of(&r.Request, client).Require(ctx, approve)
		}))
		body := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE","object":{},"userInfo":{"username":"jane"}}}`
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		if recorder.Code != code || strings.Contains(recorder.Body.String(), `"allowed":true`) {
			t.Errorf("%d, want %d: %s", recorder.Code, code, recorder.Body)
		}
	}
}
