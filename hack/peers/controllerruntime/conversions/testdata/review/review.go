// Package review has what is converted and our handler. The packages below it compare that with an API server's own code
// and with controller-runtime: each imports the one side alone, because some are built for another Go.
package review

import (
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/spoke"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// Versions of the kinds Server and Machine.
var (
	HubVersion   = schema.GroupVersion{Group: "infra.example.com", Version: "v1"}
	SpokeVersion = schema.GroupVersion{Group: "infra.example.com", Version: "v1alpha1"}
)

// Ours is the runtime's handler with the generated functions.
func Ours() http.Handler { return conversion.NewHandler(spoke.Conversions()) }

// metadataText is that of an object as API servers have it.
const metadataText = `{"annotations":{"infra.example.com/owner":"team-%[1]d"},"creationTimestamp":"2026-11-21T08:15:30Z","finalizers":["infra.example.com/finalizer"],"generation":3,` +
	`"labels":{"app.kubernetes.io/managed-by":"capi","cluster.x-k8s.io/cluster-name":"prod-%[1]d"},"managedFields":[{"apiVersion":"infra.example.com/v1","fieldsType":"FieldsV1",` +
	`"fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\"infra.example.com/finalizer\"":{}},"f:labels":{".":{},"f:cluster.x-k8s.io/cluster-name":{}}},"f:spec":{".":{},"f:flavor":{},"f:sshKeyName":{}}},` +
	`"manager":"manager","operation":"Update","time":"2026-11-21T08:15:30Z"}],"name":"node-%[1]d","namespace":"default",` +
	`"ownerReferences":[{"apiVersion":"cluster.x-k8s.io/v1beta2","blockOwnerDeletion":true,"controller":true,"kind":"Machine","name":"node-%[1]d","uid":"6c1b5c84-9d4b-4a8e-b6c3-%012[1]d"}],` +
	`"resourceVersion":"8%05[1]d","uid":"0f5c5d2e-1f0b-4a39-8d3a-%012[1]d"}`

const statusText = `"addresses":[{"address":"10.6.0.%[1]d","type":"InternalIP"},{"address":"node-%[1]d","type":"InternalDNS"}],"conditions":[` +
	`{"lastTransitionTime":"2026-11-21T08:20:11Z","message":"","reason":"InstanceActive","status":"True","type":"Ready"},` +
	`{"lastTransitionTime":"2026-11-21T08:19:55Z","message":"the instance has been created","reason":"Created","status":"True","type":"InstanceReady"}]`

// ObjectTexts are objects of each kind in both versions; the numbers in them are filled in.
var ObjectTexts = map[string][2]string{
	"Server": {
		`{"apiVersion":"infra.example.com/v1alpha1","kind":"Server","metadata":` + metadataText + `,"spec":{"bootstrapRef":{"name":"bootstrap-%[1]d"},"cloudsSecrets":[{"name":"clouds-yaml"}],"flavor":"m1.large",` +
			`"imageName":"ubuntu-2404-kube-v1.37.1","networks":[{"fixedIP":"10.6.0.%[1]d","name":"nodes","tags":["internal"]},{"name":"storage"}],"powerState":"On","providerID":"openstack:///0f5c5d2e-%[1]d",` +
			`"rootVolume":{"availabilityZone":"nova","diskSize":80,"volumeType":"ssd"},"securityGroups":["nodes","ssh"],"serverMetadata":{"cluster":"prod","role":"worker"},"sshKeyName":"operator","tags":["prod","worker"]},` +
			`"status":{` + statusText + `,"instanceState":"ACTIVE","ready":true}}`,
		`{"apiVersion":"infra.example.com/v1","kind":"Server","metadata":` + metadataText + `,"spec":{"bootstrapRef":{"name":"bootstrap-%[1]d"},"cloudsSecrets":[{"name":"clouds-yaml"}],"flavor":"m1.large",` +
			`"image":"ubuntu-2404-kube-v1.37.1","metadata":{"cluster":"prod","role":"worker"},"ports":[{"address":"10.6.0.%[1]d","network":"nodes","tags":["internal"]},{"network":"storage"}],"powerState":"On","providerID":"openstack:///0f5c5d2e-%[1]d",` +
			`"rootVolume":{"availabilityZone":"nova","sizeGiB":80,"type":"ssd"},"securityGroups":["nodes","ssh"],"sshKeyName":"operator","tags":["prod","worker"]},` +
			`"status":{` + statusText + `,"instanceState":"ACTIVE","ready":true}}`,
	},
	"Machine": {
		`{"apiVersion":"infra.example.com/v1alpha1","kind":"Machine","metadata":` + metadataText + `,"spec":{"bootstrap":{"apiVersion":"bootstrap.example.com/v1","kind":"Config","name":"node-%[1]d","namespace":"default"},` +
			`"clusterName":"prod","failureDomain":"nova","infrastructureRef":{"apiVersion":"infra.example.com/v1","kind":"Server","name":"node-%[1]d","namespace":"default"},"networks":[{"fixedIP":"10.6.0.%[1]d","name":"nodes"}],` +
			`"nodeDrainTimeout":"5m0s","providerID":"openstack:///0f5c5d2e-%[1]d","version":"v1.37.1"},"status":{` + statusText + `,"nodeRef":{"apiVersion":"v1","kind":"Node","name":"node-%[1]d"},"phase":"Running"}}`,
		`{"apiVersion":"infra.example.com/v1","kind":"Machine","metadata":` + metadataText + `,"spec":{"bootstrap":{"apiVersion":"bootstrap.example.com/v1","kind":"Config","name":"node-%[1]d","namespace":"default"},` +
			`"clusterName":"prod","deletion":{"nodeDrainTimeoutSeconds":300,"order":"Oldest"},"failureDomain":"nova","infrastructureRef":{"apiVersion":"infra.example.com/v1","kind":"Server","name":"node-%[1]d","namespace":"default"},` +
			`"minReadySeconds":10,"paused":false,"ports":[{"address":"10.6.0.%[1]d","network":"nodes"}],"providerID":"openstack:///0f5c5d2e-%[1]d","readinessGates":[{"conditionType":"example.com/InService"}],"version":"v1.37.1"},` +
			`"status":{` + statusText + `,"initialization":{"bootstrapDataSecretCreated":true,"infrastructureProvisioned":true},"nodeRef":{"apiVersion":"v1","kind":"Node","name":"node-%[1]d"},"phase":"Running"}}`,
	},
}

// ObjectText is object number i of a kind in a version.
func ObjectText(kind string, version schema.GroupVersion, i int) string {
	texts := ObjectTexts[kind]
	if version == HubVersion {
		return fmt.Sprintf(texts[1], i)
	}
	return fmt.Sprintf(texts[0], i)
}

// ReviewText asks for objects in a version.
func ReviewText(desired schema.GroupVersion, objects []string) []byte {
	return []byte(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"5c7d7f5a-0c7c-4a2c-9a55-2e7d1d0b8f11","desiredAPIVersion":"` + desired.String() +
		`","objects":[` + strings.Join(objects, ",") + `]}}` + "\n")
}
