// SPDX-License-Identifier: Apache-2.0

package check

import (
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Facts are the settings and files outside of the markers that checks need. A zero field disables its check.
type Facts struct {
	// Settings is the path of webhook-gen.yaml.
	Settings string
	// Callers is the credential that an API server has to present: "certificate", "token" or "password".
	Callers string
	// Aggregated is true if API servers reach the program through kube-aggregator.
	Aggregated bool
	// Kustomizations are the user's kustomization.yaml files, by the manifest that they are beside, as in the model.
	// Policies is the name of the file of policies there.
	Kustomizations map[string]load.Text
	Policies       string
	// Unserved are the receivers of hand-written ConvertTo methods in a module that registers no conversion webhook.
	Unserved []diag.Sourced[string]
}

// Files reports the mistakes of a project that depend on the facts outside of its markers.
func Files(p *model.Project, f Facts) diag.List {
	return slices.Concat(callers(p, f), served(f), listed(p, f))
}

// callers reports credentials that callers cannot present. In the aggregated topology, callers present only
// kube-aggregator's certificate. API servers present credentials to admission webhooks but not to conversion webhooks
// (k8s.io/apiextensions-apiserver pkg/apiserver/conversion, newWebhookConverterFactory).
func callers(p *model.Project, f Facts) diag.List {
	switch {
	case f.Callers == "":
		return nil
	case f.Aggregated:
		return diag.List{diag.Errorf(diag.InFile(f.Settings), "", "delivery.callers needs a %s, and with the topology aggregated kube-aggregator calls, by its own certificate", f.Callers).
			WithHint("remove delivery.callers from %s", filepath.Base(f.Settings))}
	case len(p.Conversions) == 0:
		return nil
	}
	return diag.List{diag.Errorf(p.Conversions[0].Range, "", "an API server presents no %s to conversions, and delivery.callers needs one", f.Callers).
		WithHint("remove delivery.callers from webhook-gen.yaml, or serve conversions by another program")}
}

// served reports hand-written conversions that the module no longer serves.
func served(f Facts) (diags diag.List) {
	for _, method := range f.Unserved {
		kind, isList := strings.CutSuffix(method.V, "List")
		if isList && slices.ContainsFunc(f.Unserved, func(m diag.Sourced[string]) bool { return m.V == kind }) {
			continue // lists are not sent to /convert
		}
		diags.Add(diag.Warningf(method.At, model.RuleServed, "nothing in this module serves the conversions of %s", method.V).
			WithHint("controller-runtime's NewWebhookManagedBy registers /convert for the type; without it, register conversion.NewWebhookHandler there, or mark the versions with +webhook:conversion"))
	}
	return diags
}

// listed reports each user's kustomization.yaml that does not list the policies. kustomize would omit them silently.
func listed(p *model.Project, f Facts) (diags diag.List) {
	parts, manifests := p.ByManifest()
	for i, part := range parts {
		file, ok := f.Kustomizations[manifests[i]]
		if !ok || len(part.AlwaysInstalled()) == 0 {
			continue
		}
		var content struct{ Resources []string }
		if err := yaml.Unmarshal(file.Content, &content); err == nil && slices.ContainsFunc(content.Resources, func(name string) bool {
			return filepath.Clean(name) == f.Policies
		}) {
			continue
		}
		diags.Add(diag.Warningf(diag.InFile(file.Path), model.RuleListed, "the file does not list %s, and kustomize leaves the policies out", f.Policies).
			WithHint("add to its resources: - %s", f.Policies))
	}
	return diags
}

// Program reports packages that have the same field name in the program's struct of all webhooks.
func Program(fields []model.ProgramField) (diags diag.List) {
	first := map[string]model.ProgramField{}
	for _, f := range fields {
		other, again := first[f.Name]
		if !again {
			first[f.Name] = f
			continue
		}
		diags.Add(diag.Errorf(f.Range, model.RuleProgram, "%s and %s are both called %s in zz_generated.webhooks.go", other.Path, f.Path, f.Name).
			WithHint("give the folder of one of them another name").WithRelated(other.Range, "the other package's webhooks begin here"))
	}
	return diags
}
