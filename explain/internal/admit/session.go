// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// Outcome is the result for one webhook, and for its call, if it was called.
type Outcome struct {
	Webhook
	Call *Call
	// Reads reports that it depends on the object whether the webhook is called.
	Reads bool
	// unsent reports that the webhook gets the object in a version to which it cannot be converted here.
	unsent bool
}

// Call is the effect of a call.
type Call struct {
	// Unknown is the reason why the answer is not known; empty if it is.
	Unknown string
	// Refusal is the refusal of the request; nil if it goes on.
	Refusal error
	// Failure is the reason why the call failed, though the request goes on by failurePolicy Ignore.
	Failure string
	// Advice says what to do if there was no answer.
	Advice string
	// Changed is the object if the call changes it, else nil.
	Changed runtime.Object
}

// Session has the webhooks of a cluster for one request, in all rounds of it.
type Session struct {
	Cluster
	// Defaulted reports that the objects already have an API server's defaults.
	Defaulted bool
	// Program serves the webhooks. If it is nil, the answers of all webhooks are unknown.
	Program *Program

	compiler *condition.Compiler // nil without a webhook that has conditions
	phases   map[bool]*phase     // by mutating
}

// NewSession returns a session for a request.
func NewSession(c Cluster, defaulted bool, program *Program) *Session {
	return &Session{Cluster: c, Defaulted: defaulted, Program: program, phases: map[bool]*phase{}}
}

// phase has the webhooks of one kind.
type phase struct {
	*Session
	*plugin
	hooks     []webhook.WebhookAccessor
	described []Webhook // each without a verdict
	server    *server   // nil before the first call
	callers   map[int]*caller
}

func (s *Session) phase(mutating bool) (*phase, error) {
	if known := s.phases[mutating]; known != nil {
		return known, nil
	}
	p, err := newPlugin(s.Cluster, mutating)
	if err != nil {
		return nil, err
	}
	f := &phase{Session: s, plugin: p, hooks: p.source.Webhooks(), callers: map[int]*caller{}}
	hasConditions := func(h webhook.WebhookAccessor) bool { return len(h.GetMatchConditions()) > 0 }
	if s.compiler == nil && slices.ContainsFunc(f.hooks, hasConditions) {
		if s.compiler, err = condition.NewCompiler(nil); err != nil {
			return nil, err
		}
	}
	next := map[string]int{} // by configuration
	for _, h := range f.hooks {
		f.described = append(f.described, Webhook{Configuration: h.GetConfigurationName(), Name: h.GetName(), Index: next[h.GetConfigurationName()]})
		next[h.GetConfigurationName()]++
	}
	s.phases[mutating] = f
	return f, nil
}

// begin returns the webhooks of one kind, and whether an API server calls no webhook at all for the request.
func (s *Session) begin(ctx context.Context, mutating bool, a admission.Attributes) (f *phase, exempt bool, trouble error) {
	if f, trouble = s.phase(mutating); trouble != nil {
		return nil, false, trouble
	}
	f.dispatched = false
	if err := f.Dispatch(ctx, a, newObjects(f.API, a)); err != nil {
		return nil, false, fmt.Errorf("the API server's code refuses the request: %w", err)
	}
	return f, !f.dispatched, nil
}

// decide decides about one webhook. exempt is the result of begin.
func (f *phase) decide(ctx context.Context, i int, a admission.Attributes, exempt bool) (o Outcome) {
	o.Webhook = f.described[i]
	if exempt {
		o.Verdict, o.Step, o.Reason = Skipped, Exemption, exemption(a)
		return o
	}
	d := &decider{plugin: f.plugin, objects: newObjects(f.API, a), compiler: f.compiler, defaulted: f.Defaulted}
	d.decide(ctx, f.hooks[i], &o)
	o.Reads = o.Step == ObjectSelector || o.Step == MatchConditions || o.Verdict != Skipped && f.selects(i)
	return o
}

