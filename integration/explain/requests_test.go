// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// place is a namespace of the grid; its zero value is where cluster-scoped objects lie.
type place struct{ name, labels string }

func (g *session) namespaces() []place {
	return []place{{"grid-prod", "env: prod"}, {"grid-dev", "env: dev, team: a"}, {"grid-plain", ""}, {"grid-team", "team: b"}}
}

// flags returns the flags that name the namespace.
func (p place) flags() []string {
	if p.name == "" {
		return nil
	}
	return []string{"-n", p.name}
}

// namespaceLabels are the labels as flags have them.
func (p place) namespaceLabels() string {
	return strings.NewReplacer(": ", "=", ", ", ",").Replace(p.labels)
}

// target is the target of requests: a resource, or a subresource, in a place.
type target struct {
	*session
	place
	resource    schema.GroupVersionResource
	subresource string
	extra       []string // flags
}

// at is a resource as "group/version/resource" or "version/resource", with a subresource after a colon.
func (g *session) at(p place, resource string, extra ...string) target {
	resource, subresource, _ := strings.Cut(resource, ":")
	parts := strings.Split(resource, "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	return target{g, p, schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}, subresource, extra}
}

func (to target) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%s %s/%s", to.name, to.resource.Resource, to.subresource), "/")
}

func (to target) subresources() []string {
	if to.subresource == "" {
		return nil
	}
	return []string{to.subresource}
}

func (to target) client(t *testing.T, user string) dynamic.ResourceInterface {
	return to.as(t, user).Resource(to.resource).Namespace(to.name)
}

func (to target) flags() []string {
	flags := append(to.place.flags(), to.extra...)
	if to.subresource != "" {
		flags = append(flags, "--subresource", to.subresource)
	}
	return flags
}

// get reads the object as it is.
func (to target) get(t *testing.T, name string, subresources ...string) *unstructured.Unstructured {
	t.Helper()
	client, err := dynamic.NewForConfig(to.config)
	if err != nil {
		t.Fatal(err)
	}
	object, err := client.Resource(to.resource).Namespace(to.name).Get(t.Context(), name, metav1.GetOptions{}, subresources...)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// create sends an object, or one to a subresource of the object of that name.
func (to target) create(t *testing.T, text string) {
	t.Helper()
	to.creating(t, text, metav1.CreateOptions{})
}

func (to target) creating(t *testing.T, text string, options metav1.CreateOptions, flags ...string) {
	t.Helper()
	object := parse(t, text)
	to.compare(t, "CREATE "+to.String()+" "+object.GetName(), request{
		operation: "CREATE", object: object, flags: append(to.flags(), flags...), namespaceLabels: to.namespaceLabels(),
		send: func(ctx context.Context, user string) error {
			_, err := to.client(t, user).Create(ctx, object, options, to.subresources()...)
			return err
		},
	})
}

// update changes an object that there is, by a PUT.
func (to target) update(t *testing.T, name string, change func(map[string]any)) {
	t.Helper()
	old := to.get(t, name, to.readable()...)
	object := old.DeepCopy()
	change(object.Object)
	to.compare(t, "UPDATE "+to.String()+" "+name, request{
		operation: "UPDATE", object: object, old: old, flags: to.flags(), namespaceLabels: to.namespaceLabels(),
		send: func(ctx context.Context, user string) error {
			_, err := to.client(t, user).Update(ctx, object, metav1.UpdateOptions{}, to.subresources()...)
			return err
		},
	})
}

// readable is the subresource where it has objects of its own.
func (to target) readable() []string {
	if to.subresource == "scale" {
		return []string{"scale"}
	}
	return nil
}

// label changes an object by a PATCH.
func (to target) label(t *testing.T, name, key, value string) {
	t.Helper()
	old := to.get(t, name)
	object := old.DeepCopy()
	set(object.Object, value, "metadata", "labels", key)
	to.compare(t, "PATCH "+to.String()+" "+name, request{
		operation: "UPDATE", object: object, old: old, flags: to.flags(), namespaceLabels: to.namespaceLabels(),
		send: func(ctx context.Context, user string) error {
			patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, key, value)
			_, err := to.client(t, user).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, to.subresources()...)
			return err
		},
	})
}

// apply creates an object by a server-side apply.
func (to target) apply(t *testing.T, text string) {
	t.Helper()
	object := parse(t, text)
	to.compare(t, "APPLY "+to.String()+" "+object.GetName(), request{
		operation: "CREATE", object: object, flags: to.flags(), namespaceLabels: to.namespaceLabels(),
		send: func(ctx context.Context, user string) error {
			_, err := to.client(t, user).Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "grid"})
			return err
		},
	})
}

