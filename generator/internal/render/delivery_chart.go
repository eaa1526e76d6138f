// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
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
	conditions := map[string]string{
		"networkpolicy": ".Values.networkPolicy", "poddisruptionbudget": ".Values.podDisruptionBudget",
		"horizontalpodautoscaler": "(.Values.autoscaling).enabled",
		"cert-manager":            `eq .Values.certificates.mode "cert-manager"`,
		"servicemonitor":          `and (.Values.metrics).enabled (.Values.metrics).serviceMonitor`,
		"self-managed":            `eq .Values.certificates.mode "self-managed"`,
		"aggregated":              fmt.Sprintf("include %q .", d.options.Delivery.Name+".aggregated"),
		"migration":               "(.Values.migration).enabled",
		"wait":                    "(.Values.wait).enabled",
	}
	names := append(sharedObjects(), "aggregated", "cert-manager", "horizontalpodautoscaler", "self-managed", "servicemonitor")
	if helm.Migrated = d.migrated(); len(helm.Migrated) > 0 {
		names = append(names, "migration")
	}
	if helm.Waited = d.waited(); len(helm.Waited) > 0 {
		names = append(names, "wait")
	}
	for _, name := range names {
		text, err := templates.Execute("delivery/objects/"+name+".yaml.tmpl", helm)
		if condition, ok := conditions[name]; ok {
			text = fmt.Appendf(nil, "{{- if %s }}\n%s{{- end }}\n", condition, text)
		}
		d.addText(d.chartFolder()+"templates/"+name+".yaml", text, output.Generated, err)
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
					if of := (migrated{literal(quoted(group)), literal(quoted(resource))}); !slices.Contains(all, of) && !strings.Contains(resource, "/") {
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
			versions = append(versions, quoted(fmt.Sprint(v["name"])))
		}
		all = append(all, chartDefinition{quoted(c.name), strings.Join(versions, ", ")})
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
		all = append(all, chartWebhook{quoted(w.Spec.Name), enforced[w.Spec.Name]})
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
		names = append(names, quoted(cmp.Or(d.Alias, d.Name)))
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

// chartWebhooks adds the webhook configurations. Their templates include the values of each webhook.
func (d *deliverer) chartWebhooks() {
	if len(d.project.Configurations) == 0 {
		return
	}
	var b bytes.Buffer
	for _, c := range d.project.Configurations {
		kind := kindOf(c.Mutating, "WebhookConfiguration").Kind
		fmt.Fprintf(&b, "---\napiVersion: admissionregistration.k8s.io/%s\nkind: %s\nmetadata:\n  name: %s-%s\n", d.project.API, kind, d.helm().Name, d.chartName(c.Name))
		d.labels(&b, c.Labels)
		d.annotations(&b, c.Annotations)
		b.WriteString("webhooks:" + d.noWebhooks(c) + "\n")
		for _, w := range c.Webhooks {
			if w.Policy != nil {
				fmt.Fprintf(&b, "{{- if not (%s) }}\n", d.replacing(w.Policy))
			}
			d.chartWebhook(&b, w)
			if w.Policy != nil {
				b.WriteString("{{- end }}\n")
			}
		}
	}
	d.addText(d.chartFolder()+"templates/webhooks.yaml", b.Bytes(), output.Generated, nil)
}

// labels writes the common labels and an object's own labels. The own ones take precedence.
func (d *deliverer) labels(b *bytes.Buffer, own map[string]string) {
	if len(own) == 0 {
		fmt.Fprintf(b, "  labels:%s\n", d.helm().Labels(4))
		return
	}
	b.WriteString("  labels: {{- merge (dict")
	for _, key := range slices.Sorted(maps.Keys(own)) {
		fmt.Fprintf(b, " %q %q", key, own[key])
	}
	fmt.Fprintf(b, ") (include %q $ | fromYaml) | toYaml | nindent 4 }}\n", d.options.Delivery.Name+".labels")
}

// annotations writes an object's own annotations and the annotation that injects the caBundle.
func (d *deliverer) annotations(b *bytes.Buffer, own map[string]string) {
	if len(own) == 0 {
		fmt.Fprintf(b, "  {{- with include %q $ }}\n  annotations:\n    {{ . }}\n  {{- end }}\n", d.options.Delivery.Name+".injection")
		return
	}
	fmt.Fprintf(b, "  annotations:\n%s    {{- with include %q $ }}\n    {{ . }}\n    {{- end }}\n", pairs(own), d.options.Delivery.Name+".injection")
}

// pairs returns labels or annotations as YAML, sorted by key.
func pairs(m map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "    %s: %s\n", literal(templates.Word(key)), literal(quoted(m[key])))
	}
	return b.String()
}

// chartWebhook writes a webhook. Fields that values can set are template actions, and the others have the marker's
// values.
func (d *deliverer) chartWebhook(b *bytes.Buffer, w *model.Webhook) {
	fixed := spec.Defaulted(w.Spec, d.project.API)
	fmt.Fprintf(b, "  - name: %s\n    clientConfig:\n", literal(templates.Word(w.Spec.Name)))
	d.clientConfig(b, "      ", fixed.ClientConfig)
	namespaces, keepOut := fixed.NamespaceSelector, ""
	if w.KeptOut { // the template adds the requirement with the release's namespace
		namespaces.MatchExpressions = namespaces.MatchExpressions[:len(namespaces.MatchExpressions)-1]
		keepOut = ` "keepOut" true`
	}
	d.setting(b, w.Spec.Name, "failurePolicy", fmt.Sprintf("%q", *fixed.FailurePolicy))
	d.setting(b, w.Spec.Name, "timeoutSeconds", fmt.Sprint(*fixed.TimeoutSeconds))
	d.setting(b, w.Spec.Name, "namespaceSelector", d.selector(namespaces)+keepOut)
	d.setting(b, w.Spec.Name, "objectSelector", d.selector(fixed.ObjectSelector))
	fixed.FailurePolicy, fixed.TimeoutSeconds, fixed.NamespaceSelector, fixed.ObjectSelector = nil, nil, nil, nil
	rest := d.fields(spec.Validating(fixed))
	if w.Mutating {
		rest = d.fields(fixed)
	}
	delete(rest, "name")
	delete(rest, "clientConfig")
	d.block(b, "    ", rest)
}

