// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/request"
)

// Cluster has the objects of the cluster that a request concerns.
type Cluster struct {
	// Namespace is the namespace of the request; nil for a cluster-scoped request.
	Namespace *corev1.Namespace
	// Params are all objects that may be params.
	Params []runtime.Object
	// Authorized is the authorizer's answer to expressions.
	Authorized admit.Answer
	// Webhooks are the webhooks of the cluster; nil for policies alone.
	Webhooks *admit.Session
}

// Explanation is the result for one request, with the webhooks.
type Explanation struct {
	Answer
	// Open are the reasons why the verdict may differ, in sentences. It is certain without any.
	Open []string
	// Mutating and Validating are the webhooks in the order of an API server.
	Mutating, Validating []admit.Webhook
}

// Explain runs all policies and webhooks on a request. It goes on where an API server knows more, and tells so.
func (e *Evaluator) Explain(ctx context.Context, r *request.Request, c Cluster) (Explanation, error) {
	v, err := e.begin(c)
	if err != nil {
		return Explanation{}, err
	}
	if err := v.run(ctx, r.Attributes); err != nil {
		return Explanation{}, err
	}
	if v.authorizer.Unanswered() {
		v.result.Open = append(v.result.Open, "a policy asks the authorizer, which is taken to deny: --authorizer sets its answer")
	}
	v.weigh()
	return v.result, e.estimate(v.result.Steps)
}

// evaluation is the evaluation of one request.
type evaluation struct {
	*Evaluator
	Cluster
	matcher    *matching.Matcher
	authorizer *admit.Authorizer
	result     Explanation
	// only is the phase to run alone; empty for all of them. The phase reinvocation has the current object, after
	// webhooks.
	only    Phase
	current runtime.Object
	// unknown is the reason why policies could not be evaluated; nil if they could.
	unknown error
	// changing are called mutating webhooks with unknown answers, and mutating webhooks that may be called.
	changing []string
}

func (e *Evaluator) begin(c Cluster) (*evaluation, error) {
	e.objects.unknown = nil
	var err error
	if c.Params, err = e.objects.stored(c.Params); err != nil {
		return nil, err
	}
	known, err := admit.Cluster{Namespace: c.Namespace}.Informers(e.client)
	if err != nil {
		return nil, err
	}
	return &evaluation{
		Evaluator: e, Cluster: c, result: Explanation{Answer: Answer{Steps: []Step{}}}, authorizer: &admit.Authorizer{Answer: c.Authorized},
		matcher: matching.NewMatcher(known.Core().V1().Namespaces().Lister(), e.client),
	}, nil
}

// run takes a request through the plugins in the order of a kube-apiserver (AllOrderedPlugins of
// k8s.io/kubernetes/pkg/kubeapiserver/options): MutatingAdmissionPolicy, MutatingAdmissionWebhook,
// ValidatingAdmissionPolicy, ValidatingAdmissionWebhook. Both mutating plugins run once more if one of them changed
// the object. Before the validating plugins a new object gets its name, UID and time.
func (v *evaluation) run(ctx context.Context, a admission.Attributes) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	v.objects.scalesCustom = a.GetSubresource() == "scale" && !scheme.Scheme.IsGroupRegistered(a.GetResource().Group)
	annotations := map[string]string{}
	warned := &warnings{}
	if err := v.admit(warning.WithWarningRecorder(ctx, warned), recorded{a, annotations}); err != nil {
		return err
	}
	v.result.Warnings = warned.sent()
	if len(annotations) > 0 {
		v.result.AuditAnnotations = annotations
	}
	return nil
}

// requestTime is the time that an API server has for a request (requestTimeoutUpperBound of
// k8s.io/apiserver/pkg/endpoints/handlers). Expressions and calls end with it.
const requestTime = 34 * time.Second

// warnings are the warnings for the client.
type warnings struct {
	texts []string
	total int // characters
}

// AddWarning records a warning if it can be in a header, and once.
func (w *warnings) AddWarning(agent, text string) {
	if _, err := utilnet.NewWarningHeader(299, agent, text); err != nil || text == "" || slices.Contains(w.texts, text) {
		return
	}
	w.texts = append(w.texts, text)
	w.total += utf8.RuneCountInString(text)
}

// sent are the warnings that an API server sends: if all of them have more than 4096 characters, it cuts each to 256
// (k8s.io/apiserver/pkg/endpoints/filters, WithWarningRecorder).
func (w *warnings) sent() []string {
	if w.total <= 4096 {
		return w.texts
	}
	var sent []string
	written := 0
	for _, text := range w.texts {
		if written >= 4096 {
			break
		}
		if letters := []rune(text); len(letters) > 256 {
			text = string(letters[:256])
		}
		written += utf8.RuneCountInString(text)
		sent = append(sent, text)
	}
	return sent
}

