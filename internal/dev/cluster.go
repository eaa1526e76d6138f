// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Label marks the configurations of a session.
const Label = "webhook-gen.github.io/dev"

// errCluster means that the cluster could not be reached, or has refused something.
var errCluster = errors.New("the cluster")

// cluster is where a session has its program called from.
type cluster struct {
	command   []string
	url       string
	authority []byte
	// applied reports that there are configurations to remove; replaced has the former spec.conversion of CRDs, as JSON.
	applied  bool
	replaced map[string][]byte
}

// apply has the configurations and the CRDs name the session's URL. Configurations of a session before it that are not
// among them any more are removed.
func (c *cluster) apply(ctx context.Context, manifests [][]byte) error {
	var configurations []string
	for _, manifest := range manifests {
		for text := range bytes.SplitSeq(manifest, []byte("\n---\n")) {
			var object map[string]any
			if err := yaml.Unmarshal(text, &object); err != nil {
				return err
			}
			meta, _ := object["metadata"].(map[string]any)
			name, _ := meta["name"].(string)
			switch object["kind"] {
			case "CustomResourceDefinition":
				if err := c.convert(ctx, name, object); err != nil {
					return err
				}
			case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
				object["metadata"] = map[string]any{"name": "dev-" + name, "labels": map[string]any{Label: "true"}}
				webhooks, _ := object["webhooks"].([]any)
				for _, w := range webhooks {
					if w, ok := w.(map[string]any); ok {
						c.reach(w)
					}
				}
				text, err := yaml.Marshal(object)
				if err != nil {
					return err
				}
				configurations = append(configurations, string(text))
			}
		}
	}
	if len(configurations) == 0 {
		return c.remove(ctx)
	}
	c.applied = true
	_, err := c.kubectl(ctx, strings.Join(configurations, "---\n"), "apply", "-f", "-", "--prune", "--selector", Label+"=true",
		"--prune-allowlist=admissionregistration.k8s.io/v1/MutatingWebhookConfiguration",
		"--prune-allowlist=admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration")
	return err
}

// reach has a webhook, or a conversion's, called at the session's URL.
func (c *cluster) reach(webhook map[string]any) {
	config, _ := webhook["clientConfig"].(map[string]any)
	service, ok := config["service"].(map[string]any)
	if !ok {
		return // it is somewhere else
	}
	webhook["clientConfig"] = map[string]any{"url": fmt.Sprint(c.url, service["path"]), "caBundle": base64.StdEncoding.EncodeToString(c.authority)}
}

// convert has the session convert a CRD of the cluster, and keeps its former spec.conversion. It skips a missing CRD.
func (c *cluster) convert(ctx context.Context, name string, patch map[string]any) error {
	if _, known := c.replaced[name]; !known {
		had, err := c.kubectl(ctx, "", "get", "crd", name, "--ignore-not-found", "-o", "jsonpath={.spec.conversion}")
		if err != nil || len(had) == 0 {
			return err
		}
		c.replaced[name] = had
	}
	spec, _ := patch["spec"].(map[string]any)
	conversion, _ := spec["conversion"].(map[string]any)
	webhook, _ := conversion["webhook"].(map[string]any)
	c.reach(webhook)
	text, err := json.Marshal(conversion)
	if err != nil {
		return err
	}
	return c.setConversion(ctx, name, text)
}

// setConversion replaces spec.conversion of a CRD as a whole.
func (c *cluster) setConversion(ctx context.Context, name string, conversion []byte) error {
	patch := fmt.Sprintf(`[{"op": "replace", "path": "/spec/conversion", "value": %s}]`, conversion)
	_, err := c.kubectl(ctx, "", "patch", "crd", name, "--type=json", "-p", patch)
	return err
}

// restore undoes all changes of the session to the cluster.
func (c *cluster) restore(ctx context.Context) error {
	failed := []error{c.remove(ctx)}
	for _, name := range slices.Sorted(maps.Keys(c.replaced)) {
		failed = append(failed, c.setConversion(ctx, name, c.replaced[name]))
	}
	return errors.Join(failed...)
}

// remove removes the configurations of the session.
func (c *cluster) remove(ctx context.Context) error {
	if !c.applied {
		return nil
	}
	_, err := c.kubectl(ctx, "", "delete", "mutatingwebhookconfigurations,validatingwebhookconfigurations", "--selector", Label+"=true", "--ignore-not-found")
	return err
}

// kubectl runs kubectl and returns its output.
func (c *cluster) kubectl(ctx context.Context, stdin string, arguments ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, c.command[0], slices.Concat(c.command[1:], arguments)...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%w: kubectl %s: %w\n%s", errCluster, strings.Join(arguments, " "), err, &stderr)
	}
	return stdout.Bytes(), nil
}
