// SPDX-License-Identifier: Apache-2.0

package kubebuilder

// definition is one of the two markers, as sigs.k8s.io/controller-tools/pkg/webhook declares it.
type definition struct {
	name       string
	parameters []parameter
}

// parameter is an argument that a marker takes.
type parameter struct {
	name     string
	kind     kind
	required bool
}

// kind is the syntax of a value.
type kind int

const (
	textValue kind = iota
	listValue
	numberValue
	truthValue
)

const (
	webhookName       = "kubebuilder:webhook"
	configurationName = "kubebuilder:webhookconfiguration"
)

// webhookDefinition mirrors webhook.Config.
func webhookDefinition() definition {
	return definition{webhookName, []parameter{
		{"mutating", truthValue, true},
		{"name", textValue, true},
		{"failurePolicy", textValue, true},
		{"groups", listValue, true},
		{"versions", listValue, true},
		{"resources", listValue, true},
		{"verbs", listValue, true},
		{"admissionReviewVersions", listValue, true},
		{"path", textValue, false},
		{"url", textValue, false},
		{"serviceName", textValue, false},
		{"serviceNamespace", textValue, false},
		{"servicePort", numberValue, false},
		{"matchPolicy", textValue, false},
		{"sideEffects", textValue, false},
		{"timeoutSeconds", numberValue, false},
		{"reinvocationPolicy", textValue, false},
		{"webhookVersions", listValue, false},
		{"patch", textValue, false},
	}}
}

// configurationDefinition mirrors webhook.WebhookConfig.
func configurationDefinition() definition {
	return definition{configurationName, []parameter{
		{"mutating", truthValue, true},
		{"name", textValue, false},
	}}
}

func (d definition) parameter(name string) (parameter, bool) {
	for _, p := range d.parameters {
		if p.name == name {
			return p, true
		}
	}
	return parameter{}, false
}

func (d definition) names() []string {
	var names []string
	for _, p := range d.parameters {
		names = append(names, p.name)
	}
	return names
}
