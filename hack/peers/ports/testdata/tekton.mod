module github.com/webhook-gen/webhook-gen/hack/peers/ports

go 1.26.0

require (
	github.com/webhook-gen/webhook-gen/runtime v0.0.0
	github.com/tektoncd/pipeline v1.0.0
	k8s.io/api v0.32.3
	k8s.io/apimachinery v0.32.3
	k8s.io/client-go v0.32.3
	k8s.io/apiextensions-apiserver v0.32.3
	knative.dev/pkg v0.0.0-20250415155312-ed3e2158b883
)

replace github.com/webhook-gen/webhook-gen/runtime => ../../../runtime