// setting writes a field of a webhook, or of its policy, that values can set. marker is the field's default, a
// template expression.
func (d *deliverer) setting(b *bytes.Buffer, webhook, name, marker string) {
	fmt.Fprintf(b, "    %[1]s: {{ include %[2]q (dict \"root\" $ \"webhook\" %[3]q \"setting\" %[1]q \"marker\" %[4]s) }}\n", name, d.options.Delivery.Name+".setting", webhook, marker)
}

// selector returns a selector as an expression of Helm's template language.
func (d *deliverer) selector(s *metav1.LabelSelector) string {
	text, err := json.Marshal(cmp.Or(s, &metav1.LabelSelector{}))
	d.err = cmp.Or(d.err, err)
	return fmt.Sprintf("(mustFromJson %s)", templateText(string(text)))
}

// clientConfig writes a webhook's clientConfig. The release's service replaces the project's own.
func (d *deliverer) clientConfig(b *bytes.Buffer, indent string, c admissionregistrationv1.WebhookClientConfig) {
	s := c.Service
	if s == nil || s.Name != d.options.Delivery.Name || s.Namespace != d.options.Delivery.Namespace {
		d.block(b, indent, c)
		return
	}
	fmt.Fprintf(b, "%s{{- include %q (dict \"root\" $ \"path\" %q \"port\" %d) | nindent %d }}\n", indent, d.options.Delivery.Name+".clientConfig", *s.Path, *spec.Port(s.Port), len(indent))
}

// chartCRDs adds the CRDs as templates, because the conversion webhook's service depends on the release. The CRDs
// remain when the release is uninstalled, because their removal would delete all custom resources.
func (d *deliverer) chartCRDs() {
	if len(d.crds) == 0 {
		return
	}
	var b bytes.Buffer
	if slices.ContainsFunc(d.crds, func(c deliveredCRD) bool { return c.conversion != nil }) {
		b.WriteString("{{- if .Values.callers }}{{ fail \"callers: an API server presents nothing to conversions\" }}{{ end }}\n")
	}
	for _, c := range d.crds {
		content := maps.Clone(c.content)
		meta, _ := content["metadata"].(map[string]any)
		own := texts(meta["annotations"])
		own["helm.sh/resource-policy"] = "keep"
		fmt.Fprintf(&b, "---\napiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n", literal(templates.Word(fmt.Sprint(content["apiVersion"]))), literal(templates.Word(fmt.Sprint(content["kind"]))), literal(templates.Word(c.name)))
		d.labels(&b, texts(meta["labels"]))
		specification, _ := content["spec"].(map[string]any)
		specification = maps.Clone(specification)
		if c.isUnconverted() {
			specification["conversion"] = map[string]any{"strategy": "None"}
		}
		if c.conversion == nil {
			fmt.Fprintf(&b, "  annotations:\n%sspec:\n", pairs(own))
		} else {
			delete(specification, "conversion")
			d.annotations(&b, own)
			b.WriteString("spec:\n  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig:\n")
			d.clientConfig(&b, "        ", admissionregistrationv1.WebhookClientConfig{Service: &c.conversion.Service})
		}
		if !c.hasChoice() {
			d.block(&b, "  ", specification)
			continue
		}
		delete(specification, "versions")
		d.block(&b, "  ", specification)
		d.chartVersions(&b, c)
	}
	text := b.Bytes()
	if !d.hasOnlyPolicies() { // otherwise no server converts, and there is no value
		text = fmt.Appendf(nil, "{{- if include %q . }}\n%s{{- end }}\n", d.options.Delivery.Name+".crds", text)
	}
	d.addText(d.chartFolder()+"templates/crds.yaml", text, output.Generated, nil)
}

// chartVersions writes the versions of a CRD. Values can set which of them are served and stored.
func (d *deliverer) chartVersions(b *bytes.Buffer, c deliveredCRD) {
	b.WriteString("  versions:\n")
	for _, v := range c.versions() {
		b.WriteString("  -")
		name := fmt.Sprint(v["name"])
		for _, setting := range []string{"served", "storage"} {
			fmt.Fprintf(b, " %s: {{ include %q (dict \"root\" $ \"definition\" %q \"version\" %q \"marker\" %v) }}\n   ", setting, d.options.Delivery.Name+".version."+setting, c.name, name, v[setting] == true)
		}
		rest := maps.Clone(v)
		delete(rest, "served")
		delete(rest, "storage")
		var text bytes.Buffer
		d.block(&text, "    ", rest)
		b.WriteString(strings.TrimPrefix(text.String(), "   "))
	}
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

// block writes an object as YAML without template actions.
func (d *deliverer) block(b *bytes.Buffer, indent string, object any) {
	text, err := marshal(object)
	d.err = cmp.Or(d.err, err)
	for line := range strings.Lines(string(text)) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(literal(line))
	}
}

// literal escapes template actions in a text.
func literal(text string) string { return strings.ReplaceAll(text, "{{", "{{ `{{` }}") }

func quoted(text string) string {
	q, _ := json.Marshal(text) // a JSON string is a YAML string
	return string(q)
}