func (to target) delete(t *testing.T, name string) {
	t.Helper()
	object := to.get(t, name)
	to.compare(t, "DELETE "+to.String()+" "+name, request{
		operation: "DELETE", object: object, flags: to.flags(), namespaceLabels: to.namespaceLabels(),
		send: func(ctx context.Context, user string) error {
			return to.client(t, user).Delete(ctx, name, metav1.DeleteOptions{})
		},
	})
}

// deleteAll deletes by a selector that one object matches.
func (to target) deleteAll(t *testing.T, name, selector string) {
	t.Helper()
	object := to.get(t, name)
	to.compare(t, "DELETE all "+to.String()+" "+selector, request{
		operation: "DELETE", object: object, flags: to.flags(), namespaceLabels: to.namespaceLabels(),
		send: func(ctx context.Context, user string) error {
			return to.client(t, user).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: selector})
		},
	})
}

// connect connects to a subresource of an object.
func (to target) connect(t *testing.T, name, options string, query map[string][]string) {
	t.Helper()
	r := request{operation: "CONNECT", flags: append(to.flags(), "--name", name), namespaceLabels: to.namespaceLabels()}
	if options == "" {
		r.flags = append(r.flags, "--resource", to.resource.Resource)
	} else {
		r.object = parse(t, options)
	}
	r.send = func(ctx context.Context, user string) error {
		client, err := kubernetes.NewForConfig(to.impersonating(user))
		if err != nil {
			return err
		}
		post := client.CoreV1().RESTClient().Post().Resource(to.resource.Resource).Name(name).SubResource(to.subresource)
		if to.name != "" {
			post.Namespace(to.name)
		}
		for key, values := range query {
			for _, value := range values {
				post.Param(key, value)
			}
		}
		return post.Do(ctx).Error() // there is nothing to connect to, which is found out after admission
	}
	to.compare(t, "CONNECT "+to.String()+" "+name, r)
}

// set sets a field of an object.
func set(object map[string]any, value any, path ...string) {
	if err := unstructured.SetNestedField(object, value, path...); err != nil {
		panic(err) // another type lies on the path: a mistake in the grid
	}
}

// certificateRequest is one in PEM and base64.
func certificateRequest(t *testing.T) string {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "grid"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}))
}

