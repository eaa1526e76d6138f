// Package policies holds webhooks that differ from one another in one argument of their marker, so that a test sees what
// the argument does: the one is called, or called otherwise, where the other is not.
//
// Those that only look match every ConfigMap or Fleet there is. Those that change or deny something match by a label.
//
// +webhook:service(name: "webhooks", namespace: "integration-system", port: 8443)
package policies
