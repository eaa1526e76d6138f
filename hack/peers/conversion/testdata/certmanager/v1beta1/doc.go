// Package v1beta1 converts cert-manager's types of v1beta1 to and from v1.
//
// +webhook:conversion:spoke(for: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1beta1.Certificate", hub: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1.Certificate")
// +webhook:conversion:spoke(for: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1beta1.CertificateRequest", hub: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1.CertificateRequest")
// +webhook:conversion:spoke(for: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1beta1.Issuer", hub: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1.Issuer")
// +webhook:conversion:spoke(for: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1beta1.ClusterIssuer", hub: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1.ClusterIssuer")
// +webhook:conversion:spoke(for: "github.com/jetstack/cert-manager/pkg/apis/acme/v1beta1.Challenge", hub: "github.com/jetstack/cert-manager/pkg/apis/acme/v1.Challenge")
// +webhook:conversion:spoke(for: "github.com/jetstack/cert-manager/pkg/apis/acme/v1beta1.Order", hub: "github.com/jetstack/cert-manager/pkg/apis/acme/v1.Order")
// +webhook:conversion:to(of: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1beta1.CertificateSpec", field: "emailSANs", path: "emailAddresses")
// +webhook:conversion:to(of: "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1beta1.CertificateSpec", field: "uriSANs", path: "uris")
package v1beta1
