// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
)

// TestServed compares the table of W29 and W30 with what the API server serves: it may serve less, since alpha versions
// are off by default.
func TestServed(t *testing.T) {
	if client == nil {
		t.Skip(apiserver.Missing)
	}
	info, err := client.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../generator/internal/lint/kubernetes.txt")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]string{} // scopes, by version and resource
	for line := range strings.Lines(string(text)) {
		var version, resource, scope string
		var first, last int
		if _, err := fmt.Sscanf(line, "%s %s %s 1.%d 1.%d", &version, &resource, &scope, &first, &last); err != nil {
			continue // a comment
		}
		if minor := 0; minorOf(info.Minor, &minor) && first <= minor && minor <= last {
			table[version+" "+resource] = scope
		}
	}
	_, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(gv.Group, "example.com") {
			continue // of these tests
		}
		for _, r := range list.APIResources {
			want := "Cluster"
			if r.Namespaced {
				want = "Namespaced"
			}
			compared++
			if got := table[list.GroupVersion+" "+r.Name]; got != want {
				t.Errorf("%s %s has the scope %s, and %q in the table", list.GroupVersion, r.Name, want, got)
			}
		}
	}
	if compared < 100 || !slices.Contains([]string{"34", "37"}, info.Minor) {
		t.Errorf("%d resources of 1.%s are compared", compared, info.Minor)
	}
}

func minorOf(text string, minor *int) bool {
	_, err := fmt.Sscanf(text, "%d", minor)
	return err == nil
}
