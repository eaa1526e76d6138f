// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// PoliciesFile is the name of the file of policies, in the folder of the manifest.
const PoliciesFile = "policies.yaml"

// policies returns a file with policies and their bindings.
func policies(file string, all []*model.Policy) (output.File, error) {
	content := []byte(output.YAMLHeader + "\n")
	for _, policy := range all {
		for _, object := range append([]any{PolicyObject(policy)}, BindingObjects(policy)...) {
			text, err := document(object, "v1", marshal)
			if err != nil {
				return output.File{}, err
			}
			content = append(content, text...)
		}
	}
	return output.File{Path: file, Content: content, Owner: output.Generated}, nil
}

// kindOf returns the TypeMeta of an object in admissionregistration.k8s.io/v1, such as a
// MutatingWebhookConfiguration.
func kindOf(mutating bool, of string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: model.Upper(model.KindWord(mutating)) + of}
}

// PolicyObject returns the policy as an API object, with the fields that an API server would add
// (SetDefaults_ValidatingAdmissionPolicySpec and SetDefaults_MutatingAdmissionPolicySpec of
// k8s.io/kubernetes/pkg/apis/admissionregistration/v1).
func PolicyObject(p *model.Policy) any {
	meta, fields := metav1.ObjectMeta{Name: p.Name}, p.Spec
	fields.FailurePolicy = cmp.Or(fields.FailurePolicy, new(admissionregistrationv1.Fail))
	if fields.MatchConstraints != nil {
		fields.MatchConstraints = spec.DefaultedMatch(fields.MatchConstraints)
	}
	if p.Mutating {
		return &admissionregistrationv1.MutatingAdmissionPolicy{TypeMeta: kindOf(true, "AdmissionPolicy"), ObjectMeta: meta, Spec: fields.Mutating()}
	}
	return &admissionregistrationv1.ValidatingAdmissionPolicy{TypeMeta: kindOf(false, "AdmissionPolicy"), ObjectMeta: meta, Spec: fields.Validating()}
}

// BindingObjects returns the bindings of a policy as API objects, with the fields that an API server would add.
func BindingObjects(p *model.Policy) []any {
	var all []any
	for _, b := range p.Bindings {
		meta, fields := metav1.ObjectMeta{Name: b.Name}, b.Spec
		if fields.MatchResources != nil {
			fields.MatchResources = spec.DefaultedMatch(fields.MatchResources)
		}
		if !p.Mutating {
			all = append(all, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{TypeMeta: kindOf(false, "AdmissionPolicyBinding"), ObjectMeta: meta, Spec: fields})
			continue
		}
		all = append(all, &admissionregistrationv1.MutatingAdmissionPolicyBinding{
			TypeMeta: kindOf(true, "AdmissionPolicyBinding"), ObjectMeta: meta,
			Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: fields.PolicyName, ParamRef: fields.ParamRef, MatchResources: fields.MatchResources},
		})
	}
	return all
}
