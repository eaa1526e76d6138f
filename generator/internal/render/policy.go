// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// PoliciesFile is the name of the file of policies, beside the manifest of the webhook configurations.
const PoliciesFile = "policies.yaml"

// policies writes policies and their bindings into a file.
func policies(file string, all []*model.Policy) ([]output.File, error) {
	out := bytes.NewBufferString(output.YAMLHeader + "\n")
	for _, policy := range all {
		objects := append([]any{PolicyObject(policy)}, BindingObjects(policy)...)
		for _, object := range objects {
			text, err := yamlDocument(object)
			if err != nil {
				return nil, err
			}
			out.WriteString("---\n")
			out.Write(text)
		}
	}
	return []output.File{{Path: file, Content: out.Bytes(), Owner: output.Generated}}, nil
}

// kindOf returns the type of an object of admissionregistration.k8s.io/v1.
func kindOf(mutating bool, suffix string) metav1.TypeMeta {
	t := metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicy" + suffix}
	if mutating {
		t.Kind = "MutatingAdmissionPolicy" + suffix
	}
	return t
}

// PolicyObject is the policy in Kubernetes' own type.
func PolicyObject(p *model.Policy) any {
	meta := metav1.ObjectMeta{Name: p.Name}
	if p.Mutating {
		return &admissionregistrationv1.MutatingAdmissionPolicy{TypeMeta: kindOf(true, ""), ObjectMeta: meta, Spec: p.Spec.Mutating()}
	}
	return &admissionregistrationv1.ValidatingAdmissionPolicy{TypeMeta: kindOf(false, ""), ObjectMeta: meta, Spec: p.Spec.Validating()}
}

// BindingObjects are the bindings of a policy in Kubernetes' own types.
func BindingObjects(p *model.Policy) []any {
	var all []any
	for _, b := range p.Bindings {
		meta := metav1.ObjectMeta{Name: b.Name}
		if !p.Mutating {
			all = append(all, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{TypeMeta: kindOf(false, "Binding"), ObjectMeta: meta, Spec: b.Spec})
			continue
		}
		all = append(all, &admissionregistrationv1.MutatingAdmissionPolicyBinding{
			TypeMeta: kindOf(true, "Binding"), ObjectMeta: meta,
			Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: b.Spec.PolicyName, ParamRef: b.Spec.ParamRef, MatchResources: b.Spec.MatchResources},
		})
	}
	return all
}
