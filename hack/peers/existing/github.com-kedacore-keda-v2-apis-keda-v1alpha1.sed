# The variables of the package that its set-up fills. The client has the indexes, and no objects.
/^	return map\[string\]http.Handler/i\
	if err := clientgoscheme.AddToScheme(scheme); err != nil {\
		t.Fatal(err)\
	}\
	none := func(client.Object) []string { return nil }\
	kc = fake.NewClientBuilder().WithScheme(scheme).WithIndex(\&ScaledObject{}, scaleTargetRefNameIdx, none).\
		WithIndex(\&ScaledObject{}, hpaNameIdx, none).\
		WithIndex(\&autoscalingv2.HorizontalPodAutoscaler{}, scaleTargetRefNameIdx, none).Build()\
	restMapper = kc.RESTMapper()\
	eventRecorder = \&events.FakeRecorder{}
s#^(\t)"sigs.k8s.io/controller-runtime/pkg/webhook/admission"#\1autoscalingv2 "k8s.io/api/autoscaling/v2"\n\1clientgoscheme "k8s.io/client-go/kubernetes/scheme"\n\1"k8s.io/client-go/tools/events"\n\1"sigs.k8s.io/controller-runtime/pkg/client"\n\1"sigs.k8s.io/controller-runtime/pkg/client/fake"\n&#
