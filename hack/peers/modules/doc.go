// SPDX-License-Identifier: Apache-2.0

// Package modules requires the modules whose types generator/internal/resolve reads as the Go compiler does: APIs of
// Kubernetes projects, generated Protocol Buffers, and packages with cgo and with files for one platform.
package modules

import (
	// The modules.
	_ "github.com/NVIDIA/go-nvml/pkg/nvml"
	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/kustomize-controller/api/v1"
	_ "github.com/fluxcd/notification-controller/api/v1beta3"
	_ "github.com/fluxcd/source-controller/api/v1"
	_ "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1"
	_ "github.com/projectcontour/contour/apis/projectcontour/v1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	_ "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	_ "golang.org/x/sys/unix"
	_ "istio.io/api/networking/v1alpha3"
	_ "istio.io/client-go/pkg/apis/networking/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	_ "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	_ "sigs.k8s.io/gateway-api/apis/v1"
	_ "sigs.k8s.io/gateway-api/apis/v1beta1"
)
