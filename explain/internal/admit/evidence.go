// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/webhook-gen/webhook-gen/internal/defaulting"
)

// seen is the result of one condition, and how far it can be trusted.
type seen struct {
	name, result string
	// guessed reports that it reads fields of an object whose conversion is unknown. asks reports that it may have called
	// an authorizer whose answer is unknown.
	guessed, asks bool
	// undefaulted are fields that it reads, and that an API server may have set by default.
	undefaulted []string
}

// evidence is the evidence about all conditions of a webhook.
type evidence []seen

// weigh decides how far a condition's result can be trusted. asked reports whether one of the conditions called an
// authorizer whose answer is unknown.
func (d *decider) weigh(c admissionregistrationv1.MatchCondition, result string, asked bool) seen {
	reads := d.compiler.Reads(c.Expression)
	s := seen{name: c.Name, result: result, guessed: d.guessed && len(reads.Fields) > 0, asks: asked && reads.Authorizer}
	for _, path := range reads.Fields {
		if d.mayBeDefaulted(path) {
			s.undefaulted = append(s.undefaulted, strings.Join(append([]string{"object"}, path...), "."))
		}
	}
	return s
}

// rejecting returns a condition that is certainly false, preferably one that depends on no default. With such a
// condition the webhook is not called, whatever the others return
// (k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions, matcher.Match).
func (e evidence) rejecting() (seen, bool) {
	isFalse := func(s seen) bool { return s.result == "false" && !s.guessed && !s.asks }
	i := slices.IndexFunc(e, func(s seen) bool { return isFalse(s) && len(s.undefaulted) == 0 })
	if i < 0 {
		i = slices.IndexFunc(e, isFalse)
	}
	if i < 0 {
		return seen{}, false
	}
	return e[i], true
}

// undefaulted are the fields of all conditions, each once.
func (e evidence) undefaulted() (all []string) {
	for _, s := range e {
		for _, field := range s.undefaulted {
			if !slices.Contains(all, field) {
				all = append(all, field)
			}
		}
	}
	return all
}

// mayBeDefaulted reports whether an API server may see more of a field than the object has here. An API server may
// default a field that is absent, or that lies in a list or map.
func (d *decider) mayBeDefaulted(path []string) bool {
	objects := []runtime.Object{d.attributes.GetObject(), d.attributes.GetOldObject()}
	kind := d.attributes.GetKind()
	return !d.defaulted && !d.definition.Defaults(kind.Version) && !defaulting.Kubernetes().Has(kind.GroupVersion().String(), kind.Kind) &&
		slices.ContainsFunc(objects, func(o runtime.Object) bool { return o != nil && !says(o, path) })
}

// says reports whether an object has a single value for a field.
func says(o runtime.Object, path []string) bool {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return false
	}
	value, _, _ := unstructured.NestedFieldNoCopy(content, path...) // nil with an error
	switch value.(type) {
	case nil, map[string]any, []any:
		return false
	}
	return true
}