// inNamespace sends requests about namespaced objects.
func (g *session) inNamespace(t *testing.T, p place) {
	configMaps := g.at(p, "v1/configmaps")
	configMaps.create(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: bare}}")
	configMaps.create(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: a}}, data: {alpha: x}}")
	configMaps.create(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {app: b}, annotations: {none: ''}}, data: {beta: x}}")
	configMaps.create(t, "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: generated-}}")
	configMaps.create(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: failing, labels: {fail: 'yes'}}}")
	configMaps.create(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: failing, labels: {fail: 'late', app: a}}}")
	configMaps.create(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: passing, labels: {fail: 'yes'}, annotations: {none: ''}}}")
	configMaps.creating(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: dry}}", metav1.CreateOptions{DryRun: []string{"All"}}, "--dry-run")
	configMaps.apply(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: applied, labels: {app: a}}}")
	configMaps.update(t, "a", func(o map[string]any) { set(o, "b", "metadata", "labels", "app") })
	configMaps.update(t, "bare", func(o map[string]any) { set(o, "a", "metadata", "labels", "app") })
	configMaps.label(t, "b", "app", "a")
	configMaps.label(t, "b", "fail", "yes")
	configMaps.delete(t, "bare")
	configMaps.deleteAll(t, "b", "fail=yes")

	pods := g.at(p, "v1/pods")
	pods.create(t, "{apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: a}}, spec: {containers: [{name: c, image: image}]}}")
	pods.create(t, "{apiVersion: v1, kind: Pod, metadata: {name: other}, spec: {containers: [{name: c, image: another}]}}")
	pods.update(t, "web", func(o map[string]any) { set(o, "c", "metadata", "labels", "app") })
	g.at(p, "v1/pods:status").update(t, "web", func(o map[string]any) { set(o, "Running", "status", "phase") })
	g.at(p, "v1/pods:ephemeralcontainers").update(t, "web", func(o map[string]any) {
		set(o, []any{map[string]any{"name": "e", "image": "image"}}, "spec", "ephemeralContainers")
	})
	g.at(p, "v1/pods:exec").connect(t, "web", "{apiVersion: v1, kind: PodExecOptions, command: [ls, -l], stdout: true}",
		map[string][]string{"command": {"ls", "-l"}, "stdout": {"true"}})
	g.at(p, "v1/pods:attach").connect(t, "web", "", map[string][]string{"stdout": {"true"}})
	g.at(p, "v1/pods:portforward").connect(t, "web", "", map[string][]string{"ports": {"80"}})
	g.at(p, "v1/pods:proxy").connect(t, "web", "", nil)
	g.at(p, "v1/pods:eviction").create(t, "{apiVersion: policy/v1, kind: Eviction, metadata: {name: web}}")
	g.at(p, "v1/pods:binding").create(t, "{apiVersion: v1, kind: Binding, metadata: {name: other}, target: {kind: Node, name: none}}")
	pods.delete(t, "other")

	g.at(p, "v1/services").create(t, "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}")
	g.at(p, "v1/services:proxy").connect(t, "web", "", nil)
	g.at(p, "v1/secrets").create(t, "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: YQ==}}")
	g.at(p, "v1/serviceaccounts:token").create(t,
		"{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, metadata: {name: default}, spec: {audiences: [x]}}")
	g.at(p, "v1/events", "--resource=events.v1.").create(t, fmt.Sprintf(
		"{apiVersion: v1, kind: Event, metadata: {name: e}, involvedObject: {kind: Pod, namespace: %s, name: web}, reason: r}", p.name))
	g.at(p, "events.k8s.io/v1/events").create(t, fmt.Sprintf(
		"{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: f}, eventTime: '2026-01-01T00:00:00.000000Z', regarding: {kind: Pod, namespace: %s, name: web}, "+
			"reason: r, action: a, type: Normal, reportingController: grid.example.com/c, reportingInstance: i}", p.name))
	g.at(p, "authorization.k8s.io/v1/localsubjectaccessreviews").create(t, fmt.Sprintf(
		"{apiVersion: authorization.k8s.io/v1, kind: LocalSubjectAccessReview, metadata: {namespace: %s}, spec: {user: u, resourceAttributes: {namespace: %s, verb: get, resource: pods}}}", p.name, p.name))

	deployments := g.at(p, "apps/v1/deployments")
	deployments.create(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {app: a}}, spec: {replicas: 3, selector: {matchLabels: {a: b}}, "+
		"template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: image}]}}}}")
	deployments.create(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: small}, spec: {selector: {matchLabels: {a: b}}, "+
		"template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: other}]}}}}")
	g.at(p, "apps/v1/deployments:scale", "--resource=deployments").update(t, "web", func(o map[string]any) { set(o, int64(2), "spec", "replicas") })
	g.at(p, "apps/v1/deployments:status").update(t, "web", func(o map[string]any) { set(o, int64(1), "status", "replicas") })
	deployments.delete(t, "small")

	for _, version := range []string{"v1", "v2"} {
		g.at(p, "autoscaling/"+version+"/horizontalpodautoscalers").create(t, fmt.Sprintf(
			"{apiVersion: autoscaling/%s, kind: HorizontalPodAutoscaler, metadata: {name: %s}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}", version, version))
	}

	for _, version := range []string{"v1", "v2"} {
		gadgets := g.at(p, "grid.example.com/"+version+"/gadgets")
		head := "{apiVersion: grid.example.com/" + version + ", kind: Gadget, metadata: {name: " + version
		gadgets.create(t, head+"}}")
		gadgets.create(t, head+"x, labels: {app: a}}, spec: {size: 3, unknown: true, replicas: 2}}")
		gadgets.create(t, head+"y, labels: {app: b}}, spec: {replicas: 1}}")
		gadgets.update(t, version+"y", func(o map[string]any) { set(o, int64(7), "spec", "size") })
		gadgets.label(t, version+"y", "app", "a")
		g.at(p, "grid.example.com/"+version+"/gadgets:status").update(t, version+"x", func(o map[string]any) { set(o, int64(1), "status", "replicas") })
		g.at(p, "grid.example.com/"+version+"/gadgets:scale", "--resource=gadgets."+version+".grid.example.com").update(t, version+"x", func(o map[string]any) { set(o, int64(4), "spec", "replicas") })
		gadgets.delete(t, version+"y")
		gadgets.deleteAll(t, version+"x", "app=a")
	}
}

