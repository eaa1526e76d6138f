package model

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Method is the name of the policy's function for an operation: ValidateCreate, DefaultQuotaUpdate.
func (h *Handler) Method(mutating bool, operation string) string {
	if mutating {
		return "Default" + h.Suffix + operation
	}
	return "Validate" + h.Suffix + operation
}

// TestFunction is the name of the user's function that makes the policy for tests.
func (h *Handler) TestFunction() string { return "new" + h.Implementation }

var policyMethod = regexp.MustCompile(`^(Default|Validate)[A-Za-z0-9]*(Create|Update|Delete|Connect)$`)

// inspectImplementations looks at what the user has written of the policies so far. It marks the
// handlers that need a stub and reports methods that nothing calls.
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
	for _, w := range b.webhooks {
		h := w.Handler
		if h == nil {
			continue
		}
		k := key{h.Package.Dir, h.Implementation}
		if _, done := written[k]; !done {
			written[k] = b.implementation(h.Package, h.Implementation)
			for _, m := range written[k].methods {
				if policyMethod.MatchString(m.name) && !slices.Contains(asked[k], m.name) {
					b.diags.Add(diag.Warningf(m.Range, RuleMethod, "no marker on %s asks for %s, so that nothing calls it", h.Type, m.name).
						WithHint("remove it, or name the operation in the marker").WithRelated(w.Range, "a marker is here"))
				}
			}
		}
		i := written[k]
		for _, o := range h.Operations {
			if i.declared && !i.embeds && !slices.ContainsFunc(i.methods, func(m method) bool { return m.name == h.Method(w.Mutating, o) }) {
				h.Missing = append(h.Missing, o)
			}
		}
		// The methods of an embedded type are not seen here, and a stub would hide them.
		if h.NeedsTestStub = b.options.AsNew || !declaresInTest(h.Package.Dir, h.TestFunction()); h.NeedsTestStub {
			h.Sample = b.sample(h)
		}
		h.NeedsStub = b.options.AsNew || !i.declared || h.Holder && !i.embeds && !slices.ContainsFunc(i.methods, func(m method) bool { return slices.Contains(asked[k], m.name) })
	}
}

// declaresInTest reports whether a test of the package in a folder declares a function. What cannot
// be read the compiler reports.
func declaresInTest(dir, function string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is a good one
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte("func "+function+"(")) {
			continue
		}
		tree, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if tree != nil && slices.ContainsFunc(tree.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && f.Recv == nil && f.Name.Name == function
		}) {
			return true
		}
	}
	return false
}

// implementation is what stands of a type that holds policies.
type implementation struct {
	declared bool
	embeds   bool // other types, whose methods it then has too
	methods  []method
}

type method struct {
	diag.Range
	name string
}

func (b *builder) implementation(p HandlerPackage, name string) (i implementation) {
	if _, ok := b.module.PackageName(p.Path); !ok {
		return i
	}
	pkg, err := b.module.Locate(b.ctx, p.Path)
	if err != nil {
		return i // no Go files yet
	}
	for _, f := range pkg.FilesWith(name) {
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if spec, ok := s.(*ast.TypeSpec); ok && spec.Name.Name == name {
						i.declared, i.embeds = true, embeds(spec)
					}
				}
			case *ast.FuncDecl:
				if receiver(d) == name {
					i.methods = append(i.methods, method{f.Range(d.Name.Pos(), d.Name.End()), d.Name.Name})
				}
			}
		}
	}
	return i
}

func embeds(spec *ast.TypeSpec) bool {
	s, ok := spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 })
}

// receiver is the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
