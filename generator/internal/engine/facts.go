// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// facts are the files outside of the source that checks and rendering need.
type facts struct {
	check.Facts
	lint lint.Facts
	// definitions are the CRD files, if the project has conversions or had some. schemas maps the names of CRDs with
	// conversions to the paths of their files, if tests are generated.
	definitions []load.Text
	schemas     map[string]string
}

// readFacts reads the files. A file is read only if the project needs it.
func (r Run) readFacts(ctx context.Context, s State) facts {
	f := facts{Facts: check.Facts{
		Settings: filepath.Join(r.Root, config.FileName), Callers: r.callers(), Aggregated: r.isAggregated(),
		Policies: render.PoliciesFile, Unserved: r.unserved(ctx, s),
	}}
	if r.keepsKustomization() && slices.Contains(r.Outputs, output.Manifests) {
		f.Kustomizations = map[string]load.Text{}
		for i, manifest := range r.AllManifests() {
			if i == 0 {
				manifest = "" // as in the model
			}
			if file := load.ReadText(filepath.Dir(cmp.Or(manifest, r.Manifest)), "kustomization.yaml"); file.Err == nil {
				f.Kustomizations[manifest] = file
			}
		}
	}
	if dependsOnDefinitions(s.Project) { // CRDs are long and YAML is slow to parse
		contents, _ := manifest.Read(r.definitionFiles())
		f.lint.Subresources = lint.Subresources(contents.Definitions)
		_, f.lint.Defined, _ = lint.Versions(contents.Definitions)
	}
	converted := render.Definitions(s.Project)
	tested := len(converted) > 0 && slices.Contains(r.Outputs, output.Tests)
	if tested || r.mergesDefinitions() {
		f.definitions = r.definitionFiles()
	}
	if tested {
		f.schemas = map[string]string{}
		for _, d := range converted {
			i := slices.IndexFunc(f.definitions, func(f load.Text) bool { return crd.Defines(f.Content, d.Name, d.Versions) })
			if i >= 0 {
				f.schemas[d.Name] = f.definitions[i].Path
			}
		}
	}
	return f
}

// mergesDefinitions reports whether the run writes the conversions into the CRD files that webhook-gen.yaml names.
func (r Run) mergesDefinitions() bool {
	return len(r.CRDs) > 0 && slices.Contains(r.Outputs, output.Conversions)
}

// mergeDefinitions returns the CRD files in webhook-gen.yaml with their conversions set.
func (r Run) mergeDefinitions(p *model.Project, files []load.Text, o render.Options) ([]output.File, diag.List) {
	if !r.mergesDefinitions() {
		return nil, nil
	}
	var conversions []crd.Conversion
	for _, d := range render.Definitions(p) {
		stanza, err := render.Stanza(d, o.Delivery)
		if err != nil {
			return nil, diag.List{diag.Errorf(diag.Range{}, "", "writing spec.conversion: %s", err)}
		}
		conversions = append(conversions, crd.Conversion{Range: d.Range, Name: d.Name, Versions: d.Versions, Stanza: stanza})
	}
	return crd.Merge(crd.Options{Files: files, Patterns: r.CRDs, Whole: r.readsAll}, conversions)
}

// dependsOnDefinitions reports whether a webhook matches a subresource of a kind whose markers do not list its
// subresources, or another resource of its kind's group.
func dependsOnDefinitions(p *model.Project) bool {
	return slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool {
		return slices.ContainsFunc(w.Spec.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
			return slices.ContainsFunc(rule.Resources, func(entry string) bool {
				resource, _, isSub := strings.Cut(entry, "/")
				return isSub && (w.Kind == nil || w.Kind.Subresources == nil) ||
					w.Kind != nil && resource != w.Kind.Plural && slices.Contains(rule.APIGroups, w.Kind.Group)
			})
		})
	})
}

// addDefinitionRules adds the rules in CRDs on disk to the policies that match their kinds. A policy's type may
// belong to another project, so that only its CRD is in this one.
func (r Run) addDefinitionRules(p *model.Project) {
	var policies []*model.Policy
	var groups []string
	for _, policy := range p.Policies {
		if len(policy.Spec.Validations) > 0 {
			policies = append(policies, policy)
			for _, rule := range policy.Spec.MatchConstraints.ResourceRules {
				groups = append(groups, rule.APIGroups...)
			}
		}
	}
	if len(policies) == 0 {
		return
	}
	var definitions []load.Text
	for _, file := range r.definitionFiles() {
		// CRDs are long and YAML is slow to parse. Other phases report unreadable files.
		if bytes.Contains(file.Content, []byte("x-kubernetes-validations")) &&
			slices.ContainsFunc(groups, func(group string) bool { return bytes.Contains(file.Content, []byte(group)) }) {
			definitions = append(definitions, file)
		}
	}
	contents, _ := manifest.Read(definitions)
	manifest.AddRules(policies, contents.Definitions)
}

// unserved returns the receivers of the hand-written ConvertTo methods of a module that registers no conversion
// webhook. controller-runtime's webhook builder registers /convert for a Convertible type. The path disappears when
// generated handlers replace the last builder call.
func (r Run) unserved(ctx context.Context, s State) []diag.Sourced[string] {
	if s.Module == nil || !s.Module.Requires("sigs.k8s.io/controller-runtime") ||
		!slices.ContainsFunc(s.Project.Webhooks(), func(w *model.Webhook) bool { return w.Handler != nil }) {
		return nil
	}
	registers := []string{"NewWebhookManagedBy", "WebhookManagedBy", "NewWebhookHandler"}
	source, _ := load.Load(ctx, load.Config{
		Dir: r.Root, Patterns: []string{"./..."}, Tags: r.Tags, Markers: []string{convertTo + "(", registers[1] + "(", registers[2] + "("},
	})
	for _, p := range source.Packages {
		for _, f := range p.Files {
			for n := range ast.Preorder(f.AST) {
				if id, ok := n.(*ast.Ident); ok && slices.Contains(registers, id.Name) {
					return nil
				}
			}
		}
	}
	return methods(source.Packages, convertTo)
}

// methods returns the receiver types of the methods with a name, in files that Load has parsed. Each has the position
// of its method.
func methods(packages []*load.Package, name string) (found []diag.Sourced[string]) {
	for _, p := range packages {
		for _, f := range p.Files {
			for _, d := range f.AST.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == name && load.Receiver(d) != "" {
					found = append(found, diag.Sourced[string]{V: load.Receiver(d), At: f.Range(d.Name.Pos(), d.Name.End())})
				}
			}
		}
	}
	return found
}

// convertTo is the method of controller-runtime's Convertible.
const convertTo = "ConvertTo"

// Reconciles reports whether a package has a method Reconcile, like controller-runtime's reconcilers.
func (r Run) Reconciles(ctx context.Context) bool {
	const method = "Reconcile"
	source, _ := load.Load(ctx, load.Config{Dir: r.Root, Patterns: []string{"./..."}, Tags: r.Tags, Markers: []string{method + "("}})
	return len(methods(source.Packages, method)) > 0
}

// ConvertedByHand returns the types with a method ConvertTo that the user has written for controller-runtime. Each
// has the position of its method.
func (r Run) ConvertedByHand(ctx context.Context) []diag.Sourced[string] {
	source, _ := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: []string{convertTo + "("}})
	return methods(source.Packages, convertTo)
}
