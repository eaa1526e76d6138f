// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// olmNamespace is the namespace of a Service if a ClusterServiceVersion has none, as operator-sdk writes it. The
// namespace of the installation replaces it.
const olmNamespace = "placeholder"

// webhookDescription is an entry of spec.webhookdefinitions of a ClusterServiceVersion
// (github.com/operator-framework/api v0.35.0, pkg/operators/v1alpha1, WebhookDescription). It has no namespaceSelector,
// which OLM sets to the namespaces of the OperatorGroup, and no matchConditions.
type webhookDescription struct {
	Type           string   `json:"type"`
	GenerateName   string   `json:"generateName"`
	DeploymentName string   `json:"deploymentName"`
	ContainerPort  int32    `json:"containerPort"`
	TargetPort     any      `json:"targetPort"`
	WebhookPath    *string  `json:"webhookPath"`
	ConversionCRDs []string `json:"conversionCRDs"`
	// The other fields are those of a webhook.
	Rules                   []admissionregistrationv1.RuleWithOperations    `json:"rules"`
	FailurePolicy           *admissionregistrationv1.FailurePolicyType      `json:"failurePolicy"`
	MatchPolicy             *admissionregistrationv1.MatchPolicyType        `json:"matchPolicy"`
	ObjectSelector          *metav1.LabelSelector                           `json:"objectSelector"`
	SideEffects             *admissionregistrationv1.SideEffectClass        `json:"sideEffects"`
	TimeoutSeconds          *int32                                          `json:"timeoutSeconds"`
	ReinvocationPolicy      *admissionregistrationv1.ReinvocationPolicyType `json:"reinvocationPolicy"`
	AdmissionReviewVersions []string                                        `json:"admissionReviewVersions"`
}

// olmConversion is a conversion that OLM sets in the CustomResourceDefinitions with these names.
type olmConversion struct {
	definitions []string
	Conversion
}

// serviceVersion reads the webhooks of a ClusterServiceVersion. OLM writes a configuration for each of them, and a
// Service for each Deployment that serves them.
func (r *reader) serviceVersion(t text, node *yaml.Node) {
	namespace := cmp.Or(value(entry(node, "metadata"), "namespace"), olmNamespace)
	for _, item := range elements(entry(entry(node, "spec"), "webhookdefinitions")) {
		var d webhookDescription
		unknown, ok := r.decode(t, yamltext.Resolve(item), &d)
		if !ok {
			continue
		}
		at := model.Positions{}
		t.positions(at, "", item)
		for _, problem := range unknown {
			_, field, _ := strings.Cut(problem.Error(), `"`)
			where := at.Nearest(strings.TrimSuffix(field, `"`), t.Range(item))
			r.diags.Add(diag.Errorf(where, RuleObject, "%s: OLM has no such field", problem))
		}
		at.Set("name", at["generateName"])
		at.Set("clientConfig.service.path", at["webhookPath"])
		at.Set("clientConfig.service.port", at["containerPort"])
		at.Set("clientConfig.service", at["deploymentName"])
		w := d.webhook(namespace)
		w.Source = model.Source{Range: at.Nearest("name", t.Range(item)), At: at}
		service := object{Kind: "Service"}
		service.Metadata.Name, service.Metadata.Namespace = w.Spec.ClientConfig.Service.Name, namespace
		service.Spec.Ports = []struct{ Port int32 }{{*w.Spec.ClientConfig.Service.Port}}
		r.objects = append(r.objects, service)
		switch d.Type {
		case "ConversionWebhook":
			r.conversions = append(r.conversions, olmConversion{d.ConversionCRDs, Conversion{
				Range: w.Range, Client: w.Spec.ClientConfig, ReviewVersions: d.AdmissionReviewVersions,
			}})
		case "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook":
			allowed, bad := allowances(t.above(item))
			r.diags.Add(bad...)
			w.Allowed = allowed
			p := r.projects["v1"]
			p.Configurations = append(p.Configurations, &model.Configuration{
				Source: w.Source, Mutating: w.Mutating, Name: w.Configuration, Webhooks: []*model.Webhook{w},
			})
		default:
			r.diags.Add(diag.Errorf(at.Nearest("type", t.Range(item)), RuleObject, "OLM knows no webhooks of type %q", d.Type).
				WithHint("write ValidatingAdmissionWebhook, MutatingAdmissionWebhook or ConversionWebhook"))
		}
	}
}

// webhook returns the webhook as OLM writes it into its configuration.
func (d webhookDescription) webhook(namespace string) *model.Webhook {
	port := cmp.Or(d.ContainerPort, 443) // the default of the definition of ClusterServiceVersions
	service := &admissionregistrationv1.ServiceReference{
		Name: strings.ReplaceAll(d.DeploymentName, ".", "-") + "-service", Namespace: namespace, Path: d.WebhookPath, Port: &port,
	}
	w := &model.Webhook{Mutating: d.Type == "MutatingAdmissionWebhook", Configuration: d.GenerateName, Scoped: true}
	w.Spec = admissionregistrationv1.MutatingWebhook{
		Name: d.GenerateName, ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: service},
		Rules: d.Rules, FailurePolicy: d.FailurePolicy,
		MatchPolicy: d.MatchPolicy, ObjectSelector: d.ObjectSelector, SideEffects: d.SideEffects, TimeoutSeconds: d.TimeoutSeconds,
		AdmissionReviewVersions: d.AdmissionReviewVersions, ReinvocationPolicy: d.ReinvocationPolicy,
	}
	return w
}

// convert sets the conversions of ClusterServiceVersions in the definitions that they name, as OLM does.
func (r *reader) convert() {
	for _, d := range r.Definitions {
		for _, c := range r.conversions {
			for _, name := range c.definitions {
				if name == d.Name {
					d.Conversion, d.Unconverted = &c.Conversion, false
				}
			}
		}
	}
}