// selects reports whether a webhook selects objects.
func (f *phase) selects(i int) bool {
	s := f.hooks[i].GetObjectSelector()
	return len(f.hooks[i].GetMatchConditions()) > 0 || s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

// Mutate calls the mutating webhooks in their order: all in the first round, and in the second round the webhooks that
// are called once more. It stops at a refusal, which it returns. The object of the attributes changes.
func (s *Session) Mutate(ctx context.Context, a admission.Attributes, objects admission.ObjectInterfaces) (outcomes []Outcome, refusal, trouble error) {
	f, exempt, trouble := s.begin(ctx, true, a)
	if trouble != nil {
		return nil, nil, trouble
	}
	again := a.GetReinvocationContext().IsReinvoke()
	for i := range f.hooks {
		o := f.notReached(i)
		if refusal == nil {
			o = f.decide(ctx, i, a, exempt)
		}
		if o.Verdict == Called || o.Verdict == Refuses {
			calls, trouble := f.call(ctx, &o, i, i, a, objects)
			if trouble != nil {
				return nil, nil, trouble
			}
			refusal = o.Call.Refusal
			if again && calls == 0 && refusal == nil {
				continue // it is not called a second time
			}
		} else if again {
			continue
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, refusal, nil
}

// Validate calls the validating webhooks. An API server matches all of them before it calls any, and calls all at once.
// If several refuse the request, Validate returns the first refusal.
func (s *Session) Validate(ctx context.Context, a admission.Attributes, objects admission.ObjectInterfaces) (outcomes []Outcome, refusal, trouble error) {
	f, exempt, trouble := s.begin(ctx, false, a)
	if trouble != nil {
		return nil, nil, trouble
	}
	refusedAt := len(f.hooks)
	for i := range f.hooks {
		o := f.decide(ctx, i, a, exempt)
		if o.Verdict == Refuses && o.Step != SideEffects && refusedAt == len(f.hooks) {
			refusedAt = i
		}
		outcomes = append(outcomes, o)
	}
	relevant := 0
	for i := range outcomes {
		o := &outcomes[i]
		if refusedAt < len(f.hooks) && i != refusedAt && (i > refusedAt || o.Verdict != Skipped) {
			o.Webhook = f.notReached(i).Webhook
		}
		if o.Verdict != Called && o.Verdict != Refuses {
			continue
		}
		if _, trouble = f.call(ctx, o, i, relevant, a, objects); trouble != nil {
			return nil, nil, trouble
		}
		relevant++
		refusal = cmp.Or(refusal, o.Call.Refusal)
	}
	return outcomes, refusal, nil
}

// NotReached lists the webhooks of one kind for a request that is refused before.
func (s *Session) NotReached(mutating bool) (outcomes []Outcome, trouble error) {
	f, trouble := s.phase(mutating)
	if trouble != nil {
		return nil, trouble
	}
	for i := range f.hooks {
		outcomes = append(outcomes, f.notReached(i))
	}
	return outcomes, nil
}

func (f *phase) notReached(i int) Outcome {
	o := Outcome{Webhook: f.described[i]}
	o.Verdict, o.Reason = NotReached, "the request is refused before"
	return o
}

// call has the API server's dispatcher call one webhook, and sets the outcome of that. It returns the number of
// requests. index is the webhook's index in audit annotations.
func (f *phase) call(ctx context.Context, o *Outcome, i, index int, a admission.Attributes, objects admission.ObjectInterfaces) (calls int, trouble error) {
	known := f.callers[i]
	if known == nil {
		program := f.Program
		if o.unsent { // and so the program is not called
			program = nil
		}
		if f.server == nil {
			_, isMutating := f.hooks[i].GetMutatingWebhook()
			if f.server, trouble = newServer(f.Cluster, isMutating); trouble != nil {
				return 0, trouble
			}
		}
		if known, trouble = f.server.caller(f.hooks[i], program); trouble != nil {
			return 0, trouble
		}
		f.callers[i] = known
	}
	var before runtime.Object
	if object := a.GetObject(); object != nil {
		before = object.DeepCopyObject()
	}
	w := known.wire
	called := w.calls
	w.unreached, w.status = nil, ""
	observed := &indexed{Attributes: a, index: index, silent: w.program == nil}
	if o.unsent { // the object of the request's version has everything that matching needs
		objects = newObjects(f.API, a)
	}
	err := known.admit(ctx, observed, objects)
	call := &Call{}
	o.Call = call
	if err != nil {
		call.Refusal = known.named(err)
	}
	if observed.failedOpen {
		call.Failure = "the call failed, and failurePolicy is Ignore: " + w.failure()
	}
	if w.unreached != nil {
		call.Advice = w.advice()
	}
	switch {
	case w.calls == called || call.Refusal != nil:
	case o.unsent:
		call.Unknown = "how the object is converted to the version that it gets is not known here"
	case f.Program == nil:
		call.Unknown = "--webhooks calls a running program"
	}
	if before != nil && !equality.Semantic.DeepEqual(before, a.GetObject()) {
		call.Changed = a.GetObject().DeepCopyObject()
	}
	return w.calls - called, nil
}

// failure describes a failed call.
func (w *wire) failure() string {
	switch {
	case w.unreached != nil:
		return w.unreached.Error()
	case w.status != "" && w.status != "200 OK":
		return "the program answered " + w.status
	}
	return "the program's answer is not valid"
}

// advice says how a program is reached.
func (w *wire) advice() string {
	text := w.unreached.Error()
	switch {
	case errors.Is(w.unreached, context.DeadlineExceeded):
		return "the program did not answer within timeoutSeconds of the webhook"
	case strings.Contains(text, "certificate"):
		return "--webhooks-ca names the file of the program's certificate, or of its authority"
	case strings.Contains(text, "HTTP response to HTTPS client"):
		return "the program serves http: use --webhooks http://" + w.program.URL.Host
	}
	return "is the program running at " + w.program.URL.String() + "?"
}

// named returns an error with the address of the program.
func (c *caller) named(err error) error {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || c.wire.program == nil {
		return err
	}
	fill := strings.NewReplacer("https://"+c.wire.host, c.wire.program.URL.Scheme+"://"+c.wire.program.URL.Host)
	named := &apierrors.StatusError{ErrStatus: *status.ErrStatus.DeepCopy()}
	named.ErrStatus.Message = fill.Replace(named.ErrStatus.Message)
	if d := named.ErrStatus.Details; d != nil {
		for i := range d.Causes {
			d.Causes[i].Message = fill.Replace(d.Causes[i].Message)
		}
	}
	return named
}

// indexed is a request to a dispatcher that knows a single webhook, whose index in audit annotations is therefore 0. It
// writes them with the index that the webhook has among all.
type indexed struct {
	admission.Attributes
	index int
	// silent leaves out annotations, because they come from an answer that is not the webhook's.
	silent bool
	// failedOpen reports a failed call that does not refuse the request.
	failedOpen bool
}

func (i *indexed) AddAnnotation(key, value string) error {
	return i.AddAnnotationWithLevel(key, value, auditinternal.LevelMetadata)
}

func (i *indexed) AddAnnotationWithLevel(key, value string, level auditinternal.Level) error {
	key = i.key(key)
	if strings.HasPrefix(key, mutating.MutationAuditAnnotationFailedOpenKeyPrefix) || strings.HasPrefix(key, validating.ValidatingAuditAnnotationFailedOpenKeyPrefix) {
		i.failedOpen = true
	}
	if i.silent {
		return nil
	}
	return i.Attributes.AddAnnotationWithLevel(key, value, level)
}

func (i *indexed) key(key string) string {
	for _, prefix := range []string{
		mutating.PatchAuditAnnotationPrefix, mutating.MutationAuditAnnotationPrefix,
		mutating.MutationAuditAnnotationFailedOpenKeyPrefix, validating.ValidatingAuditAnnotationFailedOpenKeyPrefix,
	} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			if round, ok := strings.CutSuffix(rest, "_index_0"); ok {
				return fmt.Sprintf("%s%s_index_%d", prefix, round, i.index)
			}
		}
	}
	return key
}
