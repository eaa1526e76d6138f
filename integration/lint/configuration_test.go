// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// claim is a configuration with the API server's behaviour.
type claim struct {
	rule string // of lint
	// broken reports that lint has a finding.
	broken   bool
	mutating bool
	webhooks []v1.MutatingWebhook
	// seen gets the error of creating the configuration. It fails the test unless the API server behaves as the rule
	// predicts or, for a configuration without findings, as intended.
	seen func(*testing.T, error)
}

// check has lint read the configuration, and the API server use it.
func (c claim) check(t *testing.T, s *server, name string) {
	if got := slices.Contains(lint(t, c.configuration(name)), c.rule); got != c.broken {
		t.Errorf("lint complains: %t", got)
	}
	c.seen(t, c.install(t, s, name))
}

// install creates the configuration, and removes it after the test. It waits until the API server has heard of either.
func (c claim) install(t *testing.T, s *server, name string) error {
	// The API server calls the probe only for objects that isUsed creates.
	probe := webhook(s.at("/probe/"+name), rule("CREATE", "", "configmaps"))
	probe.Name = "probe.lint.example.com"
	probe.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"probe": name}}
	c.webhooks = append(slices.Clip(c.webhooks), probe)
	ctx := context.Background()
	registration := client.AdmissionregistrationV1()
	var err error
	remove := registration.ValidatingWebhookConfigurations().Delete
	switch o := c.configuration(name).(type) {
	case *v1.MutatingWebhookConfiguration:
		_, err = registration.MutatingWebhookConfigurations().Create(ctx, o, metav1.CreateOptions{})
		remove = registration.MutatingWebhookConfigurations().Delete
	case *v1.ValidatingWebhookConfiguration:
		_, err = registration.ValidatingWebhookConfigurations().Create(ctx, o, metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := remove(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		waitFor(t, func() bool { return !s.isUsed(name) })
	})
	waitFor(t, func() bool { return s.isUsed(name) })
	return nil
}

// isUsed reports whether the configuration's probe is called.
func (s *server) isUsed(name string) bool {
	before := s.calls("/probe/" + name)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-", Labels: map[string]string{"probe": name}}}
	client.CoreV1().ConfigMaps("default").Create(context.Background(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return s.calls("/probe/"+name) > before
}

func waitFor(t *testing.T, happens func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !happens(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the API server does not follow")
		}
	}
}

func (c claim) configuration(name string) any {
	meta := metav1.ObjectMeta{Name: name}
	if c.mutating {
		return &v1.MutatingWebhookConfiguration{
			TypeMeta: metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: "MutatingWebhookConfiguration"}, ObjectMeta: meta, Webhooks: c.webhooks,
		}
	}
	o := &v1.ValidatingWebhookConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: "ValidatingWebhookConfiguration"}, ObjectMeta: meta,
	}
	for _, w := range c.webhooks {
		o.Webhooks = append(o.Webhooks, validating(w))
	}
	return o
}

func validating(w v1.MutatingWebhook) v1.ValidatingWebhook {
	return v1.ValidatingWebhook{
		Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy, NamespaceSelector: w.NamespaceSelector,
		ObjectSelector: w.ObjectSelector, SideEffects: w.SideEffects, TimeoutSeconds: w.TimeoutSeconds, AdmissionReviewVersions: w.AdmissionReviewVersions,
	}
}

// webhook is one with failurePolicy Fail.
func webhook(at v1.WebhookClientConfig, rules ...v1.RuleWithOperations) v1.MutatingWebhook {
	none, fail := v1.SideEffectClassNone, v1.Fail
	return v1.MutatingWebhook{
		Name: "a.lint.example.com", ClientConfig: at, Rules: rules, SideEffects: &none, FailurePolicy: &fail, AdmissionReviewVersions: []string{"v1"},
		NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
	}
}

func rule(operation, group string, resources ...string) v1.RuleWithOperations {
	return v1.RuleWithOperations{
		Operations: []v1.OperationType{v1.OperationType(operation)}, Rule: v1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: resources},
	}
}

// lint is the rules that webhook-gen lint finds broken.
func lint(t *testing.T, object any) (rules []string) {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(webhookGen(t), "lint", "-f", "-", "--format", "json")
	command.Stdin = bytes.NewReader(text)
	out, err := command.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v\n%s", err, out)
	}
	var findings []struct{ Rule string }
	if err := json.Unmarshal(out, &findings); err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	return rules
}

var buildOnce = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs("../../bin/webhook-gen-lint-test")
	if err != nil {
		return "", err
	}
	command := exec.Command("go", "build", "-o", path, "./cmd/webhook-gen")
	command.Dir = "../.."
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(out)))
	}
	return path, nil
})

// webhookGen is the command as the tree has it.
func webhookGen(t *testing.T) string {
	t.Helper()
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
