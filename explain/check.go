// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
	"github.com/webhook-gen/webhook-gen/explain/internal/configuration"
	"github.com/webhook-gen/webhook-gen/explain/internal/policy"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// Finding is a mistake in an expression of a webhook or a policy.
type Finding struct {
	// Rule is the id of a rule of lint or of generate.
	Rule condition.Rule
	// Policy is an index into the project's policies, and Field the path of the policy's expression. For a webhook, Policy
	// is nil, and Configuration and Webhook are indexes into the project. Condition is an index into the webhook's
	// matchConditions.
	Policy        *int
	Field         string
	Configuration int
	Webhook       int
	Condition     int
	condition.Problem
}

// Check returns the mistakes in the expressions of a project, as an API server of a version finds them. An empty
// version is the oldest that the project supports.
func Check(p *project.Project, kubeVersion string) ([]Finding, error) {
	quiet()
	kubernetes, err := kubernetesVersion(kubeVersion, p)
	if err != nil {
		return nil, err
	}
	return checkConditions(p, kubernetes)
}

// Newest is the newest version of Kubernetes whose expressions are known, such as 1.34.
func Newest() string {
	before := environment.DefaultCompatibilityVersion() // the version whose expressions it takes for new objects
	return fmt.Sprintf("%d.%d", before.Major(), before.Minor()+1)
}

// kubernetesVersion is the version of --kube-version, or else the oldest that the project supports; nil if neither says
// it. Its minor version is at least 1, since expressions are compiled for the one before it.
func kubernetesVersion(flag string, p *project.Project) (*version.Version, error) {
	text, from := flag, "--kube-version"
	if flag == "" {
		text, from = p.MinKubernetesVersion, "minKubernetesVersion"
	}
	if text == "" {
		return nil, nil
	}
	v, err := version.ParseGeneric(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if v.Major() != 1 || v.Minor() < 1 {
		return nil, fmt.Errorf("%s: %s is no version of Kubernetes", from, text)
	}
	return v, nil
}

func checkConditions(p *project.Project, kubernetes *version.Version) ([]Finding, error) {
	compiler, err := condition.NewCompiler(kubernetes)
	if err != nil {
		return nil, err
	}
	checker, err := policy.NewChecker(kubernetes, p.Types)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for i := range p.Configurations {
		var set configuration.Set
		if err := set.Add(&p.Configurations[i].Object); err != nil {
			return nil, err
		}
		for j, w := range set.Webhooks() {
			_, mutating := w.GetMutatingWebhook()
			var kinds []project.GroupVersionKind
			if described := p.Configurations[i].Webhooks; j < len(described) {
				kinds = described[j].Kinds
			}
			typed, err := checker.MatchConditions(w.GetMatchConditions(), w.GetRules(), mutating, kinds)
			if err != nil {
				return nil, err
			}
			for _, f := range append(compiler.Check(w.GetMatchConditions(), w.GetRules(), mutating), typed...) {
				found = append(found, Finding{Rule: f.Rule, Configuration: i, Webhook: j, Condition: f.Condition, Problem: f.Problem})
			}
		}
	}
	policies, err := checkPolicies(p, kubernetes)
	return append(found, policies...), err
}

// checkPolicies checks the policies on all processors.
func checkPolicies(p *project.Project, kubernetes *version.Version) ([]Finding, error) {
	const atLeast = 32 // a checker of its own costs as much as some policies
	count := len(p.Policies)
	workers := max(1, min(runtime.GOMAXPROCS(0), count/atLeast))
	found, errs := make([][]Finding, workers), make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			checkers := policyCheckers{project: p, kubernetes: kubernetes, bySince: map[string]*policy.Checker{}}
			found[w], errs[w] = checkers.check(w*count/workers, (w+1)*count/workers)
		})
	}
	all.Wait()
	return slices.Concat(found...), errors.Join(errs...)
}

// policyCheckers check policies, which may be for several versions of Kubernetes. They are for one goroutine.
type policyCheckers struct {
	project    *project.Project
	kubernetes *version.Version
	bySince    map[string]*policy.Checker
}

// check returns the findings of the policies from one index to another, which is excluded.
func (c policyCheckers) check(from, to int) (found []Finding, err error) {
	for i := from; i < to; i++ {
		declared := c.project.Policies[i]
		checker, err := c.of(declared.Since)
		if err != nil {
			return nil, err
		}
		problems, err := checker.Policy(declared)
		if err != nil {
			return nil, err
		}
		for _, f := range problems {
			found = append(found, Finding{Rule: f.Rule, Policy: &i, Field: f.Field, Problem: f.Problem})
		}
	}
	return found, nil
}

// of returns the checker for the version since which a policy is there. It is empty for the oldest of the project.
func (c policyCheckers) of(since string) (*policy.Checker, error) {
	if known, ok := c.bySince[since]; ok {
		return known, nil
	}
	kubernetes := c.kubernetes
	if since != "" {
		version, err := version.ParseGeneric(since)
		if err != nil {
			return nil, fmt.Errorf("since: %w", err)
		}
		if kubernetes == nil || !kubernetes.AtLeast(version) {
			kubernetes = version
		}
	}
	checker, err := policy.NewChecker(kubernetes, c.project.Types)
	c.bySince[since] = checker
	return checker, err
}
