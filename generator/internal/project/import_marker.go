// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

func configurationMarker(mutating bool, name string) string {
	return fmt.Sprintf("// +webhook:configuration(kind: %s, name: %s)", model.KindWord(mutating), quote(name))
}

// maxMarkerWidth is the maximal line width of a marker. A single argument may be longer.
const maxMarkerWidth = 120

// markers returns a webhook as +webhook markers in comment lines. target is the argument `for`, or "".
func (w *importedWebhook) markers(target string) []string {
	spec := w.Spec
	who, how := arguments{omit: w.omitted}, arguments{omit: w.omitted}
	if target != "" {
		who.text("for", target)
	}
	who.text("name", spec.Name)
	if s := spec.ClientConfig.Service; s != nil {
		if s.Path != nil {
			who.text("path", *s.Path)
		}
		service := s.Namespace + "/" + s.Name
		if s.Port != nil {
			service += ":" + strconv.Itoa(int(*s.Port))
		}
		if service != model.PlaceholderNamespace+"/"+model.DefaultServiceName {
			how.text("service", service)
		}
	}
	if u := spec.ClientConfig.URL; u != nil {
		who.text("url", *u)
	}
	if ca := spec.ClientConfig.CABundle; len(ca) > 0 {
		how.text("caBundle", base64.StdEncoding.EncodeToString(ca))
	}
	var lines []string
	if rules := spec.Rules; len(rules) > 0 {
		who.rule(rules[0])
		for _, r := range rules[1:] {
			a := new(arguments).text("webhook", spec.Name).rule(r) // other rules need all arguments
			lines = append(lines, "// +webhook:rule("+strings.Join(a.all, ", ")+")")
		}
	}
	for _, a := range registry.Arguments() {
		if text, set := a.Text(&spec); set {
			how.word(a.Name, text)
		}
	}
	how.list("admissionReviewVersions", spec.AdmissionReviewVersions)
	// Selectors become patches, which keep their form.
	patch := map[string]*metav1.LabelSelector{"namespaceSelector": spec.NamespaceSelector, "objectSelector": spec.ObjectSelector}
	maps.DeleteFunc(patch, func(_ string, s *metav1.LabelSelector) bool { return s == nil })
	if len(patch) > 0 {
		lines = append(lines, fmt.Sprintf("// +webhook:patch(webhook: %s)=%s", quote(spec.Name), quote(asJSON(patch))))
	}
	for _, c := range spec.MatchConditions {
		lines = append(lines, fmt.Sprintf("// +webhook:matchCondition(webhook: %s, name: %s)=%s", quote(spec.Name), quote(c.Name), quote(c.Expression)))
	}
	marker := folded("// +webhook:"+model.KindWord(w.Mutating)+"(", slices.Concat(who.all, how.all))
	return append(marker, lines...)
}

// folded returns a marker as comment lines within the maximal width.
func folded(begin string, arguments []string) []string {
	lines := []string{begin}
	for i, a := range arguments {
		last := len(lines) - 1
		end := ","
		if i == len(arguments)-1 {
			end = ")"
		}
		switch {
		case i == 0:
			lines[last] += a + end
		case len(lines[last])+len(" ")+len(a)+len(end) > maxMarkerWidth:
			lines = append(lines, "// "+a+end)
		default:
			lines[last] += " " + a + end
		}
	}
	return lines
}

// arguments are the "name: value" texts of a marker, in order, without omitted ones. The methods append to them.
type arguments struct {
	all  []string
	omit []string
}

func (a *arguments) text(name, value string) *arguments { return a.word(name, quote(value)) }

func (a *arguments) list(name string, values []string) { a.text(name, strings.Join(values, ";")) }

// lower returns words of an API in marker syntax.
func lower[T ~string](words []T) (all []string) {
	for _, w := range words {
		all = append(all, strings.ToLower(string(w)))
	}
	return all
}

func (a *arguments) word(name, value string) *arguments {
	if !slices.Contains(a.omit, name) {
		a.all = append(a.all, name+": "+value)
	}
	return a
}

func (a *arguments) rule(r admissionregistrationv1.RuleWithOperations) *arguments {
	groups := make([]string, len(r.APIGroups))
	for i, g := range r.APIGroups {
		groups[i] = cmp.Or(g, "core")
	}
	a.list("groups", groups)
	a.list("versions", r.APIVersions)
	a.list("resources", r.Resources)
	a.list("operations", lower(r.Operations))
	if r.Scope != nil {
		a.text("scope", string(*r.Scope))
	}
	return a
}

// quote returns a Go string literal, with backticks if that avoids escapes.
func quote(s string) string {
	if strings.ContainsAny(s, `"\`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
