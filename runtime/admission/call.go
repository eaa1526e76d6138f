// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// call is one call of a webhook. It holds the parts of the review read so far, and memory that the next call reuses.
type call struct {
	memory   []byte // for a body that the server has not read
	body     []byte
	out      []byte           // the review that answers the call
	problem  *serving.Problem // why there is no such review, or nil
	patcher  patcher
	patch    []byte // the changes by the validator or defaulter, in the memory of the patcher
	texts    wire.Texts
	kind     kept[metav1.GroupVersionKind]
	resource kept[metav1.GroupVersionResource]
	user     kept[authenticationv1.UserInfo]
	envelope envelope
	version  string   // of the review: v1 or v1beta1
	head     Request  // what all requests have in common
	action   *action  // the function for the operation
	request  *Request // the request that the function gets; nil before
}

// The shapes of the parts of every request that have members.
var (
	kindShape     = new(wire.Shapes).Of(reflect.TypeFor[metav1.GroupVersionKind]())
	resourceShape = new(wire.Shapes).Of(reflect.TypeFor[metav1.GroupVersionResource]())
	userShape     = new(wire.Shapes).Of(reflect.TypeFor[authenticationv1.UserInfo]())
	boolShape     = new(wire.Shapes).Of(reflect.TypeFor[bool]())
)

// open reads the envelope, and what all requests have in common.
func (c *call) open() error {
	if len(c.body) == 0 {
		return errors.New("the body is empty, send an AdmissionReview")
	}
	e := &c.envelope
	e.texts = &c.texts
	if err := e.scan(c.body); err != nil {
		return err
	}
	if err := c.identify(); err != nil {
		return err
	}
	return c.common()
}

// openHead reads the beginning of a body that is too large, and reports whether the request in it can be answered.
func (c *call) openHead(r *http.Request) bool {
	if len(c.body) == 0 {
		c.body = serving.ReceiveHead(c.body, r)
	} else {
		serving.Discard(r)
	}
	c.body = c.body[:min(len(c.body), serving.HeadBytes)]
	e := &c.envelope
	e.texts = &c.texts
	_ = e.scan(c.body) // The body goes on behind its head.
	return e.twice == none && c.identify() == nil && c.common() == nil && c.head.UID != ""
}

// identify reads which version of a review the body is.
func (c *call) identify() error {
	e := &c.envelope
	kind, err := e.text(kindPart)
	apiVersion, err2 := e.text(apiVersionPart)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	switch apiVersion {
	case "admission.k8s.io/v1":
		c.version = "v1"
	case "admission.k8s.io/v1beta1":
		c.version = "v1beta1"
	}
	if kind != "AdmissionReview" || c.version == "" {
		return fmt.Errorf("the body is %s %q of %q, send an AdmissionReview of admission.k8s.io/v1 or v1beta1", "kind", wire.Shorten(longestName, kind), wire.Shorten(longestName, apiVersion))
	}
	return nil
}

// common reads what all requests have in common.
func (c *call) common() error {
	e, r := &c.envelope, &c.head
	var uid, operation string
	for _, member := range [...]struct {
		part part
		into *string
	}{
		{uidPart, &uid},
		{operationPart, &operation},
		{subResourcePart, &r.SubResource},
		{requestSubResourcePart, &r.RequestSubResource},
		{namePart, &r.Name},
		{namespacePart, &r.Namespace},
	} {
		var err error
		if *member.into, err = e.text(member.part); err != nil {
			return err
		}
	}
	r.UID, r.Operation = types.UID(uid), Operation(operation)
	if err := c.kind.decode(e, objectKindPart, kindShape, &r.Kind); err != nil {
		return err
	}
	if err := c.resource.decode(e, resourcePart, resourceShape, &r.Resource); err != nil {
		return err
	}
	if err := decodeUser(&c.user, e, &r.UserInfo); err != nil {
		return err
	}
	if err := e.optional(dryRunPart, boolShape, reflect.ValueOf(&r.DryRun)); err != nil {
		return err
	}
	// A kind that has not been converted equals the requested kind. An API server without matchPolicy does not send the
	// requested kind.
	switch requested := e.raw(requestKindPart); {
	case requested == nil, bytes.Equal(requested, e.raw(objectKindPart)):
		r.RequestKind = r.Kind
	default:
		if err := e.decode(requestKindPart, kindShape, reflect.ValueOf(&r.RequestKind)); err != nil {
			return err
		}
	}
	switch requested := e.raw(requestResourcePart); {
	case requested == nil:
		r.RequestResource, r.RequestSubResource = r.Resource, r.SubResource
	case bytes.Equal(requested, e.raw(resourcePart)):
		r.RequestResource = r.Resource
	default:
		if err := e.decode(requestResourcePart, resourceShape, reflect.ValueOf(&r.RequestResource)); err != nil {
			return err
		}
	}
	r.envelope = e
	return nil
}

// fill decodes the parts of the request that a function needs, and makes r the request of the call. The error is
// undecodable content, or a problem with the request.
func (c *call) fill(r *Request, p part, object, options reflect.Value) error {
	c.request = r
	if c.envelope.found[p].Absent() {
		return serving.BadRequest(fmt.Errorf("the request has no %s", p))
	}
	if err := c.envelope.content(p, c.action.object, object); err != nil {
		return err
	}
	if c.action.options == nil || c.envelope.found[optionsPart].Absent() {
		return nil
	}
	return c.envelope.content(optionsPart, c.action.options, options)
}

// decide calls the user's function. If edits count, it leaves the patch of the edits in c.patch. An object that cannot
// be written after the edits is denied, because the content that a user has sent may be the cause.
func (c *call) decide(ctx context.Context, edits bool) error {
	edited, err := c.action.run(ctx, c)
	if err != nil || !edits || !edited.IsValid() {
		return err
	}
	if edited.IsNil() {
		return fault(errors.New("the defaulter has set the object to nil"))
	}
	c.patch, err = c.patcher.diff(c.body, c.envelope.found[objectPart], c.action.object, edited.Elem())
	if err != nil {
		c.patch = nil
		return fault(fmt.Errorf("the edited object cannot be written: %w", err))
	}
	return nil
}

// largeCall is the memory from which on a call is not kept for another one: large objects are rare.
const largeCall = 1 << 20

// reset clears all but the memory. The function's Request cannot read the body any more, because another call reuses
// it.
func (c *call) reset() {
	if c.request != nil {
		c.request.envelope = nil
	}
	if cap(c.memory)+cap(c.out)+cap(c.patcher.out) > largeCall {
		*c = call{}
		return
	}
	c.body, c.out, c.problem, c.patch = nil, c.out[:0], nil, nil
	c.envelope, c.version, c.head, c.action, c.request = envelope{}, "", Request{}, nil, nil
}
