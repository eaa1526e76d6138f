// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"context"
	"go/ast"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

var handlerMethod = regexp.MustCompile(`^(Default|Validate)[A-Za-z0-9]*(Create|Update|Delete|Connect)$`)

// Implementations adds facts about the user's validators, defaulters and test functions to the model: which of them
// exist, and which methods are missing. It reports methods that are never called, except for those that
// controller-runtime calls because of a marker in others. With samples, each handler gets its sample object;
// otherwise only handlers without test functions do. A second call replaces the facts.
func Implementations(ctx context.Context, module *load.Module, p *model.Project, others []kubebuilder.Webhook, samples bool) diag.List {
	type key struct{ dir, implementation string }
	var diags diag.List
	var handled []*model.Webhook // in the order of the markers
	asked := map[key][]string{}
	for _, w := range p.Webhooks() {
		if h := w.Handler; h != nil {
			handled = append(handled, w)
			k := key{h.Package.Dir, h.Implementation}
			for _, o := range h.Operations {
				asked[k] = append(asked[k], h.Method(w.Mutating, o))
			}
		}
	}
	slices.SortStableFunc(handled, func(a, b *model.Webhook) int { return a.Pos.Compare(b.Pos) })
	written := map[key]implementation{}
	for _, w := range handled {
		h := w.Handler
		k := key{h.Package.Dir, h.Implementation}
		if _, done := written[k]; !done {
			written[k] = readImplementation(ctx, module, h.Package, h.Implementation)
			for _, m := range written[k].methods {
				if handlerMethod.MatchString(m.Name) && !slices.Contains(asked[k], m.Name) && !isControllerRuntimeMethod(others, w, m.Name) {
					diags.Add(diag.Warningf(m.Range, model.RuleMethod, "no marker on %s has the operation of %s, so nothing calls it", h.Type, m.Name).
						WithHint("name the operation in the marker; if the operation was removed on purpose, remove the method").WithRelated(w.Range, "a marker is here"))
				}
			}
		}
		i := written[k]
		called := slices.DeleteFunc(slices.Clone(i.methods), func(m load.Method) bool { return !slices.Contains(asked[k], m.Name) })
		h.Missing = nil
		for _, o := range h.Operations {
			if i.declared && !i.embeds && !slices.ContainsFunc(called, func(m load.Method) bool { return m.Name == h.Method(w.Mutating, o) }) {
				h.Missing = append(h.Missing, o)
			}
		}
		if h.NeedsTestStub = !load.DeclaresInTest(h.Package.Dir, h.TestFunction()); h.NeedsTestStub || samples {
			h.Sample = sample(ctx, module, h)
		}
		h.Decides = i.embeds || slices.ContainsFunc(called, func(m load.Method) bool { return !m.Idle })
		h.StubFile = stubFile(h, ".go", h.Implementation)
		h.TestStubFile = stubFile(h, "_test.go", h.TestFunction())
		// Methods of an embedded type are not visible here, and a stub would hide them.
		h.NeedsStub = !i.declared || h.Holder && !i.embeds && len(called) == 0
	}
	for _, c := range p.Conversions {
		c.NeedsTestStub = !load.DeclaresInTest(c.Package.Dir, c.TestFunction())
	}
	return diags
}

// isControllerRuntimeMethod reports whether a +kubebuilder:webhook marker needs a method for controller-runtime. Such a
// marker is in the same package or for the same resource.
func isControllerRuntimeMethod(others []kubebuilder.Webhook, w *model.Webhook, method string) bool {
	return slices.ContainsFunc(others, func(o kubebuilder.Webhook) bool {
		return !o.Mutating && slices.ContainsFunc(o.Spec.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
			near := o.Package.Path == w.Handler.Package.Path ||
				w.Kind != nil && slices.Contains(r.Resources, w.Kind.Plural) && slices.Contains(r.APIGroups, w.Kind.Group)
			return near && slices.ContainsFunc(r.Operations, func(operation admissionregistrationv1.OperationType) bool {
				return operation == admissionregistrationv1.OperationAll || strings.EqualFold("Validate"+string(operation), method)
			})
		})
	})
}

// stubFile returns the file for the user's validator or defaulter, such as order_webhook.go. kubebuilder uses this
// name in the same folder for its own file. If that file exists without our declaration, the name is
// order_handler.go.
func stubFile(h *model.Handler, end, declared string) string {
	lower := strings.ToLower(h.Type)
	name := cmp.Or(strings.TrimSuffix(lower, "webhook"), lower)
	usual := name + "_webhook" + end
	text := load.ReadText(h.Package.Dir, usual).Content
	if text == nil || regexp.MustCompile(`\b`+declared+`\b`).Match(text) {
		return usual
	}
	return name + "_handler" + end
}

// implementation is the existing code of a validator or defaulter type.
type implementation struct {
	declared bool
	embeds   bool // the type has methods of embedded types
	methods  []load.Method
}

func readImplementation(ctx context.Context, module *load.Module, p model.HandlerPackage, name string) (i implementation) {
	if _, ok := module.PackageName(p.Path); !ok {
		return i
	}
	pkg, err := module.Locate(ctx, p.Path)
	if err != nil {
		return i // no Go files yet
	}
	if t, ok := pkg.Type(name); ok {
		i.declared, i.embeds = true, embeds(t.Spec)
	}
	i.methods = pkg.Methods(name)
	return i
}

func embeds(spec *ast.TypeSpec) bool {
	s, ok := spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 })
}
