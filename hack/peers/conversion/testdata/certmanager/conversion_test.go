package certmanager

import (
	"context"
	"testing"
	"time"

	acmev1 "github.com/jetstack/cert-manager/pkg/apis/acme/v1"
	acmev1alpha3 "github.com/jetstack/cert-manager/pkg/apis/acme/v1alpha3"
	cmv1 "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1"
	cmv1alpha2 "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/hack/peers/conversion/certmanager/v1alpha2"
	"github.com/webhook-gen/webhook-gen/hack/peers/conversion/certmanager/v1alpha3"
	"github.com/webhook-gen/webhook-gen/hack/peers/conversion/certmanager/v1beta1"
	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

// check holds a kind to what must be true of all conversions.
func check[S, H any](name string, toHub func(context.Context, *S, *H) error, fromHub func(context.Context, *H, *S) error) func(*testing.T) {
	return func(t *testing.T) {
		t.Run(name, func(t *testing.T) {
			conversiontest.Check(t, conversiontest.Kind[S, H]{ToHub: toHub, FromHub: fromHub})
		})
	}
}

// pair is the check of two spokes.
func pair[A, H, B any](name string, aToHub func(context.Context, *A, *H) error, aFromHub func(context.Context, *H, *A) error,
	bToHub func(context.Context, *B, *H) error, bFromHub func(context.Context, *H, *B) error) func(*testing.T) {
	return check(name, conversiontest.Via(aToHub, bFromHub), conversiontest.Via(bToHub, aFromHub))
}

func TestInvariants(t *testing.T) {
	for _, test := range []func(*testing.T){
		check("v1alpha2 Certificate", v1alpha2.CertificateToHub, v1alpha2.CertificateFromHub),
		check("v1alpha2 CertificateRequest", v1alpha2.CertificateRequestToHub, v1alpha2.CertificateRequestFromHub),
		check("v1alpha2 Issuer", v1alpha2.IssuerToHub, v1alpha2.IssuerFromHub),
		check("v1alpha2 ClusterIssuer", v1alpha2.ClusterIssuerToHub, v1alpha2.ClusterIssuerFromHub),
		check("v1alpha2 Challenge", v1alpha2.ChallengeToHub, v1alpha2.ChallengeFromHub),
		check("v1alpha2 Order", v1alpha2.OrderToHub, v1alpha2.OrderFromHub),
		check("v1alpha3 Certificate", v1alpha3.CertificateToHub, v1alpha3.CertificateFromHub),
		check("v1alpha3 CertificateRequest", v1alpha3.CertificateRequestToHub, v1alpha3.CertificateRequestFromHub),
		check("v1alpha3 Issuer", v1alpha3.IssuerToHub, v1alpha3.IssuerFromHub),
		check("v1alpha3 ClusterIssuer", v1alpha3.ClusterIssuerToHub, v1alpha3.ClusterIssuerFromHub),
		check("v1alpha3 Challenge", v1alpha3.ChallengeToHub, v1alpha3.ChallengeFromHub),
		check("v1alpha3 Order", v1alpha3.OrderToHub, v1alpha3.OrderFromHub),
		check("v1beta1 Certificate", v1beta1.CertificateToHub, v1beta1.CertificateFromHub),
		check("v1beta1 CertificateRequest", v1beta1.CertificateRequestToHub, v1beta1.CertificateRequestFromHub),
		check("v1beta1 Issuer", v1beta1.IssuerToHub, v1beta1.IssuerFromHub),
		check("v1beta1 ClusterIssuer", v1beta1.ClusterIssuerToHub, v1beta1.ClusterIssuerFromHub),
		check("v1beta1 Challenge", v1beta1.ChallengeToHub, v1beta1.ChallengeFromHub),
		check("v1beta1 Order", v1beta1.OrderToHub, v1beta1.OrderFromHub),
		pair("v1alpha2 v1alpha3 Certificate", v1alpha2.CertificateToHub, v1alpha2.CertificateFromHub, v1alpha3.CertificateToHub, v1alpha3.CertificateFromHub),
		pair("v1alpha2 v1alpha3 CertificateRequest", v1alpha2.CertificateRequestToHub, v1alpha2.CertificateRequestFromHub, v1alpha3.CertificateRequestToHub, v1alpha3.CertificateRequestFromHub),
		pair("v1alpha2 v1alpha3 Issuer", v1alpha2.IssuerToHub, v1alpha2.IssuerFromHub, v1alpha3.IssuerToHub, v1alpha3.IssuerFromHub),
		pair("v1alpha2 v1alpha3 ClusterIssuer", v1alpha2.ClusterIssuerToHub, v1alpha2.ClusterIssuerFromHub, v1alpha3.ClusterIssuerToHub, v1alpha3.ClusterIssuerFromHub),
		pair("v1alpha2 v1alpha3 Challenge", v1alpha2.ChallengeToHub, v1alpha2.ChallengeFromHub, v1alpha3.ChallengeToHub, v1alpha3.ChallengeFromHub),
		pair("v1alpha2 v1alpha3 Order", v1alpha2.OrderToHub, v1alpha2.OrderFromHub, v1alpha3.OrderToHub, v1alpha3.OrderFromHub),
		pair("v1alpha2 v1beta1 Certificate", v1alpha2.CertificateToHub, v1alpha2.CertificateFromHub, v1beta1.CertificateToHub, v1beta1.CertificateFromHub),
		pair("v1alpha2 v1beta1 CertificateRequest", v1alpha2.CertificateRequestToHub, v1alpha2.CertificateRequestFromHub, v1beta1.CertificateRequestToHub, v1beta1.CertificateRequestFromHub),
		pair("v1alpha2 v1beta1 Issuer", v1alpha2.IssuerToHub, v1alpha2.IssuerFromHub, v1beta1.IssuerToHub, v1beta1.IssuerFromHub),
		pair("v1alpha2 v1beta1 ClusterIssuer", v1alpha2.ClusterIssuerToHub, v1alpha2.ClusterIssuerFromHub, v1beta1.ClusterIssuerToHub, v1beta1.ClusterIssuerFromHub),
		pair("v1alpha2 v1beta1 Challenge", v1alpha2.ChallengeToHub, v1alpha2.ChallengeFromHub, v1beta1.ChallengeToHub, v1beta1.ChallengeFromHub),
		pair("v1alpha2 v1beta1 Order", v1alpha2.OrderToHub, v1alpha2.OrderFromHub, v1beta1.OrderToHub, v1beta1.OrderFromHub),
		pair("v1alpha3 v1beta1 Certificate", v1alpha3.CertificateToHub, v1alpha3.CertificateFromHub, v1beta1.CertificateToHub, v1beta1.CertificateFromHub),
		pair("v1alpha3 v1beta1 CertificateRequest", v1alpha3.CertificateRequestToHub, v1alpha3.CertificateRequestFromHub, v1beta1.CertificateRequestToHub, v1beta1.CertificateRequestFromHub),
		pair("v1alpha3 v1beta1 Issuer", v1alpha3.IssuerToHub, v1alpha3.IssuerFromHub, v1beta1.IssuerToHub, v1beta1.IssuerFromHub),
		pair("v1alpha3 v1beta1 ClusterIssuer", v1alpha3.ClusterIssuerToHub, v1alpha3.ClusterIssuerFromHub, v1beta1.ClusterIssuerToHub, v1beta1.ClusterIssuerFromHub),
		pair("v1alpha3 v1beta1 Challenge", v1alpha3.ChallengeToHub, v1alpha3.ChallengeFromHub, v1beta1.ChallengeToHub, v1beta1.ChallengeFromHub),
		pair("v1alpha3 v1beta1 Order", v1alpha3.OrderToHub, v1alpha3.OrderFromHub, v1beta1.OrderToHub, v1beta1.OrderFromHub),
	} {
		test(t)
	}
}

// TestFields compares a Certificate with what cert-manager's own conversion makes of it
// (pkg/internal/apis/certmanager/v1alpha2/conversion.go).
func TestFields(t *testing.T) {
	old := &cmv1alpha2.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: "certificate"},
		Spec: cmv1alpha2.CertificateSpec{
			CommonName: "example.com", Organization: []string{"one", "two"}, Duration: &metav1.Duration{Duration: time.Hour},
			URISANs: []string{"spiffe://x"}, EmailSANs: []string{"a@example.com"},
			KeySize: 2048, KeyAlgorithm: cmv1alpha2.ECDSAKeyAlgorithm, KeyEncoding: cmv1alpha2.PKCS8,
		},
	}
	var got cmv1.Certificate
	if err := v1alpha2.CertificateToHub(context.Background(), old, &got); err != nil {
		t.Fatal(err)
	}
	switch s := got.Spec; {
	case s.CommonName != "example.com", s.Subject == nil, len(s.Subject.Organizations) != 2, s.Duration.Duration != time.Hour,
		s.URIs[0] != "spiffe://x", s.EmailAddresses[0] != "a@example.com",
		s.PrivateKey == nil, s.PrivateKey.Size != 2048, s.PrivateKey.Algorithm != cmv1.ECDSAKeyAlgorithm, s.PrivateKey.Encoding != cmv1.PKCS8:
		t.Errorf("%+v", got)
	}
	if got.APIVersion != "cert-manager.io/v1" || got.Kind != "Certificate" || len(got.Annotations) != 0 {
		t.Errorf("%+v %+v", got.TypeMeta, got.ObjectMeta)
	}
	var challenge acmev1.Challenge
	if err := v1alpha3.ChallengeToHub(context.Background(), &acmev1alpha3.Challenge{Spec: acmev1alpha3.ChallengeSpec{AuthzURL: "u", Type: acmev1alpha3.ACMEChallengeTypeDNS01}}, &challenge); err != nil {
		t.Fatal(err)
	}
	if challenge.Spec.AuthorizationURL != "u" || challenge.Spec.Type != acmev1.ACMEChallengeTypeDNS01 {
		t.Errorf("%+v", challenge.Spec)
	}
}
