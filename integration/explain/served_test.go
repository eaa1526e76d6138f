// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// TestServed compares the table of resources in `explain request` with the resources of an API server. The command uses
// the table without a cluster.
func TestServed(t *testing.T) {
	const file = "../../explain/internal/served/kubernetes.txt"
	client, err := discovery.NewDiscoveryClientForConfig(onAPIServer(t).config)
	if err != nil {
		t.Fatal(err)
	}
	version, err := client.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.Minor != "37" {
		t.Skip("the table is that of 1.37")
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	got := "# What a kube-apiserver serves by default.\n# Written by `go test ./explain -run TestServed -update` in the module integration.\n" + table(lists)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-table +API server; -update rewrites)\n%s", diff)
	}
}

// table lists resources by group, version and name, without custom resources.
func table(lists []*metav1.APIResourceList) string {
	var lines []string
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || strings.HasSuffix(gv.Group, "example.com") {
			continue
		}
		for _, r := range list.APIResources {
			kind := schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
			if kind.Version == "" {
				kind.Group, kind.Version = gv.Group, gv.Version
			}
			scope := "Cluster"
			if r.Namespaced {
				scope = "Namespaced"
			}
			lines = append(lines, fmt.Sprintf("%s %s %s %s %s\n", gv, r.Name, kind.GroupVersion(), kind.Kind, scope))
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a, b) })
	return strings.Join(lines, "")
}
