// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestLinted lints a new project after the commands that write files of it. make verify fails while a file of
// controller-gen is stale, make generate keeps the definitions while a file does not parse, and the package of a kind
// can be registered with a client.
func TestLinted(t *testing.T) {
	t.Parallel()
	linter := buildLinter(t)
	p := project{T: t, published: publish(t), dir: t.TempDir()}
	program := filepath.Join(everyCommand.in(t, "webhook-gen"), "webhook-gen")
	gen := func(arguments ...string) { p.Helper(); p.run(append([]string{program}, arguments...)...) }
	gen("init", "--module", "example.com/shop", "--domain", "example.com")
	p.run("make", "go.sum")
	linter.check(p)

	gen("create", "api", "--group", "shop", "--version", "v1alpha1", "--kind", "Order")
	gen("create", "webhook", "--group", "shop", "--version", "v1alpha1", "--kind", "Order", "--mutating", "--validating")
	gen("create", "webhook", "--group", "apps", "--version", "v1", "--kind", "Deployment", "--validating")
	gen("create", "version", "--group", "shop", "--version", "v1", "--kind", "Order", "--from", "v1alpha1")
	p.run("go", "mod", "tidy")
	linter.check(p) // also before make generate
	p.run("make", "generate", "verify")
	linter.check(p)
	p.write("scheme_test.go", "package shop\n\nimport (\n\t\"testing\"\n\n\t\"k8s.io/apimachinery/pkg/runtime\"\n\n\tshopv1 \"example.com/shop/api/v1\"\n)\n\n"+
		"func TestScheme(t *testing.T) {\n\tscheme := runtime.NewScheme()\n\tif err := shopv1.AddToScheme(scheme); err != nil || !scheme.Recognizes(shopv1.GroupVersion.WithKind(\"OrderList\")) {\n\t\tt.Fatal(err)\n\t}\n}\n")
	p.run("go", "test", "./...")

	const types = "api/v1/order_types.go"
	p.replace(types, "type OrderSpec struct{}", "type OrderSpec struct {\n\t// Notes are for the packer.\n\tNotes []string `json:\"notes,omitempty\"`\n}")
	said, err := try(p.dir, p.env, "make", "verify")
	for _, stale := range []string{"api/v1/zz_generated.deepcopy.go", "config/crd/bases/shop.example.com_orders.yaml"} {
		if err == nil || !strings.Contains(err.Error()+said, "run make generate and commit") || !strings.Contains(said, stale) {
			t.Errorf("make verify does not report %s: %v\n%s", stale, err, said)
		}
	}

	// A file that does not parse costs no definition.
	const definition = "config/crd/bases/shop.example.com_orders.yaml"
	before := p.read(definition)
	p.write("api/v1/broken.go", "package v1\n\nfunc {\n")
	if said, err := try(p.dir, p.env, "make", "generate"); err == nil || p.read(definition) != before {
		t.Errorf("make generate with a file that does not parse: %v, and the definition has changed: %v\n%s", err, p.read(definition) != before, said)
	}
	p.run("rm", "scheme_test.go", "api/v1/broken.go")
	gen("delete", "webhook", "--group", "shop", "--version", "v1alpha1", "--kind", "Order", "--mutating")
	gen("delete", "version", "--group", "shop", "--version", "v1", "--kind", "Order", "--force", "--migrated")
	gen("delete", "webhook", "--group", "apps", "--version", "v1", "--kind", "Deployment", "--force")
	p.run("make", "generate", "verify")
	linter.check(p)

	p.write("internal/old/webhooks.go", controllerRuntimeWebhooks)
	p.run("go", "mod", "tidy")
	gen("create", "tests", "./internal/old")
	p.run("go", "mod", "tidy")
	linter.check(p)
}

// controllerRuntimeWebhooks are webhooks to write tests for with `webhook-gen create tests`.
const controllerRuntimeWebhooks = `// Package old has webhooks of controller-runtime.
package old

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// +kubebuilder:webhook:path=/validate--v1-configmap,mutating=false,failurePolicy=fail,sideEffects=None,groups="",resources=configmaps,verbs=create;update,versions=v1,name=vconfigmap-v1.kb.io,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate--v1-secret,mutating=false,failurePolicy=fail,sideEffects=None,groups="",resources=secrets,verbs=create;update,versions=v1,name=vsecret-v1.kb.io,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate--v1-service,mutating=false,failurePolicy=fail,sideEffects=None,groups="",resources=services,verbs=create;update,versions=v1,name=vservice-v1.kb.io,admissionReviewVersions=v1

// Setup registers the webhooks.
func Setup(mgr ctrl.Manager) error {
	if err := ctrl.NewWebhookManagedBy(mgr, &corev1.ConfigMap{}).WithValidator(&ConfigMaps{}).Complete(); err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(mgr, &corev1.Secret{}).WithValidator(&Anything[*corev1.Secret]{}).Complete(); err != nil {
		return err
	}
	return ctrl.NewWebhookManagedBy(mgr, &corev1.Service{}).WithValidator(&Anything[*corev1.Service]{}).Complete()
}

// ConfigMaps allows everything.
type ConfigMaps struct{}

// ValidateCreate allows it.
func (*ConfigMaps) ValidateCreate(context.Context, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

// ValidateUpdate allows it.
func (*ConfigMaps) ValidateUpdate(_ context.Context, _, _ *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

// ValidateDelete allows it.
func (*ConfigMaps) ValidateDelete(context.Context, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

// Anything allows everything.
type Anything[T any] struct{}

// ValidateCreate allows it.
func (*Anything[T]) ValidateCreate(context.Context, T) (admission.Warnings, error) { return nil, nil }

// ValidateUpdate allows it.
func (*Anything[T]) ValidateUpdate(_ context.Context, _, _ T) (admission.Warnings, error) {
	return nil, nil
}

// ValidateDelete allows it.
func (*Anything[T]) ValidateDelete(context.Context, T) (admission.Warnings, error) { return nil, nil }
`

