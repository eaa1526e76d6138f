package admission

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// call is one call of a webhook: what has been found out of it so far, and the memory that the next call uses again.
type call struct {
	body     []byte
	out      []byte
	patch    []byte
	envelope envelope
	version  string   // of the review: v1 or v1beta1
	head     Request  // what all requests have in common
	policy   *policy  // what is to be asked
	request  *Request // what the policy has got, nil before
}

// The shapes of the parts of every request that have members.
var (
	kindShape     = new(shapes).of(reflect.TypeFor[metav1.GroupVersionKind]())
	resourceShape = new(shapes).of(reflect.TypeFor[metav1.GroupVersionResource]())
	userShape     = new(shapes).of(reflect.TypeFor[authenticationv1.UserInfo]())
	boolShape     = new(shapes).of(reflect.TypeFor[bool]())
)

// open reads the envelope, and what all requests have in common.
func (c *call) open() error {
	if len(c.body) == 0 {
		return errors.New("the body is empty, send an AdmissionReview")
	}
	e := &c.envelope
	if err := e.scan(c.body); err != nil {
		return err
	}
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
		return fmt.Errorf("the body is %s %q of %q, send an AdmissionReview of admission.k8s.io/v1 or v1beta1", "kind", kind, apiVersion)
	}
	return c.common()
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
	for _, member := range [...]struct {
		part  part
		shape *shape
		into  any
	}{
		{objectKindPart, kindShape, &r.Kind},
		{resourcePart, resourceShape, &r.Resource},
		{requestKindPart, kindShape, &r.RequestKind},
		{requestResourcePart, resourceShape, &r.RequestResource},
		{userInfoPart, userShape, &r.UserInfo},
		{dryRunPart, boolShape, &r.DryRun},
	} {
		if err := e.optional(member.part, member.shape, reflect.ValueOf(member.into)); err != nil {
			return err
		}
	}
	// An API server older than matchPolicy does not send these, and means that nothing has been converted.
	if e.found[requestKindPart].absent() {
		r.RequestKind = r.Kind
	}
	if e.found[requestResourcePart].absent() {
		r.RequestResource, r.RequestSubResource = r.Resource, r.SubResource
	}
	r.envelope = e
	return nil
}

// fill reads what a policy asks for. The Request is that of the policy from now on.
func (c *call) fill(r *Request, p part, object, options reflect.Value) error {
	c.request = r
	if err := c.envelope.decode(p, c.policy.object, object); err != nil {
		return badRequest(err)
	}
	if c.policy.options == nil {
		return nil
	}
	if err := c.envelope.optional(optionsPart, c.policy.options, options); err != nil {
		return badRequest(err)
	}
	return nil
}

// decide has the policy decide. A panic is an error.
func (c *call) decide(ctx context.Context) (edited reflect.Value, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return c.policy.run(ctx, c)
}

// difference writes the patch that makes the request's object what a policy has made of it; empty if it is the same.
func (c *call) difference(edited reflect.Value) error {
	if edited.IsNil() {
		return errors.New("the policy has set the object to nil")
	}
	patch, err := diff(c.patch[:0], c.body, c.envelope.found[objectPart], c.policy.object, edited.Elem())
	if err != nil {
		return fmt.Errorf("the edited object cannot be written: %w", err)
	}
	c.patch = patch
	return nil
}

// largeCall is the memory from which on a call is not kept for another one: large objects are rare.
const largeCall = 1 << 20

// reset forgets everything but the memory. The policy's Request cannot read the body any more, which another call gets.
func (c *call) reset() {
	if c.request != nil {
		c.request.envelope = nil
	}
	*c = call{body: c.body[:0], out: c.out[:0], patch: c.patch[:0]}
	if cap(c.body)+cap(c.out)+cap(c.patch) > largeCall {
		*c = call{}
	}
}
