// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestDrift applies each output of kustomize and helm to an API server: it adds no field to an object, so that a tool
// that compares both, such as Argo CD, finds no difference.
func TestDrift(t *testing.T) {
	c := startCluster(t)
	p := delivered(t, "testdata/drift.txtar")
	applied, err := client.New(c.config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	bundle := base64.StdEncoding.EncodeToString(newAuthority(t).pem())
	all := []string{"../metrics", "../servicemonitor", "../migration", "../webhook/policies-1.30"}
	settings := p.read("webhook-gen.yaml")
	for name, of := range map[string]struct {
		settings   map[string]string
		components []string
		values     map[string]any
	}{
		"cert-manager": {},
		"everything": {components: all, values: map[string]any{
			"migration": map[string]any{"enabled": true}, "autoscaling": map[string]any{"enabled": true, "minReplicas": int64(2), "maxReplicas": int64(3), "targetCPUUtilizationPercentage": int64(80)},
			"metrics": map[string]any{"enabled": true}, "hostNetwork": true, "port": int64(9444), "callers": "", "topologySpreadConstraints": []any{},
			"wait": map[string]any{"enabled": true, "objects": []any{map[string]any{"apiVersion": "shop.example.com/v1", "kind": "Order", "metadata": map[string]any{"name": "probe"}}}},
		}},
		"self-managed": {settings: map[string]string{"cert-manager": "self-managed"}},
		"secret":       {settings: map[string]string{"cert-manager": "secret"}, values: map[string]any{"certificates": map[string]any{"mode": "secret", "caBundle": bundle}}},
		"aggregated":   {settings: map[string]string{"cert-manager": "self-managed\n  topology: aggregated"}},
	} {
		for _, file := range []string{"config/default/kustomization.yaml", "charts/shop/values.yaml"} { // the user's
			if err := os.Remove(filepath.Join(p.dir, file)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		p.write("webhook-gen.yaml", settings)
		for old, now := range of.settings {
			p.replace("webhook-gen.yaml", old, now)
		}
		p.run(p.webhookGen)
		if len(of.components) > 0 {
			p.write("config/default/kustomization.yaml", p.read("config/default/kustomization.yaml")+"components: ["+strings.Join(of.components, ", ")+"]\n")
		}
		t.Run("kustomize, "+name, func(t *testing.T) {
			undrifted(t, applied, p.in(t).run(p.kustomize, "build", "config/default"), bundle, seen)
		})
		t.Run("helm, "+name, func(t *testing.T) {
			p := p.in(t)
			out, err := p.helmWith(p.with(map[string]any{}, of.values), "template", "release")
			if err != nil {
				t.Fatal(err)
			}
			undrifted(t, applied, out, bundle, seen)
		})
	}
	for _, kind := range []string{"Namespace", "Deployment", "Service", "ServiceAccount", "PodDisruptionBudget", "NetworkPolicy", "HorizontalPodAutoscaler",
		"Job", "ConfigMap", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "APIService", "Issuer", "Certificate", "CustomResourceDefinition",
		"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"} {
		if seen[kind] == 0 {
			t.Errorf("no output has a %s", kind)
		}
	}
}

// undrifted applies the objects of a manifest, compares what the API server has of each, and deletes them. Another writer
// sets caBundle meanwhile. It counts the objects by kind.
func undrifted(t *testing.T, c client.Client, manifest, bundle string, seen map[string]int) {
	t.Helper()
	var objects []*unstructured.Unstructured
	for document := range strings.SplitSeq("\n"+manifest, "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if len(u.Object) > 0 && u.GetKind() != "ServiceMonitor" { // the API server has no definition of it
			objects = append(objects, u)
		}
	}
	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int { // namespaces first
		return strings.Compare(strings.TrimPrefix(a.GetKind(), "Namespace"), strings.TrimPrefix(b.GetKind(), "Namespace"))
	})
	if err := c.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "shop-system"},
	}}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	scaled := slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "HorizontalPodAutoscaler" })
	var created []*unstructured.Unstructured
	for _, file := range objects {
		seen[file.GetKind()]++
		live := file.DeepCopy()
		if err := c.Patch(t.Context(), live, client.Apply, client.FieldOwner("test"), client.ForceOwnership); err != nil {
			t.Errorf("%s %s: %v", file.GetKind(), file.GetName(), err)
			continue
		}
		created = append(created, live)
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(live), live); err != nil {
			t.Errorf("%s %s: %v", file.GetKind(), file.GetName(), err)
			continue
		}
		keepsBundle(t, c, file, live, bundle)
		disown(live, scaled)
		for _, difference := range differences("", file.Object, live.Object) {
			t.Errorf("%s %s: %s", file.GetKind(), file.GetName(), difference)
		}
	}
	for _, o := range created {
		if o.GetKind() == "Namespace" { // it would need a controller
			continue
		}
		if err := c.Delete(t.Context(), o, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			t.Error(err)
		}
		eventually(t, func() error {
			err := c.Get(t.Context(), client.ObjectKeyFromObject(o), o.DeepCopy())
			if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
				return nil
			}
			return fmt.Errorf("%s %s is still there: %w", o.GetKind(), o.GetName(), err)
		})
	}
}

