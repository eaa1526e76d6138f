# The program registers the handlers, in another package. These are its calls.
/^	return map\[string\]http.Handler/i\
	scheme := runtime.NewScheme()\
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, v1beta2.AddToScheme, clientgoscheme.AddToScheme} {\
		if err := add(scheme); err != nil {\
			t.Fatal(err)\
		}\
	}\
	clients := fake.NewClientBuilder().WithScheme(scheme).Build()
s#^func webhookHandlers\(_ #func webhookHandlers(t #
/^\t\t\/\/ Replace nil by the handler/d
s#^(\t\t"/mutate--v1-pod": +)nil#\1admission.WithCustomDefaulter(scheme, \&corev1.Pod{}, NewSparkPodDefaulter(clients, nil))#
s#^(\t\t"/mutate-.*-scheduledsparkapplication": +)nil#\1admission.WithCustomDefaulter(scheme, \&v1beta2.ScheduledSparkApplication{}, NewScheduledSparkApplicationDefaulter())#
s#^(\t\t"/mutate-.*-sparkapplication": +)nil#\1admission.WithCustomDefaulter(scheme, \&v1beta2.SparkApplication{}, NewSparkApplicationDefaulter())#
s#^(\t\t"/mutate-.*-sparkconnect": +)nil#\1admission.WithCustomDefaulter(scheme, \&v1alpha1.SparkConnect{}, NewSparkConnectDefaulter())#
s#^(\t\t"/validate-.*-scheduledsparkapplication": +)nil#\1admission.WithCustomValidator(scheme, \&v1beta2.ScheduledSparkApplication{}, NewScheduledSparkApplicationValidator())#
s#^(\t\t"/validate-.*-sparkapplication": +)nil#\1admission.WithCustomValidator(scheme, \&v1beta2.SparkApplication{}, NewSparkApplicationValidator(clients, true))#
s#^(\t\t"/validate-.*-sparkconnect": +)nil#\1admission.WithCustomValidator(scheme, \&v1alpha1.SparkConnect{}, NewSparkConnectValidator())#
s#^(\t+)Resources: +\[\]string\{"pods"\},#\1Object: corev1.Pod{},\n\1Kinds: []admissiontest.Kind{{APIVersion: "v1", Kind: "Pod"}},\n&#
s#^(\t+)Resources: +\[\]string\{"scheduledsparkapplications"\},#\1Object: v1beta2.ScheduledSparkApplication{},\n\1Kinds: []admissiontest.Kind{{APIVersion: "sparkoperator.k8s.io/v1beta2", Kind: "ScheduledSparkApplication"}},\n&#
s#^(\t+)Resources: +\[\]string\{"sparkapplications"\},#\1Object: v1beta2.SparkApplication{},\n\1Kinds: []admissiontest.Kind{{APIVersion: "sparkoperator.k8s.io/v1beta2", Kind: "SparkApplication"}},\n&#
s#^(\t+)Resources: +\[\]string\{"sparkconnects"\},#\1Object: v1alpha1.SparkConnect{},\n\1Kinds: []admissiontest.Kind{{APIVersion: "sparkoperator.k8s.io/v1alpha1", Kind: "SparkConnect"}},\n&#
s#^\tadmissionv1 "k8s.io/api/admission/v1"#\t"github.com/kubeflow/spark-operator/v2/api/v1alpha1"\n\t"github.com/kubeflow/spark-operator/v2/api/v1beta2"\n&\n\tcorev1 "k8s.io/api/core/v1"\n\t"k8s.io/apimachinery/pkg/runtime"\n\tclientgoscheme "k8s.io/client-go/kubernetes/scheme"\n\t"sigs.k8s.io/controller-runtime/pkg/client/fake"\n\t"sigs.k8s.io/controller-runtime/pkg/webhook/admission"#