// inCluster sends requests about cluster-scoped objects, namespaces among them.
func (g *session) inCluster(t *testing.T) {
	var nowhere place
	namespaces := g.at(nowhere, "v1/namespaces")
	namespaces.create(t, "{apiVersion: v1, kind: Namespace, metadata: {name: fresh, labels: {env: prod}}}")
	namespaces.create(t, "{apiVersion: v1, kind: Namespace, metadata: {name: fresh-plain}}")
	namespaces.create(t, "{apiVersion: v1, kind: Namespace, metadata: {name: fresh-failing, labels: {fail: 'yes'}}}")
	namespaces.update(t, "fresh", func(o map[string]any) { set(o, "dev", "metadata", "labels", "env") })
	namespaces.label(t, "fresh-plain", "team", "a")
	g.at(nowhere, "v1/namespaces:status").update(t, "fresh", func(o map[string]any) { set(o, "Active", "status", "phase") })
	g.at(nowhere, "v1/namespaces:finalize").update(t, "fresh-plain", func(o map[string]any) { set(o, []any{}, "spec", "finalizers") })
	namespaces.delete(t, "fresh")
	namespaces.delete(t, "fresh-plain")

	depots := g.at(nowhere, "grid.example.com/v1/depots")
	depots.create(t, "{apiVersion: grid.example.com/v1, kind: Depot, metadata: {name: d, labels: {app: a}}, spec: {replicas: 3}}")
	depots.update(t, "d", func(o map[string]any) { set(o, int64(1), "spec", "replicas") })
	depots.delete(t, "d")
	roles := g.at(nowhere, "rbac.authorization.k8s.io/v1/clusterroles")
	roles.create(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, labels: {app: b}}}")
	roles.delete(t, "r")
	nodes := g.at(nowhere, "v1/nodes")
	nodes.create(t, "{apiVersion: v1, kind: Node, metadata: {name: node}}")
	g.at(nowhere, "v1/nodes:status").update(t, "node", func(o map[string]any) { set(o, map[string]any{"cpu": "1"}, "status", "capacity") })
	g.at(nowhere, "v1/nodes:proxy").connect(t, "node", "", nil)
	nodes.delete(t, "node")
	g.at(nowhere, "storage.k8s.io/v1/storageclasses").create(t, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: grid.example.com/p}")
	g.at(nowhere, "v1/persistentvolumes").create(t, "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, "+
		"spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /none}}}")
	g.at(nowhere, "certificates.k8s.io/v1/certificatesigningrequests").create(t, fmt.Sprintf("{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, "+
		"metadata: {name: c}, spec: {request: %s, signerName: grid.example.com/s, usages: [any]}}", certificateRequest(t)))
	g.at(nowhere, "certificates.k8s.io/v1/certificatesigningrequests:approval").update(t, "c", func(o map[string]any) {
		set(o, []any{map[string]any{"type": "Approved", "status": "True", "reason": "Grid"}}, "status", "conditions")
	})
	g.at(nowhere, "apiextensions.k8s.io/v1/customresourcedefinitions").label(t, "depots.grid.example.com", "app", "a")
	g.at(nowhere, "apiregistration.k8s.io/v1/apiservices").label(t, "v1.grid.example.com", "app", "a")

	// Requests for which no webhook is called.
	g.at(nowhere, "admissionregistration.k8s.io/v1/validatingwebhookconfigurations").creating(t,
		"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: exempt}}", metav1.CreateOptions{DryRun: []string{"All"}}, "--dry-run")
	g.at(nowhere, "admissionregistration.k8s.io/v1/validatingadmissionpolicies").creating(t,
		"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: exempt}, spec: {validations: [{expression: 'true'}]}}", metav1.CreateOptions{DryRun: []string{"All"}}, "--dry-run")
	g.at(nowhere, "authentication.k8s.io/v1/tokenreviews").create(t, "{apiVersion: authentication.k8s.io/v1, kind: TokenReview, spec: {token: none}}")
	g.at(nowhere, "authentication.k8s.io/v1/selfsubjectreviews").create(t, "{apiVersion: authentication.k8s.io/v1, kind: SelfSubjectReview}")
	g.at(nowhere, "authorization.k8s.io/v1/selfsubjectaccessreviews").create(t,
		"{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectAccessReview, spec: {nonResourceAttributes: {path: /, verb: get}}}")
	g.at(nowhere, "authorization.k8s.io/v1/subjectaccessreviews").create(t,
		"{apiVersion: authorization.k8s.io/v1, kind: SubjectAccessReview, spec: {user: u, nonResourceAttributes: {path: /, verb: get}}}")
	g.at(nowhere, "authorization.k8s.io/v1/selfsubjectrulesreviews").create(t,
		"{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectRulesReview, spec: {namespace: default}}")
}