// keepsBundle sets each caBundle of an object as cert-manager's injector does, and applies the manifest again: the
// bundles stay.
func keepsBundle(t *testing.T, c client.Client, file, live *unstructured.Unstructured, bundle string) {
	t.Helper()
	injected := live.DeepCopy()
	var set, kept int
	clients(injected.Object, func(config map[string]any) {
		if config["caBundle"] == nil && config["service"] != nil {
			config["caBundle"] = bundle
			set++
		}
	})
	if set == 0 {
		return
	}
	if err := c.Patch(t.Context(), injected, client.MergeFrom(live), client.FieldOwner("injector")); err != nil {
		t.Fatal(err)
	}
	again := file.DeepCopy()
	if err := c.Patch(t.Context(), again, client.Apply, client.FieldOwner("test"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	clients(again.Object, func(config map[string]any) {
		if config["caBundle"] != nil && config["service"] != nil {
			kept++
		}
	})
	if kept != set {
		t.Errorf("%s %s: %d of %d bundles stay", file.GetKind(), file.GetName(), kept, set)
	}
}

// clients calls a function for each clientConfig of an object.
func clients(value any, visit func(config map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if config, ok := member.(map[string]any); ok && key == "clientConfig" {
				visit(config)
			} else {
				clients(member, visit)
			}
		}
	case []any:
		for _, element := range value {
			clients(element, visit)
		}
	}
}

// disown removes the fields that belong to the API server, or to a HorizontalPodAutoscaler: no file can have their
// values.
func disown(o *unstructured.Unstructured, scaled bool) {
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(o.Object, "status")
	var assigned [][]string
	switch o.GetKind() {
	case "Namespace":
		assigned = [][]string{{"metadata", "labels", "kubernetes.io/metadata.name"}, {"spec", "finalizers"}}
	case "Service": // addresses of the cluster
		assigned = [][]string{{"spec", "clusterIP"}, {"spec", "clusterIPs"}, {"spec", "ipFamilies"}}
	case "Deployment": // a deprecated copy of serviceAccountName
		assigned = [][]string{{"spec", "template", "spec", "serviceAccount"}}
		if scaled {
			assigned = append(assigned, []string{"spec", "replicas"})
		}
	case "Job": // UIDs; a deprecated copy; and a field that Kubernetes 1.27 does not have
		assigned = [][]string{{"spec", "template", "spec", "serviceAccount"}, {"spec", "selector"}, {"spec", "podReplacementPolicy"}}
		for _, label := range []string{"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"} {
			assigned = append(assigned, []string{"spec", "template", "metadata", "labels", label})
		}
	}
	for _, path := range assigned {
		unstructured.RemoveNestedField(o.Object, path...)
	}
	if spec, _ := o.Object["spec"].(map[string]any); spec != nil && len(spec) == 0 {
		delete(o.Object, "spec")
	}
}

// differences returns what differs between a value in a file and on an API server, with the field's path.
func differences(path string, file, live any) (all []string) {
	switch a := file.(type) {
	case map[string]any:
		b, ok := live.(map[string]any)
		if !ok {
			break
		}
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			at := strings.TrimPrefix(path+"."+key, ".")
			_, before := a[key]
			_, then := b[key]
			switch {
			case !before:
				all = append(all, fmt.Sprintf("the API server adds %s: %v", at, b[key]))
			case !then:
				all = append(all, fmt.Sprintf("the API server removes %s: %v", at, a[key]))
			default:
				all = append(all, differences(at, a[key], b[key])...)
			}
		}
		return all
	case []any:
		b, ok := live.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		for i := range a {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])...)
		}
		return all
	}
	if !reflect.DeepEqual(file, live) && fmt.Sprint(file) != fmt.Sprint(live) {
		return []string{fmt.Sprintf("the API server has %v of %s, not %v", live, path, file)}
	}
	return nil
}
