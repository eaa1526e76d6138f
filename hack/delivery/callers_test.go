// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// callers starts an API server with the files of config/apiserver for each kind of credential. The webhook server
// accepts the API server's credential, and refuses it when it is set to accept another.
func (p project) callers(t *testing.T) {
	signer, clients := newAuthority(t), newAuthority(t)
	p.write("config/ca.crt", string(signer.pem()))
	binary := p.buildPod(t.TempDir()) // it does not ask for its service account
	for _, test := range []struct {
		callers string
		// file has the credentials that the server accepts, among the volumes. other is its content with another credential
		// than the API server's, and right its content with the right one.
		file         string
		other, right string
		refused      string
		present      func(t *testing.T, dir string) // writes what the API server presents
		password     string
	}{
		{
			callers: "certificate",
			file:    "ca.crt", other: string(newAuthority(t).pem()), right: string(clients.pem()), refused: "the client certificate is not accepted",
			present: func(t *testing.T, dir string) {
				clients.issue(t, dir, "client", &x509.Certificate{Subject: pkix.Name{CommonName: "kube-apiserver"}})
			},
		},
		{
			callers: "token",
			file:    "tokens", other: "another\n", right: "old\nsecret\n", refused: "the bearer token is not known",
			present: func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, "token"), []byte("secret")) },
		},
		{ // the last, because its kubeconfig is the user's, and stays
			callers: "password",
			file:    "passwords", other: "kube-apiserver:another\n", right: "kube-apiserver:secret\n", refused: "the user or password is not known",
			present: func(*testing.T, string) {}, password: "secret",
		},
	} {
		t.Run(test.callers, func(t *testing.T) {
			p := p.in(t)
			defer p.deliver("certificates: secret", "caFile: config/ca.crt", "callers: "+test.callers)()
			apiServer := t.TempDir()
			for _, name := range []string{"admission.yaml", "kubeconfig.yaml"} {
				text := strings.ReplaceAll(p.read("config/apiserver/"+name), "/etc/kubernetes/webhook", apiServer)
				if test.password != "" {
					text = strings.ReplaceAll(text, `password: ""`, "password: "+test.password)
				}
				writeFile(t, filepath.Join(apiServer, name), []byte(text))
			}
			test.present(t, apiServer)
			c := startCluster(t, "admission-control-config-file="+filepath.Join(apiServer, "admission.yaml"))

			volumes := t.TempDir()
			for _, name := range []string{"certs", "callers"} {
				if err := os.Mkdir(filepath.Join(volumes, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			signer.issue(t, filepath.Join(volumes, "certs"), "tls", &x509.Certificate{DNSNames: []string{"shop.shop-system.svc"}})
			taken := writeFile(t, filepath.Join(volumes, "callers", test.file), []byte(test.other))
			manifest := p.run(p.kustomize, "build", "config/default")
			c.must(p, manifest, "apply")
			pod := c.runPod(p, manifest, binary, volumes)

			create := func() string {
				_, err := c.kubectl(p, "", "create", "configmap", "mine", "--dry-run=server")
				if err != nil {
					return err.Error()
				}
				return "accepted"
			}
			until := func(want string) {
				t.Helper()
				said := ""
				for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
					if said = create(); strings.Contains(said, want) {
						return
					}
				}
				t.Fatalf("it was to say %q, and it says %s", want, said)
			}
			until(test.refused)
			writeFile(t, taken, []byte(test.right))
			until("accepted")

			stranger := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
			response, err := stranger.Post("https://"+pod.webhooks+"/validate--v1-configmap", "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != http.StatusUnauthorized {
				t.Errorf("who presents nothing gets %s", response.Status)
			}
		})
	}
}