// linter is golangci-lint, in the version of new projects.
type linter struct{ program string }

// buildLinter builds golangci-lint from the module proxy.
func buildLinter(t *testing.T) linter {
	t.Helper()
	const module = "github.com/golangci/golangci-lint/v2"
	makefile, err := os.ReadFile(filepath.Join(root, "templates", "project", "module", "Makefile.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(root, "hack", "tools")
	pinned := strings.TrimSpace(output(t, tools, nil, "go", "list", "-m", "-f", "{{.Version}}", module))
	if want := module + "/cmd/golangci-lint@" + pinned + "\n"; !strings.Contains(string(makefile), want) {
		t.Fatalf("the Makefile of new projects does not run %s", want)
	}
	l := linter{filepath.Join(t.TempDir(), "golangci-lint")}
	output(t, tools, nil, "go", "build", "-o", l.program, module+"/cmd/golangci-lint")
	return l
}

// kubebuilderLinters are the linters of kubebuilder's projects: the file golangci.go in
// pkg/plugins/golang/v4/scaffolds/internal/templates of sigs.k8s.io/kubebuilder/v4, v4.10.1.
func kubebuilderLinters() []string {
	return []string{"copyloopvar", "dupl", "errcheck", "ginkgolinter", "goconst", "gocyclo", "govet", "ineffassign", "lll", "misspell",
		"nakedret", "prealloc", "revive", "staticcheck", "unconvert", "unparam", "unused"}
}

// check runs the linters of the project's own configuration, golangci-lint's standard ones and kubebuilder's over all
// files, at once and without a limit, and go vet.
func (l linter) check(p project) {
	p.Helper()
	var config struct {
		Version string `json:"version"`
		Linters struct {
			Enable     []string       `json:"enable"`
			Settings   map[string]any `json:"settings"`
			Exclusions struct {
				Generated string `json:"generated"`
				Rules     []any  `json:"rules"`
			} `json:"exclusions"`
		} `json:"linters"`
		Formatters map[string]any `json:"formatters"`
		Issues     map[string]any `json:"issues"`
	}
	if err := yaml.UnmarshalStrict([]byte(p.read(".golangci.yml")), &config); err != nil {
		p.Fatal(err)
	}
	if config.Linters.Settings != nil || config.Linters.Exclusions.Generated != "" {
		p.Fatal("the project's configuration has settings that this one replaces")
	}
	all := map[string]bool{}
	for _, name := range slices.Concat(config.Linters.Enable, kubebuilderLinters()) {
		all[name] = true
	}
	config.Linters.Enable = slices.Sorted(maps.Keys(all)) // beside the standard ones
	config.Linters.Settings = map[string]any{
		// Without a list of rules, revive has its default ones. kubebuilder has the two.
		"revive": map[string]any{"enable-default-rules": true, "rules": []any{
			map[string]any{"name": "comment-spacings"}, map[string]any{"name": "import-shadowing"},
		}},
	}
	config.Linters.Exclusions.Generated = "disable"                           // generated files, too
	config.Linters.Exclusions.Rules = append(config.Linters.Exclusions.Rules, // kubebuilder's
		map[string]any{"linters": []string{"lll"}, "path": "api/*"},
		map[string]any{"linters": []string{"dupl", "lll"}, "path": "internal/*"},
	)
	config.Issues = map[string]any{"max-issues-per-linter": 0, "max-same-issues": 0}
	text, err := yaml.Marshal(config)
	if err != nil {
		p.Fatal(err)
	}
	const name = ".golangci-all.yml" // paths in a configuration are relative to its folder
	p.write(name, string(text))
	p.run(l.program, "run", "--allow-parallel-runners", "--config", name, "./...")
	p.run("go", "vet", "./...")
	if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
		p.Fatal(err)
	}
}
