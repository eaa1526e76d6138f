# The runtimes, as the project's unit tests make them.
/^	return map\[string\]http.Handler/i\
	clients := testingutil.NewClientBuilder()\
	run, err := core.New(t.Context(), clients.Build(), testingutil.AsIndex(clients), nil)\
	if err != nil {\
		t.Fatal(err)\
	}
s#^(\t)"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"#\1"github.com/kubeflow/trainer/v2/pkg/runtime/core"\n\1testingutil "github.com/kubeflow/trainer/v2/pkg/util/testing"\n&#
