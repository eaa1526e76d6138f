// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
	"github.com/webhook-gen/webhook-gen/templates"
)

// chart adds a Helm chart. Its templates and the schema of its values are generated. Chart.yaml and values.yaml
// belong to the user.
func (d *deliverer) chart() {
	if d.hasOnlyPolicies() {
		d.chartFiles("policies")
	} else {
		d.chartFiles("chart")
		d.chartObjects()
	}
	d.chartWebhooks()
	d.chartPolicies()
	d.chartCRDs()
}

func (d *deliverer) chartFolder() string { return "charts/" + d.options.Delivery.Name + "/" }

// chartObjects adds the templates of the server's objects.
func (d *deliverer) chartObjects() {
	helm := d.helm()
	names := append(sharedObjects(), "aggregated", "cert-manager", "horizontalpodautoscaler", "self-managed", "servicemonitor")
	if helm.Migrated = d.migrated(); len(helm.Migrated) > 0 {
		names = append(names, "migration")
	}
	if helm.Waited = d.waited(); len(helm.Waited) > 0 {
		names = append(names, "wait")
	}
	for _, name := range names {
		d.add(d.chartFolder()+"templates/"+name+".yaml", "delivery/objects/"+name+".yaml.tmpl", helm, output.Generated)
	}
}

// waited returns the resources whose creation calls webhooks, sorted.
func (d *deliverer) waited() (all []migrated) {
	for _, w := range d.project.Webhooks() {
		for _, r := range w.Spec.Rules {
			if !slices.Contains(r.Operations, admissionregistrationv1.Create) && !slices.Contains(r.Operations, admissionregistrationv1.OperationAll) {
				continue
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					if of := (migrated{templates.Literal(templates.Quoted(group)), templates.Literal(templates.Quoted(resource))}); !slices.Contains(all, of) && !strings.Contains(resource, "/") {
						all = append(all, of)
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b migrated) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Plural, b.Plural))
	})
	return all
}

// chartFiles adds the chart's other files. kind is the folder of the templates of values and notes.
func (d *deliverer) chartFiles(kind string) {
	folder := d.chartFolder()
	data := chartData{
		object: d.plain(), KubeVersion: d.kubeVersion(), Webhooks: d.webhooks(), Subcharts: subcharts(d.options.Delivery.Chart),
		Configured: len(d.project.Configurations) > 0, PolicyKinds: d.policyKinds(), Replacing: len(d.project.Replacements()) > 0, Alone: d.hasOnlyPolicies(),
		Definitions: d.definitions(),
	}
	if old := d.options.Delivery.Chart; old != nil {
		d.put(output.File{Path: d.path(folder + "Chart.yaml"), Content: withKubeVersion(old, data.KubeVersion), Base: old, Owner: output.Part}, nil)
	} else {
		d.add(folder+"Chart.yaml", "delivery/chart/Chart.yaml.tmpl", data, output.Once)
	}
	d.add(folder+"values.yaml", "delivery/"+kind+"/values.yaml.tmpl", data, output.Once)
	d.add(folder+"values.schema.json", "delivery/"+kind+"/values.schema.json.tmpl", data, output.Generated)
	d.add(folder+"templates/_helpers.tpl", "delivery/chart/helpers.tpl.tmpl", data, output.Generated)
	d.add(folder+"templates/NOTES.txt", "delivery/"+kind+"/NOTES.txt.tmpl", data, output.Generated)
}

// chartData is the data for the templates of the chart's other files.
type chartData struct {
	object
	// KubeVersion is the kubeVersion line of Chart.yaml, or "".
	KubeVersion string
	// Webhooks are the webhooks that values can configure. Subcharts are names in JSON.
	Webhooks  []chartWebhook
	Subcharts []string
	// Configured is true if the chart has webhook configurations.
	Configured bool
	// PolicyKinds are the kinds of the policies that replace no webhook. Replacing is true if other policies replace
	// webhooks.
	PolicyKinds []string
	Replacing   bool
	// Alone is true if the chart has policies and no server.
	Alone bool
	// Definitions are the CRDs of which values can set the versions.
	Definitions []chartDefinition
}

