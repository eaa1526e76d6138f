// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestLifeOfVersion takes a kind from its first version to its second one: v1 alone, v2 added and turned on, stored,
// all objects migrated, and v1 removed. Clients read, list and write all the time, and no call fails.
func TestLifeOfVersion(t *testing.T) {
	c := newCrates(t)
	both := c.definition().Spec
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) {
		spec.Versions = spec.Versions[:1]
		spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	})
	gone := func(version string) {
		t.Helper()
		eventually(t, version+" is not served", func() bool {
			_, err := c.list(version)
			return err != nil
		})
	}
	gone("v2")
	var all []*unstructured.Unstructured
	var names []string
	for i := range 400 {
		all = append(all, c.crate("v1", fmt.Sprintf("crate-%03d", i), object{"size": fmt.Sprintf("%dcm", i)}))
		names = append(names, all[i].GetName())
	}
	c.storeAll(t, crateGroup+"/crates", all)
	stored := func(want ...string) {
		t.Helper()
		if got := c.definition().Status.StoredVersions; !slices.Equal(got, want) {
			t.Errorf("the stored versions are %v, and not %v", got, want)
		}
	}
	stored("v1")
	old := c.clients(names, "v1")

	// The definition has v2 and its conversion before the program has.
	dead := "https://127.0.0.1:1/convert"
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) {
		spec.Versions, spec.Conversion = slices.Clone(both.Versions), both.Conversion.DeepCopy()
		spec.Versions[1].Served = false
		spec.Conversion.Webhook.ClientConfig.URL = &dead
	})
	c.switched(1, "connection refused", "on", "--version", "v2")
	c.reachBy(func(config *apiextensionsv1.WebhookClientConfig) { *config = *both.Conversion.Webhook.ClientConfig })
	c.switched(0, "v2 is served", "on", "--version", "v2")
	now := c.clients(names, "v2", "v1")
	c.switched(0, "v2 is the storage version", "on", "--version", "v2", "--storage")
	stored("v1", "v2")
	eventually(t, "v2 is stored", func() bool { return c.count("v2") > 0 }) // by the clients
	if code, report := c.migrate("--rate", "1000"); code != 0 {
		t.Fatalf("migrate: exit code %d, %+v", code, report)
	}
	stored("v2")
	if n := c.count("v1"); n > 0 {
		t.Errorf("%d objects are stored in v1", n)
	}

	// Clients of v1 are updated, and v1 goes.
	last := c.clients(names, "v2")
	if a, b := old(), now(); a < 100 || b < 100 {
		t.Errorf("clients sent %d and %d requests only", a, b)
	}
	c.switched(0, "v1 is not served", "off", "--version", "v1")
	gone("v1")
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) {
		spec.Versions = spec.Versions[1:]
		spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	})
	eventually(t, "objects are read without a conversion", func() bool {
		found, err := c.list("v2")
		return err == nil && len(found) == len(names)
	})
	if n := last(); n < 20 {
		t.Errorf("clients sent %d requests only", n)
	}
	found, err := c.list("v2")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range found {
		var height int64
		fmt.Sscanf(o.GetName(), "crate-%d", &height)
		if got, _, _ := unstructured.NestedInt64(o.Object, "spec", "height"); got != height {
			t.Errorf("%s has the height %d", o.GetName(), got)
		}
	}
}
