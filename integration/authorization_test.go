// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/authorization"
)

// reviewed records the SubjectAccessReviews that a client sends to the API server.
type reviewed struct {
	mu  sync.Mutex
	all []authorizationv1.SubjectAccessReviewSpec
}

// wrap records the requests of a client.
func (r *reviewed) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		text, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		request.Body = io.NopCloser(bytes.NewReader(text))
		var review authorizationv1.SubjectAccessReview
		if err := json.Unmarshal(text, &review); err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.all = append(r.all, review.Spec)
		r.mu.Unlock()
		return next.RoundTrip(request)
	})
}

// take returns the reviews since the last call.
func (r *reviewed) take() []authorizationv1.SubjectAccessReviewSpec {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAuthorization has a validator ask the API server whether users may approve a ConfigMap. A group has the right by
// RBAC. The review has the whole user, and there is one for each request. Without an answer, the API server refuses the
// request.
func TestAuthorization(t *testing.T) {
	e := onAPIServer(t)
	ctx := t.Context()
	const name = "authorization-integration"
	sent := &reviewed{}
	asking := rest.CopyConfig(e.config)
	asking.ContentType = "application/json"
	asking.Wrap(sent.wrap)
	permitted, err := kubernetes.NewForConfig(asking)
	if err != nil {
		t.Fatal(err)
	}
	asking.Impersonate.UserName = "system:serviceaccount:default:without-rights"
	unpermitted, err := kubernetes.NewForConfig(asking)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var last authenticationv1.UserInfo
	mux := http.NewServeMux()
	for path, asked := range map[string]authorization.Client{
		"/permitted":   permitted.AuthorizationV1().SubjectAccessReviews(),
		"/unpermitted": unpermitted.AuthorizationV1().SubjectAccessReviews(),
	} {
		mux.Handle(path, admission.Validating("approve.example.com", admission.OnCreate(func(ctx context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
			mu.Lock()
			last = r.UserInfo
			mu.Unlock()
			user := authorization.Of(&r.Request, asked)
			approve := authorizationv1.ResourceAttributes{Verb: "approve", Group: "shop.example.com", Resource: "orders", Namespace: r.Namespace, Name: r.Name}
			if _, _, err := user.Allowed(ctx, approve); err != nil {
				return err
			}
			return user.Require(ctx, approve)
		})))
	}
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	create := func(o client.Object) {
		t.Helper()
		if err := e.client.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.client.Delete(context.Background(), o) })
	}
	for _, path := range []string{"/permitted", "/unpermitted"} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name + strings.ReplaceAll(path, "/", "-")}}
		create(namespace)
		url, none, fail := server.URL+path, admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail
		create(&admissionregistrationv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: namespace.Name},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{
				Name: "approve.example.com", SideEffects: &none, FailurePolicy: &fail, AdmissionReviewVersions: []string{"v1"},
				ClientConfig:      admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: ca},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace.Name}},
				ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{"approve": "yes"}},
				Rules: []admissionregistrationv1.RuleWithOperations{{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
				}},
			}},
		})
		role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "writers"}
		create(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: role.Name, Namespace: namespace.Name}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"create"}},
		}})
		create(&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name, Namespace: namespace.Name}, RoleRef: role,
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "writers"}}})
	}
	const namespace = name + "-permitted"
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "approvers"}
	create(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: role.Name, Namespace: namespace}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"shop.example.com"}, Resources: []string{"orders"}, ResourceNames: []string{"web"}, Verbs: []string{"approve"}},
	}})
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name, Namespace: namespace}, RoleRef: role,
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "approvers"}}}
	create(binding)

	// as creates a ConfigMap as a user of groups.
	as := func(in, name string, groups ...string) error {
		config := rest.CopyConfig(e.config)
		config.Impersonate = rest.ImpersonationConfig{UserName: "jane", UID: "jane-1", Groups: append(groups, "writers"),
			Extra: map[string][]string{"example.com/scopes": {"read", "approve"}, "team": {"shop"}}}
		c, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: in, Labels: map[string]string{"approve": "yes"}}}, client.DryRunAll)
	}
	// until repeats a request while the API server has not taken in the objects above.
	until := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	until("an approver is not allowed", func() bool {
		sent.take()
		err := as(namespace, "web", "approvers")
		mu.Lock()
		defer mu.Unlock()
		return err == nil && last.Username == "jane"
	})
	got := sent.take()
	mu.Lock()
	user := last
	mu.Unlock()
	extra := map[string]authorizationv1.ExtraValue{}
	for key, values := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(values)
	}
	if len(got) != 1 || got[0].User != "jane" || got[0].UID != "jane-1" || !reflect.DeepEqual(got[0].Groups, user.Groups) ||
		!reflect.DeepEqual(got[0].Extra, extra) || !reflect.DeepEqual(extra["example.com/scopes"], authorizationv1.ExtraValue{"read", "approve"}) || len(extra) < 2 {
		t.Errorf("the user %+v is asked about with %+v", user, got)
	}
	for _, c := range []struct {
		name   string
		groups []string
	}{{"other", []string{"approvers"}}, {"web", nil}} {
		err := as(namespace, c.name, c.groups...)
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `User "jane" cannot approve resource "orders" in API group "shop.example.com"`) {
			t.Errorf("%s by groups %v: %v", c.name, c.groups, err)
		}
		if got := sent.take(); len(got) != 1 {
			t.Errorf("a request asks %d times", len(got))
		}
	}
	if err := e.client.Delete(ctx, binding); err != nil {
		t.Fatal(err)
	}
	until("a right that was taken away is still there", func() bool { return apierrors.IsForbidden(as(namespace, "web", "approvers")) })

	until("a webhook that may not ask does not fail", func() bool {
		err := as(name+"-unpermitted", "web", "approvers")
		return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "failed calling webhook")
	})
}
