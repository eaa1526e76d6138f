// +k8s:conversion-gen=github.com/jetstack/cert-manager/pkg/apis/acme/v1
// +k8s:conversion-gen-external-types=github.com/jetstack/cert-manager/pkg/apis/acme/v1alpha2

// Package acme is where conversion-gen writes to.
package acme