// chartDefinition is a CRD with several versions and their conversion, in JSON: its name and a list of its versions.
type chartDefinition struct{ Name, Versions string }

// definitions returns the CRDs of which values can set the versions.
func (d *deliverer) definitions() (all []chartDefinition) {
	for _, c := range d.crds {
		if !c.hasChoice() {
			continue
		}
		var versions []string
		for _, v := range c.versions() {
			versions = append(versions, templates.Quoted(fmt.Sprint(v["name"])))
		}
		all = append(all, chartDefinition{templates.Quoted(c.name), strings.Join(versions, ", ")})
	}
	return all
}

// chartWebhook is a webhook that values can configure.
type chartWebhook struct {
	// Name is the name in JSON.
	Name string
	// Enforced is true if values can set the webhook's enforcement. This applies to validating webhooks with
	// handlers.
	Enforced bool
}

// webhooks returns all webhooks, sorted by name.
func (d *deliverer) webhooks() []chartWebhook {
	enforced := map[string]bool{}
	for _, pkg := range handlerPackages(d.project) {
		for _, w := range pkg.all() {
			enforced[w.Spec.Name] = !w.Mutating
		}
	}
	var all []chartWebhook
	for _, w := range d.project.Webhooks() {
		all = append(all, chartWebhook{templates.Quoted(w.Spec.Name), enforced[w.Spec.Name]})
	}
	slices.SortFunc(all, func(a, b chartWebhook) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(all)
}

// subcharts returns the names, in JSON, of the dependencies in a Chart.yaml: values may contain settings for them. It
// ignores invalid YAML because Helm reports that.
func subcharts(chart []byte) []string {
	var content struct {
		Dependencies []struct{ Name, Alias string }
	}
	if err := yaml.Unmarshal(chart, &content); err != nil {
		return nil
	}
	var names []string
	for _, d := range content.Dependencies {
		names = append(names, templates.Quoted(cmp.Or(d.Alias, d.Name)))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// helm returns the data for templates of objects in the chart.
func (d *deliverer) helm() object {
	o := d.plain()
	o.Helm = true
	o.Name = fmt.Sprintf("{{ include %q $ }}", o.App+".name")
	o.Namespace = "{{ $.Release.Namespace }}"
	o.Image = fmt.Sprintf("{{ include %q . | quote }}", o.App+".image")
	o.Secret = fmt.Sprintf("{{ include %q $ }}", o.App+".secret")
	o.ClusterName = "{{ $.Release.Namespace }}-" + o.Name
	o.Group = fmt.Sprintf("{{ include %q $ }}", o.App+".group")
	for _, i := range d.serviceUsers() {
		if i.Kind != "CustomResourceDefinition" {
			i.Name = o.Name + "-" + d.chartName(i.Name)
		}
		o.Injected = append(o.Injected, i)
	}
	return o
}

// chartName returns a configuration's name without the project's name. The chart puts the release's name in its
// place.
func (d *deliverer) chartName(configuration string) string {
	return strings.TrimPrefix(configuration, d.options.Delivery.Name+"-")
}

// chartObject is the data of an object whose fields are partly template actions.
type chartObject struct {
	App, APIVersion, Kind, Name string
	Labels, Annotations         map[string]string
	// Injected is true if an annotation injects the caBundle.
	Injected bool
	// ClientConfig and Rest are YAML: of a conversion, and of the fields that values cannot set.
	ClientConfig, Rest string
}

// chartSelectors are the selectors of a webhook, or of the policy in its place: expressions of Helm's template language.
type chartSelectors struct {
	App, Webhook        string
	Namespaces, Objects string
	// KeptOut is true if the namespaces are others than the release's.
	KeptOut bool
}

// chartReplacing is a policy in place of a webhook, and the oldest minor version of Kubernetes that has it.
type chartReplacing struct {
	App, Kind string
	Since     int
}

// replacing returns the data of a policy that replaces a webhook; nil for another one.
func (d *deliverer) replacing(p *model.Policy) *chartReplacing {
	if p == nil || p.InsteadOf == nil {
		return nil
	}
	return &chartReplacing{d.options.Delivery.Name, kindOf(p.Mutating, "AdmissionPolicy").Kind, p.Since}
}

// chartConfiguration is the data of a webhook configuration.
type chartConfiguration struct {
	chartObject
	Webhooks []chartWebhookEntry
	// Replaced are the policies that replace all of the webhooks.
	Replaced []*chartReplacing
}

// chartWebhookEntry is the data of a webhook in a configuration.
type chartWebhookEntry struct {
	chartSelectors
	Policy             *chartReplacing
	Failure            string
	Timeout            int32
	ClientConfig, Rest string
}

// chartWebhooks adds the webhook configurations. Their templates include the values of each webhook.
func (d *deliverer) chartWebhooks() {
	var all []chartConfiguration
	for _, c := range d.project.Configurations {
		o := chartConfiguration{chartObject: chartObject{
			App: d.options.Delivery.Name, APIVersion: "admissionregistration.k8s.io/" + d.project.API, Kind: kindOf(c.Mutating, "WebhookConfiguration").Kind,
			Name: d.chartName(c.Name), Labels: c.Labels, Annotations: c.Annotations, Injected: true,
		}}
		for _, w := range c.Webhooks {
			o.Webhooks = append(o.Webhooks, d.chartWebhook(w))
			o.Replaced = append(o.Replaced, d.replacing(w.Policy))
		}
		if slices.Contains(o.Replaced, nil) {
			o.Replaced = nil
		}
		all = append(all, o)
	}
	if all != nil {
		d.add(d.chartFolder()+"templates/webhooks.yaml", "delivery/chart/webhooks.yaml.tmpl", all, output.Generated)
	}
}

// chartWebhook returns the data of a webhook. The fields that values cannot set have the marker's values.
func (d *deliverer) chartWebhook(w *model.Webhook) chartWebhookEntry {
	fixed := spec.Defaulted(w.Spec, d.project.API)
	namespaces := fixed.NamespaceSelector
	if w.KeptOut { // the template adds the requirement with the release's namespace
		namespaces.MatchExpressions = namespaces.MatchExpressions[:len(namespaces.MatchExpressions)-1]
	}
	e := chartWebhookEntry{
		chartSelectors: d.selectors(w, namespaces, fixed.ObjectSelector), Policy: d.replacing(w.Policy), Failure: string(*fixed.FailurePolicy),
		Timeout: *fixed.TimeoutSeconds, ClientConfig: d.clientConfig("      ", fixed.ClientConfig),
	}
	e.KeptOut = w.KeptOut
	fixed.FailurePolicy, fixed.TimeoutSeconds, fixed.NamespaceSelector, fixed.ObjectSelector = nil, nil, nil, nil
	rest := d.fields(spec.Validating(fixed))
	if w.Mutating {
		rest = d.fields(fixed)
	}
	delete(rest, "name")
	delete(rest, "clientConfig")
	e.Rest = d.block("    ", rest)
	return e
}

// selectors returns the selectors of a webhook, or of the policy in its place.
func (d *deliverer) selectors(w *model.Webhook, namespaces, objects *metav1.LabelSelector) chartSelectors {
	return chartSelectors{App: d.options.Delivery.Name, Webhook: w.Spec.Name, Namespaces: d.selector(namespaces), Objects: d.selector(objects)}
}

// selector returns a selector as an expression of Helm's template language.
func (d *deliverer) selector(s *metav1.LabelSelector) string {
	text, err := json.Marshal(cmp.Or(s, &metav1.LabelSelector{}))
	d.err = cmp.Or(d.err, err)
	return fmt.Sprintf("(mustFromJson %s)", templateText(string(text)))
}

// clientConfig returns a webhook's clientConfig. The release's service replaces the project's own.
func (d *deliverer) clientConfig(indent string, c admissionregistrationv1.WebhookClientConfig) string {
	s := c.Service
	if s == nil || s.Name != d.options.Delivery.Name || s.Namespace != d.options.Delivery.Namespace {
		return d.block(indent, c)
	}
	return fmt.Sprintf("%s{{- include %q (dict \"root\" $ \"path\" %q \"port\" %d) | nindent %d }}\n", indent, d.options.Delivery.Name+".clientConfig", *s.Path, *spec.Port(s.Port), len(indent))
}

// chartDefinitions is the data of the CRDs.
type chartDefinitions struct {
	App string
	// Owned is true if a value decides whether the release has the CRDs.
	Owned bool
	// Converts is true if a webhook converts a kind.
	Converts bool
	CRDs     []chartCRD
}

// chartCRD is the data of a CRD. Versions are the versions that values can have served and stored.
type chartCRD struct {
	chartObject
	Versions []chartVersion
}

// chartVersion is the data of a version of a CRD.
type chartVersion struct {
	App, Definition, Name string
	Served, Storage       bool
	Rest                  string
}

// chartCRDs adds the CRDs as templates, because the conversion webhook's service depends on the release. The CRDs
// remain when the release is uninstalled, because their removal would delete all custom resources.
func (d *deliverer) chartCRDs() {
	app := d.options.Delivery.Name
	data := chartDefinitions{App: app, Owned: !d.hasOnlyPolicies()} // with policies alone, no server converts
	for _, c := range d.crds {
		meta, _ := c.content["metadata"].(map[string]any)
		o := chartCRD{chartObject: chartObject{
			App: app, APIVersion: fmt.Sprint(c.content["apiVersion"]), Kind: fmt.Sprint(c.content["kind"]), Name: c.name,
			Labels: texts(meta["labels"]), Annotations: texts(meta["annotations"]), Injected: c.conversion != nil,
		}}
		o.Annotations["helm.sh/resource-policy"] = "keep"
		specification, _ := c.content["spec"].(map[string]any)
		specification = maps.Clone(specification)
		if c.isUnconverted() {
			specification["conversion"] = map[string]any{"strategy": "None"}
		}
		if c.conversion != nil {
			data.Converts = true
			delete(specification, "conversion")
			o.ClientConfig = d.clientConfig("        ", admissionregistrationv1.WebhookClientConfig{Service: &c.conversion.Service})
		}
		if c.hasChoice() {
			delete(specification, "versions")
			o.Versions = d.chartVersions(c)
		}
		o.Rest = d.block("  ", specification)
		data.CRDs = append(data.CRDs, o)
	}
	if data.CRDs != nil {
		d.add(d.chartFolder()+"templates/crds.yaml", "delivery/chart/crds.yaml.tmpl", data, output.Generated)
	}
}

// chartVersions returns the data of the versions of a CRD. Values can set which of them are served and stored.
func (d *deliverer) chartVersions(c deliveredCRD) (all []chartVersion) {
	for _, v := range c.versions() {
		rest := maps.Clone(v)
		delete(rest, "served")
		delete(rest, "storage")
		all = append(all, chartVersion{d.options.Delivery.Name, c.name, fmt.Sprint(v["name"]), v["served"] == true, v["storage"] == true, d.block("    ", rest)})
	}
	return all
}

// texts returns an object's string members by key.
func texts(object any) map[string]string {
	all := map[string]string{}
	own, _ := object.(map[string]any)
	for key, value := range own {
		all[key], _ = value.(string)
	}
	return all
}

// fields returns an object as a map with JSON names.
func (d *deliverer) fields(object any) map[string]any {
	content, err := fields(object)
	d.err = cmp.Or(d.err, err)
	return content
}

// block returns an object as YAML without template actions.
func (d *deliverer) block(indent string, object any) string {
	text, err := marshal(object)
	d.err = cmp.Or(d.err, err)
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(templates.Literal(line))
	}
	return b.String()
}
