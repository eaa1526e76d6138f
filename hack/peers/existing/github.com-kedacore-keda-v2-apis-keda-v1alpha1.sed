# The variables of the package that its set-up fills.
/^	return map\[string\]http.Handler/i\
	if err := clientgoscheme.AddToScheme(scheme); err != nil {\
		t.Fatal(err)\
	}\
	kc = fake.NewClientBuilder().WithScheme(scheme).Build()\
	restMapper = kc.RESTMapper()
s#^(\t)"sigs.k8s.io/controller-runtime/pkg/webhook/admission"#\1clientgoscheme "k8s.io/client-go/kubernetes/scheme"\n\1"sigs.k8s.io/controller-runtime/pkg/client/fake"\n&#
