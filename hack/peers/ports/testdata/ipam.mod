module github.com/webhook-gen/webhook-gen/hack/peers/ports

go 1.26.0

require (
	github.com/webhook-gen/webhook-gen/runtime v0.0.0
	sigs.k8s.io/cluster-api-ipam-provider-in-cluster v1.0.3
	k8s.io/api v0.32.3
	k8s.io/apimachinery v0.32.3
	k8s.io/client-go v0.32.3
	k8s.io/apiextensions-apiserver v0.32.3
	sigs.k8s.io/cluster-api v1.10.5
	sigs.k8s.io/controller-runtime v0.20.4
)

replace github.com/webhook-gen/webhook-gen/runtime => ../../../runtime
