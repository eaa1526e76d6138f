module github.com/webhook-gen/webhook-gen/hack/peers/modules

go 1.26.0

require (
	github.com/NVIDIA/go-nvml v0.13.0-1
	github.com/fluxcd/helm-controller/api v1.4.5
	github.com/fluxcd/kustomize-controller/api v1.7.3
	github.com/fluxcd/notification-controller/api v1.7.5
	github.com/fluxcd/source-controller/api v1.7.4
	github.com/kubernetes-csi/external-snapshotter/client/v8 v8.4.0
	github.com/projectcontour/contour v1.33.0
	github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring v0.93.1
	github.com/vmware-tanzu/velero v1.17.0
	golang.org/x/sys v0.49.0
	istio.io/api v1.28.0
	istio.io/client-go v1.28.0
	k8s.io/apiextensions-apiserver v0.37.2
	k8s.io/autoscaler/vertical-pod-autoscaler v1.5.1
	k8s.io/kube-aggregator v0.37.2
	sigs.k8s.io/gateway-api v1.6.0
)

require (
	github.com/fluxcd/pkg/apis/acl v0.9.0 // indirect
	github.com/fluxcd/pkg/apis/kustomize v1.14.0 // indirect
	github.com/fluxcd/pkg/apis/meta v1.23.0 // indirect
	github.com/fxamacker/cbor/v2 v2.9.2 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.3-0.20250322232337-35a7c28c31ee // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v2 v2.4.4 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260720211330-0afa2a65878a // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	k8s.io/api v0.37.2 // indirect
	k8s.io/apimachinery v0.37.2 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad // indirect
	k8s.io/utils v0.0.0-20260626114624-be93311217bd // indirect
	sigs.k8s.io/controller-runtime v0.25.2 // indirect
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730 // indirect
	sigs.k8s.io/randfill v1.0.0 // indirect
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2 // indirect
	sigs.k8s.io/yaml v1.6.0 // indirect
)
