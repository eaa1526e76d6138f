// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"
)

// object contains the fields of Services, workloads and roles that show who serves the webhooks, and with which
// permissions.
type object struct {
	Kind     string
	Metadata struct {
		Name, Namespace string
		Labels          map[string]string
	}
	// Spec is the spec of a Service, a Deployment, a StatefulSet or a DaemonSet.
	Spec struct {
		Selector yaml.Node
		Ports    []struct{ Port int32 }
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				ServiceAccountName string `yaml:"serviceAccountName"`
			}
		}
	}
	// RoleRef and Subjects are of a binding.
	RoleRef  subject `yaml:"roleRef"`
	Subjects []subject
	// Rules and AggregationRule are of a role.
	Rules []struct {
		APIGroups        []string `yaml:"apiGroups"`
		Resources, Verbs []string
	}
	AggregationRule yaml.Node `yaml:"aggregationRule"`
}

type subject struct{ Kind, Name, Namespace string }

// objects are the objects of all sources.
type objects []object

// injects reports a role that lets something write resources of a group, or may let it: others may add to it.
func (all objects) injects(group string, resources ...string) bool {
	has := func(list []string, words ...string) bool {
		return slices.ContainsFunc(append(words, "*"), func(w string) bool { return slices.Contains(list, w) })
	}
	for _, o := range all {
		if o.Kind != "Role" && o.Kind != "ClusterRole" {
			continue
		}
		if !o.AggregationRule.IsZero() {
			return true
		}
		for _, rule := range o.Rules {
			if has(rule.APIGroups, group) && has(rule.Verbs, "update", "patch") &&
				has(rule.Resources, resources...) {
				return true
			}
		}
	}
	return false
}

// services returns the ports of Services, by namespace/name.
func (all objects) services() map[string][]int32 {
	services := map[string][]int32{}
	for _, o := range all {
		if o.Kind != "Service" {
			continue
		}
		key := o.Metadata.Namespace + "/" + o.Metadata.Name
		services[key] = []int32{}
		for _, p := range o.Spec.Ports {
			services[key] = append(services[key], p.Port)
		}
	}
	return services
}

// servers returns the Services, as namespace/name, with complete manifests: pods, and each role of their accounts.
func (all objects) servers() map[string]bool {
	servers := map[string]bool{}
	for _, o := range all {
		var selector map[string]string
		if o.Kind != "Service" || o.Spec.Selector.Decode(&selector) != nil || len(selector) == 0 {
			continue
		}
		selects := labels.SelectorFromSet(selector)
		isServed, isKnown := false, true
		for _, p := range all {
			if p.Metadata.Namespace != o.Metadata.Namespace || !selects.Matches(labels.Set(p.Spec.Template.Metadata.Labels)) {
				continue
			}
			isServed = true
			isKnown = isKnown && all.knowsRightsOf(p.Metadata.Namespace, p.Spec.Template.Spec.ServiceAccountName)
		}
		if isServed && isKnown {
			servers[o.Metadata.Namespace+"/"+o.Metadata.Name] = true
		}
	}
	return servers
}

// knowsRightsOf reports whether roles are bound to an account and every one of them is in the manifests.
func (all objects) knowsRightsOf(namespace, account string) bool {
	isBound := false
	for _, b := range all {
		if !slices.Contains(b.Subjects, subject{"ServiceAccount", account, namespace}) {
			continue
		}
		isBound = true
		if !slices.ContainsFunc(all, func(o object) bool {
			return o.Kind == b.RoleRef.Kind && o.Metadata.Name == b.RoleRef.Name && (o.Kind == "ClusterRole" || o.Metadata.Namespace == b.Metadata.Namespace)
		}) {
			return false
		}
	}
	return isBound
}
