// SPDX-License-Identifier: Apache-2.0

package policies

// Verdict has every part of a validation.
//
// +webhook:policy:validating(for: "v1/ConfigMap", operations: "create;update", namespaceSelector: "policies=verdict")
// +webhook:policy:variable(name: "size")="object.?data.size.orValue('0')"
// +webhook:policy:matchCondition(name: "not-exempt")="!object.metadata.name.startsWith('exempt')"
// +webhook:policy:validation(message: "too large", messageExpression: `variables.size == '7' ? 'seven is too large' : ""`, reason: RequestEntityTooLarge)="int(variables.size) < 5"
// +webhook:policy:auditAnnotation(key: "size")="'size ' + variables.size"
type Verdict struct{}

// Members has two policies. Each member belongs to one policy.
//
// +webhook:policy:validating(for: "v1/ConfigMap", name: "first", operations: "create", namespaceSelector: "policies=members")
// +webhook:policy:validating(for: "v1/ConfigMap", name: "other", operations: "create", namespaceSelector: "policies=members")
// +webhook:policy:rule(policy: "first", groups: "core", versions: "v1", resources: "secrets", scope: Namespaced, operations: "create", resourceNames: "secret")
// +webhook:policy:rule(policy: "first", groups: "apps", versions: "v1", resources: "deployments", subresource: "scale", operations: "update")
// +webhook:policy:exclude(policy: "first", resourceNames: "kept")
// +webhook:policy:matchCondition(policy: "first", name: "not-skipped")="object.metadata.name != 'skipped'"
// +webhook:policy:variable(policy: "first", name: "verdict")="false"
// +webhook:policy:validation(policy: "first", message: "the first")="variables.verdict"
// +webhook:policy:binding(policy: "first", namespaceSelector: "first=yes")
// +webhook:policy:validation(policy: "other", message: "the other")="object.metadata.name != 'other'"
// +webhook:policy:auditAnnotation(policy: "other", key: "seen")="'yes'"
type Members struct{}

// Scaled is about one object's scale.
//
// +webhook:policy:validating(for: "apps/v1/Deployment", subresource: "scale", operations: "update", resourceNames: "scaled", namespaceSelector: "policies=scaled")
// +webhook:policy:validation(message: "three at most")="object.?spec.replicas.orValue(0) <= 3"
type Scaled struct{}

// Failing has expressions that fail.
//
// +webhook:policy:validating(for: "v1/ConfigMap", name: "open", operations: "create", failurePolicy: Ignore, namespaceSelector: "policies=open")
// +webhook:policy:validating(for: "v1/ConfigMap", name: "closed", operations: "create", failurePolicy: Fail, namespaceSelector: "policies=closed")
// +webhook:policy:validation="int(object.metadata.name) > 0"
type Failing struct{}

// Versions is for objects in one version.
//
// +webhook:policy:validating(for: "autoscaling/v2/HorizontalPodAutoscaler", name: "exact", operations: "create", matchPolicy: Exact, namespaceSelector: "policies=exact")
// +webhook:policy:validating(for: "autoscaling/v2/HorizontalPodAutoscaler", name: "equivalent", operations: "create", matchPolicy: Equivalent, namespaceSelector: "policies=equivalent")
// +webhook:policy:validation(message: "no autoscaler")="false"
type Versions struct{}

// Labelled is for objects with a label.
//
// +webhook:policy:validating(for: "v1/ConfigMap", name: "labelled", operations: "create", objectSelector: "guarded=yes", namespaceSelector: "policies=labelled")
// +webhook:policy:validation(message: "guarded")="false"
type Labelled struct{}

// Parameters reads parameters.
//
// +webhook:policy:validating(for: "v1/Secret", operations: "create", params: "v1/ConfigMap", namespaceSelector: "policies=parameters")
// +webhook:policy:validation(message: "refused by parameters")=`object.metadata.name != params.?data.refused.orValue("")`
// +webhook:policy:binding(params: "limits", parameterNotFound: Allow, namespaceSelector: "parameters=named")
// +webhook:policy:binding(name: "selected", params: "policies-parameters/*", paramSelector: "limits=yes", parameterNotFound: Deny, namespaceSelector: "parameters=selected")
type Parameters struct{}

// Bound is a policy that its bindings narrow.
//
// +webhook:policy:validating(for: "v1/ConfigMap", name: "bound", operations: "*", groups: "*", versions: "*", resources: "*/*", scope: Namespaced, namespaceSelector: "policies=bound")
// +webhook:policy:validation(message: "bound")="false"
// +webhook:policy:binding(name: "named", validationActions: "deny", groups: "core", versions: "v1", resources: "configmaps", scope: Namespaced, operations: "create", resourceNames: "named")
// +webhook:policy:binding(name: "scaling", groups: "apps", versions: "v1", resources: "deployments", subresource: "scale", operations: "update")
// +webhook:policy:binding(name: "exact", groups: "autoscaling", versions: "v2", resources: "horizontalpodautoscalers", operations: "create", matchPolicy: Exact)
// +webhook:policy:binding(name: "warned", validationActions: "warn;audit", objectSelector: "warn=yes")
type Bound struct{}

// Changes has mutating policies that see each other's changes.
//
// +webhook:policy:mutating(for: "v1/ConfigMap", name: "a", operations: "create", reinvocationPolicy: IfNeeded, namespaceSelector: "policies=changes")
// +webhook:policy:mutating(for: "v1/ConfigMap", name: "b", operations: "create", reinvocationPolicy: Never, namespaceSelector: "policies=changes")
// +webhook:policy:mutating(for: "v1/ConfigMap", name: "c", operations: "create", namespaceSelector: "policies=changes")
// +webhook:policy:variable(policy: mutating, name: "later")="has(object.metadata.labels) && 'later' in object.metadata.labels ? 'yes' : 'no'"
// +webhook:policy:mutation(policy: "a", type: applyConfiguration)="Object{metadata: Object.metadata{labels: {'again': variables.later}}}"
// +webhook:policy:mutation(policy: "b", type: applyConfiguration)="Object{metadata: Object.metadata{labels: {'once': variables.later}}}"
// +webhook:policy:mutation(policy: "c", type: jsonPatch)="[JSONPatch{op: 'add', path: '/metadata/labels/later', value: 'x'}]"
// +webhook:allow(rule: "P32", policy: "c")="the objects of the test have labels"
type Changes struct{}
