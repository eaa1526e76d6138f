// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// TestServedVersions holds the versions that W29 names to the table.
func TestServedVersions(t *testing.T) {
	since, until := "", ""
	for line := range strings.Lines(kubernetes) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		if first := "v" + words[3]; since == "" || semver.Compare(first, since) < 0 {
			since = first
		}
		if last := "v" + words[4]; semver.Compare(last, until) > 0 {
			until = last
		}
	}
	if since != "v"+servedSince || until != "v"+servedUntil {
		t.Errorf("the table is of Kubernetes %s to %s, W29 says v%s to v%s", since, until, servedSince, servedUntil)
	}
}
