// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// TestWait has the command wait end when the API server reaches a webhook, and not before.
func TestWait(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	denied := admission.Validating("wait.example.com", admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
		if r.Object.Data["denied"] != "" {
			return errors.New("no")
		}
		return nil
	}))
	server := httptest.NewTLSServer(denied)
	defer server.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	var calls atomic.Int64 // which get no answer
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			c.Close()
		}
	}()
	dead, none := "https://"+silent.Addr().String(), admissionregistrationv1.SideEffectClassNone
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "wait"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "wait.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"topic": "wait"}},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &dead,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})},
			Rules: []admissionregistrationv1.RuleWithOperations{{Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule: admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}}},
		}}}
	e.installFor(t, configuration)
	folder := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(folder, name+".yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	configMap := func(data string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: probe, namespace: " + namespace + ", labels: {topic: wait}}\ndata: {" + data + "}\n"
	}
	kubeconfig, nobody := e.kubeconfig(t, ""), e.kubeconfig(t, "nobody")
	run := func(args ...string) func() (int, string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), crateProgram+"=wait "+strings.Join(args, " "))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() (int, string) {
			cmd.Wait()
			return cmd.ProcessState.ExitCode(), out.String()
		}
	}
	expect := func(code int, want string, args ...string) {
		t.Helper()
		if got, out := run(append(args, "--kubeconfig", kubeconfig)...)(); got != code || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d and not %d, or no %q in %s", args, got, code, want, out)
		}
	}
	good, bad := file("good", configMap("a: b")), file("bad", configMap("denied: x"))
	eventually(t, "the configuration is in effect", func() bool {
		code, _ := run("-f", good, "--timeout", "1s", "--kubeconfig", kubeconfig)()
		return code == 1
	})
	expect(1, "not reached in 2s: the webhooks for ConfigMap "+namespace+"/probe: Internal error occurred: failed calling webhook", "-f", good, "--timeout", "2s")
	expect(1, "not reached in 2s: the webhooks for Box b: the server could not find the requested resource",
		"-f", file("box", "apiVersion: boxes.example.com/v1\nkind: Box\nmetadata: {name: b}\n"), "--timeout", "2s")
	expect(2, "invalid.yaml:1: ConfigMap "+namespace+"/-: ConfigMap \"-\" is invalid",
		"-f", file("invalid", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"-\", namespace: "+namespace+"}\n"))
	expect(2, "nothing.yaml: no object", "-f", file("nothing", "# nothing\n"))
	expect(2, "nameless.yaml:1: an object needs apiVersion, kind and metadata.name", "-f", file("nameless", "kind: ConfigMap\n"))
	expect(2, "-f is missing", "--timeout", "2s")
	if code, out := run("-f", good, "--kubeconfig", nobody)(); code != 2 || !strings.Contains(out, "cannot create resource") {
		t.Errorf("without the right: exit code %d, %s", code, out)
	}

	before := calls.Load()
	waiting := run("-f", good, "-f", bad, "--timeout", "1m", "--kubeconfig", kubeconfig)
	eventually(t, "it asks more than once", func() bool { return calls.Load() > before+1 })
	if err := e.client.Get(t.Context(), client.ObjectKeyFromObject(configuration), configuration); err != nil {
		t.Fatal(err)
	}
	configuration.Webhooks[0].ClientConfig.URL = &server.URL
	if err := e.client.Update(t.Context(), configuration); err != nil {
		t.Fatal(err)
	}
	if code, out := waiting(); code != 0 || strings.Count(out, "reached: the webhooks for ConfigMap "+namespace+"/probe\n") != 2 {
		t.Errorf("exit code %d, %s", code, out)
	}
	if all := (&corev1.ConfigMapList{}); e.client.List(t.Context(), all, client.InNamespace(namespace)) != nil || len(all.Items) > 0 {
		t.Errorf("objects were created: %v", all.Items)
	}
}
