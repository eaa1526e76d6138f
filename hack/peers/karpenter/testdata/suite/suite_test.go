package v1_test

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes/scheme"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/test"

	"github.com/webhook-gen/webhook-gen/hack/peers/karpenter/karpenter/v1beta1"
)

// ctx, env and cloudProvider are what karpenter's tests of its conversions use. The cluster is a fake:
// they create NodePools, and conversions read them.
var (
	ctx           context.Context
	env           *test.Environment
	cloudProvider *fake.CloudProvider
)

func TestAPIs(t *testing.T) {
	v1.Convert = func(ctx context.Context) v1.Conversions {
		return v1beta1.NewConverter(v1beta1.Cluster{Reader: env.Client, NodeClass: injection.GetNodeClasses(ctx)[0]})
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "v1")
}

var _ = BeforeEach(func() {
	ctx = context.Background()
	env = &test.Environment{Client: clientfake.NewClientBuilder().WithScheme(scheme.Scheme).Build()}
	cloudProvider = fake.NewCloudProvider()
})
