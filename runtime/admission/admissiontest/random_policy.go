// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
	"github.com/webhook-gen/webhook-gen/runtime/internal/structural"
)

// policyDescription is webhook-gen's description of the policies of a module.
type policyDescription struct {
	Policies []describedPolicy `json:"policies"`
	Kinds    []policyKind      `json:"kinds"`
}

// describedPolicy is a policy, with the fields that requests depend on.
type describedPolicy struct {
	Object struct {
		Kind     string            `json:"kind"`
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			ParamKind        *admissionregistrationv1.ParamKind     `json:"paramKind"`
			MatchConstraints admissionregistrationv1.MatchResources `json:"matchConstraints"`
			Mutations        []struct {
				ApplyConfiguration, JSONPatch struct {
					Expression string `json:"expression"`
				}
			} `json:"mutations"`
		} `json:"spec"`
	} `json:"object"`
	Bindings []struct {
		Spec struct {
			ParamRef       *admissionregistrationv1.ParamRef      `json:"paramRef"`
			MatchResources admissionregistrationv1.MatchResources `json:"matchResources"`
		} `json:"spec"`
	} `json:"bindings"`
	At struct {
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"at"`
}

// policyKind is a kind of objects or of params.
type policyKind struct {
	Group      string             `json:"group"`
	Version    string             `json:"version"`
	Kind       string             `json:"kind"`
	Resource   string             `json:"resource"`
	Namespaced bool               `json:"namespaced"`
	Builtin    bool               `json:"builtin"`
	Schema     *structural.Schema `json:"schema"`
}

func describedPolicies(t testing.TB) (policyDescription, error) {
	out, err := askPolicies(t, map[string]any{"requests": []policyRequest{}, "describe": true})
	return out.policyDescription, err
}

// apiVersion is the group and the version.
func (k policyKind) apiVersion() string { return strings.TrimPrefix(k.Group+"/"+k.Version, "/") }

// kindOf returns a kind with its schema; nil if it is not known.
func (d policyDescription) kindOf(of Kind) *policyKind {
	for i, k := range d.Kinds {
		if k.apiVersion() == strings.TrimPrefix(of.APIVersion, "/") && k.Kind == of.Kind {
			return &d.Kinds[i]
		}
	}
	return nil
}

// policy returns a policy by its name; nil for another name.
func (d policyDescription) policy(name string) *describedPolicy {
	for i, p := range d.Policies {
		if p.Object.Metadata.Name == name {
			return &d.Policies[i]
		}
	}
	return nil
}

// position is the position of the marker of a policy.
func (d policyDescription) position(policy string) failure.Position {
	if p := d.policy(policy); p != nil {
		return failure.Position{File: p.At.File, Line: p.At.Line}
	}
	return failure.Position{}
}

// mutation is the expression of a step's mutation.
func (d policyDescription) mutation(s policyStep) string {
	p := d.policy(s.Policy)
	if p == nil || s.Mutation == nil || *s.Mutation >= len(p.Object.Spec.Mutations) {
		return ""
	}
	m := p.Object.Spec.Mutations[*s.Mutation]
	return m.ApplyConfiguration.Expression + m.JSONPatch.Expression
}

// lacksParams reports whether a policy has params of a kind that is not known.
func (d policyDescription) lacksParams(policy string) bool {
	p := d.policy(policy)
	if p == nil || p.Object.Spec.ParamKind == nil {
		return false
	}
	return d.kindOf(Kind{p.Object.Spec.ParamKind.APIVersion, p.Object.Spec.ParamKind.Kind}) == nil
}

// problem returns the reason why an API server refuses an object by its schema; empty for a valid one.
func (k policyKind) problem(object json.RawMessage) string {
	value, err := failure.Decode(object)
	if err != nil {
		return err.Error()
	}
	members, ok := value.(map[string]any)
	if !ok {
		return "it is no object"
	}
	if problems := k.Schema.Validate(members); len(problems) > 0 {
		return problems[0].Error()
	}
	return ""
}

// random returns a valid object with a density, or nil.
func (k policyKind) random(seed uint64, density structural.Density, meta map[string]any) json.RawMessage {
	const tries = 4
	for try := range uint64(tries) {
		object := k.Schema.Random(rand.New(rand.NewPCG(seed, try)), density)
		object["apiVersion"], object["kind"], object["metadata"] = k.apiVersion(), k.Kind, meta
		k.Schema.Prune(object)
		k.Schema.SetDefaults(object)
		if text, err := json.Marshal(object); err == nil && k.problem(text) == "" {
			return text
		}
	}
	return nil
}

// densities are the densities of the objects of a kind.
func (k policyKind) densities() []structural.Density {
	if k.Builtin {
		return []structural.Density{structural.Full, structural.Limits}
	}
	return structural.Densities()
}

// matched is what the rules and selectors of policies match.
type matched struct {
	// calls are the operations and subresources.
	calls []policyCall
	// names are the names of objects, and namespaces and objects are labels, each set for a selector.
	names               []string
	namespaces, objects []map[string]string
}

type policyCall struct {
	operation   admissionv1.Operation
	subResource string
}

// matched returns what the policies match for a kind.
func (d policyDescription) matched(k policyKind) matched {
	m := matched{names: []string{"random"}, namespaces: []map[string]string{nil}, objects: []map[string]string{nil}}
	for _, p := range d.Policies {
		constraints := p.Object.Spec.MatchConstraints
		if !slices.ContainsFunc(constraints.ResourceRules, func(r admissionregistrationv1.NamedRuleWithOperations) bool { return len(k.subResources(r)) > 0 }) {
			continue
		}
		for _, r := range constraints.ResourceRules {
			for _, sub := range k.subResources(r) {
				for _, operation := range allOperations() {
					call := policyCall{operation, sub}
					wanted := slices.Contains(r.Operations, admissionregistrationv1.OperationAll) || slices.Contains(r.Operations, admissionregistrationv1.OperationType(operation))
					possible := operation != admissionv1.Connect && (sub == "" || operation == admissionv1.Update)
					if wanted && possible && !slices.Contains(m.calls, call) {
						m.calls = append(m.calls, call)
					}
				}
			}
			m.names = append(m.names, r.ResourceNames...)
		}
		m.namespaces, m.objects = withLabels(m.namespaces, constraints.NamespaceSelector), withLabels(m.objects, constraints.ObjectSelector)
		for _, b := range p.Bindings {
			m.namespaces = withLabels(m.namespaces, b.Spec.MatchResources.NamespaceSelector)
			m.objects = withLabels(m.objects, b.Spec.MatchResources.ObjectSelector)
		}
	}
	slices.SortFunc(m.calls, func(a, b policyCall) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return m
}

// subResources returns the subresources of a kind's own type that a rule matches; the empty one is the resource itself.
func (k policyKind) subResources(r admissionregistrationv1.NamedRuleWithOperations) (all []string) {
	if k.Resource == "" || !containsOr(r.APIGroups, k.Group, "*") || !containsOr(r.APIVersions, k.Version, "*") {
		return nil
	}
	for _, resource := range r.Resources {
		name, sub, _ := strings.Cut(resource, "/")
		if (name == k.Resource || name == "*") && (sub == "" || sub == "*" || sub == "status") {
			all = append(all, strings.TrimSuffix(sub, "*"))
		}
	}
	return all
}

// withLabels adds labels that a selector matches.
func withLabels(all []map[string]string, s *metav1.LabelSelector) []map[string]string {
	if s == nil {
		return all
	}
	set := selectedLabels(s)
	if slices.ContainsFunc(all, func(other map[string]string) bool { return maps.Equal(other, set) }) {
		return all
	}
	return append(all, set)
}

// requests returns random requests for a kind, the same each time.
func (c policyCheck) requests(of Kind) []policyRequest {
	k := c.described.kindOf(of)
	if k == nil || k.Schema == nil {
		return nil
	}
	each := 8 // for each density and call
	if k.Builtin {
		each = 3 // which have many members
	}
	m := c.described.matched(*k)
	var all []policyRequest
	for number, call := range m.calls {
		for _, density := range k.densities() {
			for i := range each {
				seed := uint64(number*1000 + int(density)*each + i)
				if r, ok := c.request(*k, m, call, density, seed); ok {
					all = append(all, r)
				}
			}
		}
		all = append(all, c.edges(*k, m, call, (number+1)*1000-100)...)
	}
	return all
}

// request returns one random request.
func (c policyCheck) request(k policyKind, m matched, call policyCall, density structural.Density, seed uint64) (policyRequest, bool) {
	i := int(seed)
	name, namespace := m.names[i%len(m.names)], ""
	if k.Namespaced {
		namespace = "default"
	}
	r := policyRequest{
		AdmissionRequest: &admissionv1.AdmissionRequest{
			Operation: call.operation, Name: name, Namespace: namespace, SubResource: call.subResource,
			Kind:     metav1.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind},
			Resource: metav1.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource},
			UserInfo: authenticationv1.UserInfo{Username: "random", Groups: []string{"system:authenticated"}},
		},
		Params: c.params(density, seed), Authorizer: []string{"allow", "deny"}[i%2],
	}
	if k.Namespaced {
		labels := map[string]string{corev1.LabelMetadataName: namespace}
		maps.Copy(labels, m.namespaces[i/2%len(m.namespaces)])
		r.NamespaceObject = &corev1.Namespace{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: labels},
		}
	}
	stored := call.operation != admissionv1.Create
	meta := func() map[string]any {
		o := map[string]any{"name": name}
		if k.Namespaced {
			o["namespace"] = namespace
		}
		labels := map[string]any{}
		for key, value := range m.objects[i/3%len(m.objects)] {
			labels[key] = value
		}
		if density > structural.Sparse {
			labels["one"], labels["other"], labels["third"] = "1", "2", "3"
			o["annotations"] = map[string]any{"example.com/one": "text", "example.com/other": "another text"}
		}
		if len(labels) > 0 {
			o["labels"] = labels
		}
		if stored {
			o["uid"], o["creationTimestamp"], o["generation"] = "00000000-0000-0000-0000-000000000001", "2020-01-01T00:00:00Z", json.Number("1")
			if i%5 == 4 {
				o["deletionTimestamp"], o["finalizers"] = "2020-01-02T00:00:00Z", []any{"example.com/last"}
			}
		}
		return o
	}
	object := k.random(seed, density, meta())
	old := object
	if i%3 > 0 { // or else nothing changes
		old = k.random(seed+1<<20, density, meta())
	}
	if object == nil || old == nil {
		return r, false
	}
	if call.operation != admissionv1.Delete {
		r.Object = runtime.RawExtension{Raw: object}
	}
	if stored {
		r.OldObject = runtime.RawExtension{Raw: old}
	}
	return r, true
}

// params returns the objects that bindings name or select.
func (c policyCheck) params(density structural.Density, seed uint64) []any {
	var all []any
	var known []string
	for _, p := range c.described.Policies {
		if p.Object.Spec.ParamKind == nil {
			continue
		}
		k := c.described.kindOf(Kind{p.Object.Spec.ParamKind.APIVersion, p.Object.Spec.ParamKind.Kind})
		if k == nil {
			continue
		}
		for _, b := range p.Bindings {
			if b.Spec.ParamRef == nil {
				continue
			}
			meta := map[string]any{"name": b.Spec.ParamRef.Name}
			if b.Spec.ParamRef.Name == "" {
				meta["name"] = "selected"
			}
			switch {
			case b.Spec.ParamRef.Namespace != "":
				meta["namespace"] = b.Spec.ParamRef.Namespace
			case k.Builtin && k.Namespaced:
				meta["namespace"] = "default"
			}
			for _, set := range withLabels(nil, b.Spec.ParamRef.Selector) {
				labels := map[string]any{}
				for key, value := range set {
					labels[key] = value
				}
				meta["labels"] = labels
			}
			identity := fmt.Sprint(k.apiVersion(), k.Kind, meta)
			if object := k.random(seed+1<<30, k.densities()[int(density)%len(k.densities())], meta); object != nil && !slices.Contains(known, identity) {
				all, known = append(all, object), append(known, identity)
			}
		}
	}
	return all
}
