# A client with the index that the webhook reads.
s#&InClusterIPPool\{\}#\&InClusterIPPool{Client: reader}#
s#\.AddToScheme\} \{$#.AddToScheme, ipamv1.AddToScheme} {#
s#\{v1alpha2\.AddToScheme\}#{v1alpha2.AddToScheme, ipamv1.AddToScheme}#
/^	return map\[string\]http.Handler/i\
	reader := fake.NewClientBuilder().WithScheme(scheme).\
		WithIndex(\&ipamv1.IPAddress{}, index.IPAddressPoolRefCombinedField, index.IPAddressByCombinedPoolRef).Build()
s#^(\t)"sigs.k8s.io/controller-runtime/pkg/webhook/admission"#\1"sigs.k8s.io/cluster-api-ipam-provider-in-cluster/internal/index"\n\1ipamv1 "sigs.k8s.io/cluster-api/exp/ipam/api/v1beta1"\n\1"sigs.k8s.io/controller-runtime/pkg/client/fake"\n&#
