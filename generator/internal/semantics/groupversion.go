// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"context"
	"go/ast"
	"go/token"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// groupVersion is the API group and version of the types in a Go package.
type groupVersion struct {
	group, version diag.Sourced[string]
	// goName is the group's name in Go code, from a comment.
	goName diag.Sourced[string]
}

// findGroupVersion reads a package's group and version from the user's code. It tries +groupName and +versionName
// comments, then the variable or constant of type schema.GroupVersion and, for the version, the package's name. A
// +groupGoName comment of client-go sets the group's name in Go code.
func findGroupVersion(ctx context.Context, p *load.Package) (groupVersion, diag.List) {
	var byTag, byVariable groupVersion
	constants := resolve.New(ctx, p.Module)
	for _, f := range p.FilesWith("+groupName", "+groupGoName", "+versionName", "GroupVersion{") {
		byTag.group = findTag(f, f.AST.Comments, "groupName").Or(byTag.group)
		byTag.goName = findTag(f, f.AST.Comments, "groupGoName").Or(byTag.goName)
		byTag.version = findTag(f, f.AST.Comments, "versionName").Or(byTag.version)
		if gv, ok := groupVersionVariable(constants, p, f); ok && !byVariable.version.IsSet() {
			byVariable = gv
		}
	}
	var diags diag.List
	pick := func(what string, tag, variable diag.Sourced[string]) diag.Sourced[string] {
		if tag.IsSet() && variable.IsSet() && tag.V != variable.V {
			diags.Add(diag.Errorf(tag.At, model.RuleGroupVersion, "the comment sets the %s %q, the variable sets %q", what, tag.V, variable.V).
				WithHint("make them agree: CRDs come from the one, clients from the other").
				WithRelated(variable.At, "the variable is here"))
		}
		return tag.Or(variable)
	}
	gv := groupVersion{
		group:   pick("group", byTag.group, byVariable.group),
		version: pick("version", byTag.version, byVariable.version),
		goName:  byTag.goName,
	}
	if g := gv.group; g.V != "" && len(validation.IsDNS1123Subdomain(g.V)) > 0 {
		diags.Add(diag.Errorf(g.At, model.RuleGroupVersion, "%q is not an API group: those have lower-case letters, digits and - between their dots, as shop.example.com", g.V))
	}
	if v := gv.version; v.V != "" && len(validation.IsDNS1035Label(v.V)) > 0 {
		diags.Add(diag.Errorf(v.At, model.RuleGroupVersion, "%q is not an API version: those have lower-case letters, digits and -, as v1 and v2beta1", v.V))
	}
	if name := gv.goName; name.IsSet() && !token.IsIdentifier(name.V) {
		diags.Add(diag.Errorf(name.At, model.RuleGroupVersion, "+groupGoName is %q, which is no name in Go", name.V).
			WithHint("write a name such as SecondExample"))
		gv.goName = diag.Sourced[string]{}
	}
	if !gv.version.IsSet() {
		for _, name := range []string{p.Name, path.Base(p.Path)} {
			if model.IsVersion(name) {
				gv.version = diag.Sourced[string]{V: name, At: diag.InFile(p.Dir)}
				break
			}
		}
	}
	return gv, diags
}

// groupVersionVariable finds "X = schema.GroupVersion{Group: ..., Version: ...}" at package level.
func groupVersionVariable(constants *resolve.Resolver, p *load.Package, f *load.File) (gv groupVersion, ok bool) {
	for _, d := range f.AST.Decls {
		decl, isGen := d.(*ast.GenDecl)
		if !isGen || decl.Tok != token.VAR {
			continue
		}
		for _, s := range decl.Specs {
			for _, v := range s.(*ast.ValueSpec).Values {
				lit, isLit := v.(*ast.CompositeLit)
				if !isLit || !isGroupVersion(lit.Type) || len(lit.Elts) == 0 {
					continue
				}
				at := f.Range(lit.Pos(), lit.End())
				for i, e := range lit.Elts {
					field, value := [...]string{"Group", "Version"}[min(i, 1)], e
					if kv, keyed := e.(*ast.KeyValueExpr); keyed {
						if key, named := kv.Key.(*ast.Ident); named {
							field, value = key.Name, kv.Value
						}
					}
					text, known := constants.Text(p, f, value)
					switch {
					case known && field == "Group":
						gv.group = diag.Sourced[string]{V: text, At: at}
					case known && field == "Version":
						gv.version = diag.Sourced[string]{V: text, At: at}
					}
				}
				if gv.version.V == "__internal" { // runtime.APIVersionInternal is not a version of a package
					return groupVersion{}, false
				}
				return gv, true
			}
		}
	}
	return gv, false
}

func isGroupVersion(t ast.Expr) bool {
	if qualified, ok := t.(*ast.SelectorExpr); ok {
		t = qualified.Sel
	}
	name, ok := t.(*ast.Ident)
	return ok && name.Name == "GroupVersion"
}

// findTag returns the value of the last +name=value in the comments.
func findTag(file *load.File, groups []*ast.CommentGroup, name string) (found diag.Sourced[string]) {
	for _, g := range groups {
		for _, line := range marker.Lines(g, file.Position) {
			text := strings.TrimSpace(line.Text)
			rest, is := strings.CutPrefix(text, "+"+name)
			if !is || rest != "" && rest[0] != '=' && rest[0] != ':' {
				continue
			}
			found = diag.Sourced[string]{V: rest[min(1, len(rest)):], At: line.Range(strings.Index(line.Text, "+"), len(line.Text))}
		}
	}
	return found
}

// option returns the value of a key in a tag's value "key=value,key=value", or "".
func option(options, key string) string {
	for piece := range strings.SplitSeq(options, ",") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(piece), key+"="); ok {
			return strings.Trim(v, "\"`")
		}
	}
	return ""
}
