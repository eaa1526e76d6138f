// Package controlplane converts controlplane/api of v1alpha1 to and from v1beta1.
//
// +webhook:conversion:spoke(for: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.RKE2ControlPlane", hub: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1beta1.RKE2ControlPlane", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.RKE2ControlPlaneTemplate", hub: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1beta1.RKE2ControlPlaneTemplate", reads: "cluster.x-k8s.io/conversion-data")
//
// +webhook:conversion:to(of: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.RKE2ControlPlaneSpec", field: "agentConfig.version", path: "version")
//
// Clients of v1alpha1 read the values of v1beta1.
//
// +webhook:conversion:enum(of: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.RKE2ControlPlaneSpec", field: "registrationMethod", same: "*")
// +webhook:conversion:enum(of: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.DisableComponents", field: "pluginComponents", same: "*")
//
// v1beta1 has Patterns and Enums that v1alpha1 lacks.
//
// +webhook:conversion:allow(of: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.RKE2ControlPlaneSpec", field: "agentConfig.version", rule: "V11")="RKE2 has no other versions"
// +webhook:conversion:allow(of: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.RKE2ControlPlaneSpec", field: "registrationMethod", rule: "V11")="the default of v1beta1 is none of v1alpha1"
//
// v1alpha1 has templates without content.
//
// +webhook:conversion:allow(of: "github.com/rancher/cluster-api-provider-rke2/controlplane/api/v1alpha1.RKE2ControlPlaneTemplateSpec", rule: "V21")="nobody can use such a template"
package controlplane
