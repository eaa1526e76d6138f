// +k8s:conversion-gen=github.com/jetstack/cert-manager/pkg/apis/certmanager/v1
// +k8s:conversion-gen-external-types=github.com/jetstack/cert-manager/pkg/apis/certmanager/v1alpha2

// Package certmanager is where conversion-gen writes to.
package certmanager
