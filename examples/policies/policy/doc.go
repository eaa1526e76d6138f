// Package policy holds what this cluster asks of core objects.
//
// +webhook:defaults(failurePolicy: Ignore, timeoutSeconds: 3,
// namespaceSelector: "policies.example.com/exempt!=true")
// +webhook:service(name: "policies", namespace: "policy-system", port: 8443)
// +webhook:configuration(name: "policies.example.com", labels: "app.kubernetes.io/name=policies")
package policy
