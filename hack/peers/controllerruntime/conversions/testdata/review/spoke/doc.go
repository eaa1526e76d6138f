// Package spoke converts v1alpha1 to and from v1, by markers that stand apart from the types.
//
// +webhook:conversion:spoke(for: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.Server", hub: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1.Server")
// +webhook:conversion:spoke(for: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.Machine", hub: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1.Machine")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.ServerSpec", field: "imageName", path: "image")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.ServerSpec", field: "networks", path: "ports")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.ServerSpec", field: "serverMetadata", path: "metadata")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.Network", field: "name", path: "network")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.Network", field: "fixedIP", path: "address")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.RootVolume", field: "diskSize", path: "sizeGiB")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.RootVolume", field: "volumeType", path: "type")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.MachineSpec", field: "nodeDrainTimeout", path: "deletion.nodeDrainTimeoutSeconds", as: "seconds")
// +webhook:conversion:to(of: "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1.MachineSpec", field: "networks", path: "ports")
package spoke
