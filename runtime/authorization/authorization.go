// SPDX-License-Identifier: Apache-2.0

// Package authorization asks an API server what the user of a request may do, for validators that check more than the
// verbs of the API server:
//
//	user := authorization.Of(&r.Request, w.Reviews) // clientset.AuthorizationV1().SubjectAccessReviews()
//	if err := user.Require(ctx, authorizationv1.ResourceAttributes{
//		Verb: "approve", Group: "shop.example.com", Resource: "orders", Namespace: r.Namespace, Name: r.Name,
//	}); err != nil {
//		return err
//	}
//
// The reviews have everything that authenticators found out about the user: name, UID, groups and all of extra. Without
// an answer, nothing is allowed.
package authorization

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Client creates SubjectAccessReviews. SubjectAccessReviewInterface of client-go has the method. The program's service
// account needs the verb create on subjectaccessreviews of the group authorization.k8s.io, as in the ClusterRole
// system:auth-delegator.
type Client interface {
	// Create sends a review and returns it with its status.
	Create(ctx context.Context, review *authorizationv1.SubjectAccessReview, options metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error)
}

// User is the user of one request. It asks each question once: a User is for one request, so that a decision never
// outlives the rights it came from. It is safe for concurrent use.
type User struct {
	client Client
	info   authenticationv1.UserInfo

	mu        sync.Mutex
	decisions map[string]decision // by the attributes, as JSON
}

type decision struct {
	allowed bool
	reason  string
}

// Of returns the user of a request. Nothing is allowed to the user of a nil request, or of one without a user.
func Of(r *admission.Request, client Client) *User {
	u := &User{client: client, decisions: map[string]decision{}}
	if r != nil {
		r.UserInfo.DeepCopyInto(&u.info)
	}
	return u
}

// Allowed reports whether the user may do something, and the reason of the authorizer, which may be empty.
//
// The error is a failure, as of admission.Failure, if the API server does not answer or refuses to. The failurePolicy
// of the webhook then decides, so set it to Fail. If the API server calls the attributes invalid, the error is a
// denial: attributes may come from an object, and its author must not choose between the two.
func (u *User) Allowed(ctx context.Context, a authorizationv1.ResourceAttributes) (allowed bool, reason string, err error) {
	if u == nil || u.info.Username == "" {
		return false, "", errors.New("authorization: the request has no user")
	}
	if u.client == nil {
		return false, "", errors.New("authorization: there is no client to ask")
	}
	text, err := json.Marshal(a)
	if err != nil {
		return false, "", fmt.Errorf("authorization: %w", err)
	}
	question := string(text)
	u.mu.Lock()
	known, ok := u.decisions[question]
	u.mu.Unlock()
	if ok {
		return known.allowed, known.reason, nil
	}
	answer, err := u.client.Create(ctx, u.review(a), metav1.CreateOptions{})
	switch {
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err):
		// Without the status of the API server, which is about the review.
		return false, "", fmt.Errorf("authorization: the API server cannot review this: %s", err.Error())
	case err != nil:
		return false, "", admission.Failure(fmt.Errorf("authorization: %w", err))
	case answer == nil:
		return false, "", admission.Failure(errors.New("authorization: the review has no answer"))
	}
	d := decision{answer.Status.Allowed && !answer.Status.Denied, answer.Status.Reason}
	u.mu.Lock()
	u.decisions[question] = d
	u.mu.Unlock()
	return d.allowed, d.reason, nil
}

// Require returns nil if the user may do something. Else it returns an error for the answer to the request: 403
// Forbidden in the words of API servers, or the error of Allowed.
func (u *User) Require(ctx context.Context, a authorizationv1.ResourceAttributes) error {
	allowed, reason, err := u.Allowed(ctx, a)
	if err != nil || allowed {
		return err
	}
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	text := fmt.Sprintf("User %q cannot %s resource %q in API group %q", u.info.Username, a.Verb, resource, a.Group)
	if a.Namespace != "" {
		text += fmt.Sprintf(" in the namespace %q", a.Namespace)
	}
	if reason != "" {
		text += ": " + reason
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: a.Group, Resource: resource}, a.Name, errors.New(text))
}

// review returns the question about the user.
func (u *User) review(a authorizationv1.ResourceAttributes) *authorizationv1.SubjectAccessReview {
	r := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		ResourceAttributes: a.DeepCopy(),
		User:               u.info.Username,
		UID:                u.info.UID,
		Groups:             slices.Clone(u.info.Groups),
	}}
	for key, values := range u.info.Extra {
		if r.Spec.Extra == nil {
			r.Spec.Extra = map[string]authorizationv1.ExtraValue{}
		}
		r.Spec.Extra[key] = slices.Clone(authorizationv1.ExtraValue(values))
	}
	return r
}
