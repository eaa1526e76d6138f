// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
)

// kubectl runs kubectl on the cluster with a manifest, unless it is empty.
func (c cluster) kubectl(p project, manifest string, args ...string) (string, error) {
	p.Helper()
	if manifest != "" {
		file := filepath.Join(p.TempDir(), "manifest.yaml")
		if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
			p.Fatal(err)
		}
		args = append(args, "-f", file)
	}
	return try(p.dir, c.env, append([]string{p.tools.kubectl}, args...)...)
}

// must is kubectl where it has to succeed.
func (c cluster) must(p project, manifest string, args ...string) string {
	p.Helper()
	out, err := c.kubectl(p, manifest, args...)
	if err != nil {
		p.Fatal(err)
	}
	return out
}

// client is an administrator's.
func (c cluster) client(t *testing.T) *http.Client {
	t.Helper()
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// in is the project in a test of its own.
func (p project) in(t *testing.T) project {
	p.T = t
	return p
}