func (v *evaluation) admit(ctx context.Context, a recorded) error {
	if v.only != "" {
		return v.admitPhase(ctx, a)
	}
	before := request.Stated(a.GetObject())
	refusal, trouble := v.mutateAll(ctx, a)
	if trouble != nil {
		return trouble
	}
	again := a.GetReinvocationContext()
	if refusal == nil && again.ShouldReinvoke() {
		again.SetIsReinvoke()
		if refusal, trouble = v.mutateAll(ctx, a); trouble != nil {
			return trouble
		}
	}
	v.result.Object = v.stored(a)
	a.Attributes = request.Validated(a.Attributes)
	if refusal == nil {
		refusal = request.Refused(a.Attributes, before)
	}
	if refusal == nil {
		refusal = v.decided(v.validate(ctx, a), "validating")
	}
	if refusal, trouble = v.call(ctx, a, false, refusal); trouble != nil {
		return trouble
	}
	v.refuse(refusal)
	return nil
}

// admitPhase runs the policies of one phase. Before a reinvocation it runs the first round: the policies of the second
// round depend on its result.
func (v *evaluation) admitPhase(ctx context.Context, a recorded) error {
	var refusal error
	switch v.only {
	case Validation:
		a.Attributes = request.Validated(a.Attributes)
		refusal = v.validate(ctx, a)
	case Reinvocation:
		if refusal = v.mutate(ctx, a); refusal != nil {
			break
		}
		v.result.Steps = []Step{}
		if err := v.objects.Convert(v.current, a.GetObject(), nil); err != nil {
			return err
		}
		a.GetReinvocationContext().SetIsReinvoke()
		refusal = v.mutate(ctx, a)
	default:
		refusal = v.mutate(ctx, a)
	}
	refusal = v.decided(refusal, "admission")
	v.result.Object = Content(a.GetObject())
	v.refuse(refusal)
	return nil
}

// mutateAll runs both mutating plugins once.
func (v *evaluation) mutateAll(ctx context.Context, a admission.Attributes) (refusal, trouble error) {
	refusal = v.decided(v.mutate(ctx, a), "mutating")
	if refusal != nil && a.GetReinvocationContext().IsReinvoke() {
		return refusal, nil
	}
	return v.call(ctx, a, true, refusal)
}

// decided returns the refusal by policies, unless they could not be evaluated here.
func (v *evaluation) decided(refusal error, kind string) error {
	if v.objects.unknown == nil {
		return refusal
	}
	v.unknown = cmp.Or(v.unknown, v.objects.unknown)
	v.result.Open = append(v.result.Open, fmt.Sprintf("%s policies are left aside: %v", kind, v.objects.unknown))
	v.objects.unknown = nil
	return nil
}

// call calls the webhooks of one kind, and makes steps of them. It takes the refusal of the request by policies, and
// returns it or the refusal by webhooks.
func (v *evaluation) call(ctx context.Context, a admission.Attributes, mutating bool, refusal error) (_, trouble error) {
	if v.Webhooks == nil {
		return refusal, nil
	}
	var outcomes []admit.Outcome
	phase := Validation
	switch {
	case refusal != nil:
		outcomes, trouble = v.Webhooks.NotReached(mutating)
	case mutating:
		phase = v.mutationPhase(a)
		outcomes, refusal, trouble = v.Webhooks.Mutate(ctx, a, v.objects)
	default:
		outcomes, refusal, trouble = v.Webhooks.Validate(ctx, a, v.objects)
	}
	if trouble != nil {
		return nil, trouble
	}
	for _, o := range outcomes {
		switch {
		case phase == Validation && !mutating:
			v.result.Validating = append(v.result.Validating, o.Webhook)
		case phase != Reinvocation:
			v.result.Mutating = append(v.result.Mutating, o.Webhook)
		}
		if o.Verdict == admit.NotReached || o.Verdict == admit.Skipped && (!o.Reads || len(v.changing) == 0) {
			continue
		}
		s := callStep(o, phase)
		if o.Reads || o.Call != nil && o.Call.Unknown == "" {
			s.Open = slices.Clone(v.changing)
		}
		if s.Verdict == Unknown || s.Verdict == Undecided {
			if mutating && !slices.Contains(v.changing, o.Name) {
				v.changing = append(v.changing, o.Name)
			}
		}
		v.result.Steps = append(v.result.Steps, s)
	}
	return refusal, nil
}

