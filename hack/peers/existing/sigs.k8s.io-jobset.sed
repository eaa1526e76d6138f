# The handlers, with a client of controller-runtime's tests.
s#&(jobSet|pod)Webhook\{\}#\&\1Webhook{client: fake.NewClientBuilder().Build()}#
s#^(\t)"sigs.k8s.io/controller-runtime/pkg/webhook/admission"#\1"sigs.k8s.io/controller-runtime/pkg/client/fake"\n&#
