// SPDX-License-Identifier: Apache-2.0

package build

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

var policyMethod = regexp.MustCompile(`^(Default|Validate)[A-Za-z0-9]*(Create|Update|Delete|Connect)$`)

// inspectImplementations reads the user's validators and defaulters. It marks the handlers that need a stub and reports
// methods that are never called.
func (b *builder) inspectImplementations() {
	type key struct{ dir, implementation string }
	asked := map[key][]string{}
	for _, w := range b.webhooks {
		if h := w.Handler; h != nil {
			k := key{h.Package.Dir, h.Implementation}
			for _, o := range h.Operations {
				asked[k] = append(asked[k], h.Method(w.Mutating, o))
			}
		}
	}
	written := map[key]implementation{}
	// A marker with a mistake may be what calls a method.
	unsure := b.diags.HasErrors()
	for _, w := range b.webhooks {
		h := w.Handler
		if h == nil {
			continue
		}
		k := key{h.Package.Dir, h.Implementation}
		if _, done := written[k]; !done {
			written[k] = b.implementation(h.Package, h.Implementation)
			for _, m := range written[k].methods {
				if !unsure && policyMethod.MatchString(m.Name) && !slices.Contains(asked[k], m.Name) {
					b.diags.Add(diag.Warningf(m.Range, model.RuleMethod, "no marker on %s asks for %s, so that nothing calls it", h.Type, m.Name).
						WithHint("name the operation in the marker; if the operation was removed on purpose, remove the method").WithRelated(w.Range, "a marker is here"))
				}
			}
		}
		i := written[k]
		for _, o := range h.Operations {
			if i.declared && !i.embeds && !slices.ContainsFunc(i.methods, func(m load.Method) bool { return m.Name == h.Method(w.Mutating, o) }) {
				h.Missing = append(h.Missing, o)
			}
		}
		// The methods of an embedded type are not visible here, and a stub would hide them.
		if h.NeedsTestStub = b.options.AsNew || !load.DeclaresInTest(h.Package.Dir, h.TestFunction()); h.NeedsTestStub {
			h.Sample = b.sample(h)
		}
		h.StubFile = stubFile(h, ".go", h.Implementation)
		h.TestStubFile = stubFile(h, "_test.go", h.TestFunction())
		h.NeedsStub = b.options.AsNew || !i.declared || h.Holder && !i.embeds && !slices.ContainsFunc(i.methods, func(m load.Method) bool { return slices.Contains(asked[k], m.Name) })
	}
}

// stubFile is the file of the user's validator or defaulter: order_webhook.go. kubebuilder uses that name for its own
// files in the same folder. If such a file exists without our declaration, the name is order_policy.go.
func stubFile(h *model.Handler, end, declared string) string {
	name := strings.ToLower(h.Type)
	usual := name + "_webhook" + end
	text := load.Sibling(h.Package.Dir, usual)
	if text == nil || regexp.MustCompile(`\b`+declared+`\b`).Match(text) {
		return usual
	}
	return name + "_policy" + end
}

// implementation is the existing code of a validator or defaulter type.
type implementation struct {
	declared bool
	embeds   bool // the type embeds others and has their methods
	methods  []load.Method
}

func (b *builder) implementation(p model.HandlerPackage, name string) (i implementation) {
	if _, ok := b.module.PackageName(p.Path); !ok {
		return i
	}
	pkg, err := b.module.Locate(b.ctx, p.Path)
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