// callStep makes a step of a webhook.
func callStep(o admit.Outcome, phase Phase) Step {
	s := Step{Configuration: o.Configuration, Webhook: o.Name, Index: &o.Index, Phase: phase}
	switch {
	case o.Verdict == admit.Skipped:
		s.Verdict, s.Message = NotMatched, o.Reason
	case o.Verdict == admit.Undecided:
		s.Verdict, s.Message = Undecided, o.Reason
	case o.Call == nil:
	case o.Call.Refusal != nil:
		s.Verdict, s.Message = Denied, message(o.Call.Refusal)
		if o.Step != admit.SideEffects && !strings.HasPrefix(s.Message, fmt.Sprintf("admission webhook %q denied the request", o.Name)) {
			s.Verdict = Error
		}
	case o.Call.Failure != "":
		s.Verdict, s.Message = Error, o.Call.Failure
	case o.Call.Unknown != "":
		s.Verdict, s.Message = Unknown, o.Call.Unknown
	case o.Call.Changed != nil:
		s.Verdict, s.Object = Changed, Content(o.Call.Changed)
	default:
		s.Verdict = Allowed
	}
	if o.Call != nil {
		s.Advice = o.Call.Advice
	}
	return s
}

func message(refusal error) string {
	if status, ok := errors.AsType[*apierrors.StatusError](refusal); ok {
		return status.ErrStatus.Message
	}
	return refusal.Error()
}

// refuse makes the answer of a refusal; nil allows the request.
func (v *evaluation) refuse(refusal error) {
	v.result.Allowed = refusal == nil
	if status, ok := errors.AsType[*apierrors.StatusError](refusal); ok {
		v.result.Code, v.result.Reason, v.result.Message = status.ErrStatus.Code, string(status.ErrStatus.Reason), status.ErrStatus.Message
	} else if refusal != nil {
		v.result.Code, v.result.Reason, v.result.Message = 500, "InternalError", refusal.Error()
	}
}

// stored is the object after all mutations. An API server drops the fields of custom resources that their schema lacks
// when it stores them, not when a webhook adds them.
func (v *evaluation) stored(a admission.Attributes) map[string]any {
	u, ok := a.GetObject().(*unstructured.Unstructured)
	d := v.objects.api.Definition(a.GetResource().GroupResource())
	if !ok || d == nil || a.GetSubresource() != "" {
		return Content(a.GetObject())
	}
	u = u.DeepCopy()
	if _, err := d.Complete(u); err != nil {
		return Content(a.GetObject())
	}
	return u.Object
}

func (v *evaluation) mutationPhase(a admission.Attributes) Phase {
	if a.GetReinvocationContext().IsReinvoke() {
		return Reinvocation
	}
	return Mutation
}

// weigh describes the effect of unknown answers on steps and on the verdict.
func (v *evaluation) weigh() {
	var unknown, undecided, after []string
	seen := []string{}
	for i := range v.result.Steps {
		s := &v.result.Steps[i]
		if s.Policy != "" && s.Verdict != NotMatched && len(seen) > 0 {
			s.Open = slices.Clone(seen)
		}
		switch {
		case s.Webhook == "":
		case s.Verdict == Unknown && !slices.Contains(unknown, s.Webhook):
			unknown = append(unknown, s.Webhook)
		case s.Verdict == Undecided && !slices.Contains(undecided, s.Webhook):
			undecided = append(undecided, s.Webhook)
		}
		if s.Webhook != "" && s.Phase != Validation && slices.Contains(v.changing, s.Webhook) && !slices.Contains(seen, s.Webhook) {
			seen = append(seen, s.Webhook)
		}
	}
	for _, name := range v.changing {
		if i := slices.IndexFunc(v.result.Steps, func(s Step) bool { return s.Webhook == name }); i >= 0 && i < len(v.result.Steps)-1 {
			after = append(after, name)
		}
	}
	if len(unknown) > 0 && v.result.Allowed {
		v.result.Open = append(v.result.Open, fmt.Sprintf("the request is refused if %s refuses it", either(unknown)))
	}
	if len(undecided) > 0 {
		v.result.Open = append(v.result.Open, fmt.Sprintf("it is not known whether %s is called", either(undecided)))
	}
	if len(after) > 0 {
		v.result.Open = append(v.result.Open, fmt.Sprintf("if %s changes the object, the steps after it see another, and steps before it with reinvocationPolicy IfNeeded run once more", either(after)))
	}
}

// either lists names.
func either(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// recorded is a request whose audit annotations can be read.
type recorded struct {
	admission.Attributes
	annotations map[string]string
}

func (r recorded) AddAnnotation(key, value string) error {
	return r.AddAnnotationWithLevel(key, value, auditinternal.LevelMetadata)
}

func (r recorded) AddAnnotationWithLevel(key, value string, level auditinternal.Level) error {
	if err := r.Attributes.AddAnnotationWithLevel(key, value, level); err != nil {
		return err // of a key that is not valid, or that has a value
	}
	if _, ok := r.annotations[key]; !ok { // the audit log keeps the first, of the mutating plugins
		r.annotations[key] = value
	}
	return nil
}

// unrecorded is a request whose audit annotations are dropped.
type unrecorded struct{ admission.Attributes }

func (unrecorded) AddAnnotation(string, string) error { return nil }

func (unrecorded) AddAnnotationWithLevel(string, string, auditinternal.Level) error { return nil }
