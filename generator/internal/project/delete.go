// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// DeleteWebhook removes webhook markers from a type, by default those of admission webhooks, and the files generated
// for them. If the hub's marker is removed, no version of the kind is converted. It also removes the file of a
// validator or defaulter. If the user has edited that file, the command fails unless force is set.
func DeleteWebhook(ctx context.Context, c Config, r Resource, w Webhooks, force bool) (Result, error) {
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	if w.isEmpty() {
		w.Mutating, w.Validating = true, true
	}
	var e edits
	r = s.core(r)
	if own, ok := s.ownType(r); ok {
		err = e.unmark(own.APIType, r, w)
		if w.Conversion && own.has("webhook:conversion:hub") {
			for _, o := range s.others(r) {
				err = errors.Join(err, e.unconvert(o.APIType, r.Kind))
			}
		}
	} else if t, ok := s.foreignOf(ctx, r); ok {
		err = errors.Join(e.unmark(t.APIType, r, w), s.removeEmpty(&e, t))
	} else {
		return Result{}, fmt.Errorf("there is neither a type %s of %s/%s nor a validator or defaulter of one", r.Kind, s.group(r), r.Version)
	}
	switch {
	case err != nil:
		return Result{}, err
	case len(e.Change) == 0:
		return Result{}, fmt.Errorf("no marker of %s %s declares such a webhook", r.Kind, r.Version)
	}
	return s.finish(ctx, e, force)
}

// DeleteVersion removes a version of a kind: its type's file, its webhooks and its conversion. If only one version
// remains, it is neither hub nor spoke. If other versions remain, unstored checks that no object is stored in this one;
// nil checks nothing.
func DeleteVersion(ctx context.Context, c Config, r Resource, unstored func(context.Context, Resource) error, force bool) (Result, error) {
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	own, ok := s.ownType(r)
	if !ok {
		return Result{}, fmt.Errorf("the project has no type %s of %s/%s", r.Kind, s.group(r), r.Version)
	}
	if others := otherKinds(own.File, r.Kind); len(others) > 0 {
		return Result{}, fmt.Errorf("%s declares %s, too: move the part that should stay to another file", s.rel(own.File.Path), strings.Join(others, ", "))
	}
	if user, name, ok := userOf(own.Package, own.File); ok {
		return Result{}, fmt.Errorf("%s uses %s, which %s declares: move it to a file that is to stay", s.rel(user.Path), name, s.rel(own.File.Path))
	}
	left := s.others(r)
	if unstored != nil && len(left) > 0 {
		if err := unstored(ctx, Resource{Group: own.Group, Version: r.Version, Kind: r.Kind}); err != nil {
			return Result{}, err
		}
	}
	var edited []string
	if isEdited, err := s.isEdited(own, r.Kind, left); err != nil {
		return Result{}, err
	} else if isEdited {
		edited = append(edited, own.File.Path)
	}
	var e edits
	e.Put(own.File.Path, own.File.Src, nil)
	if len(left) == 1 {
		if err := e.unconvert(left[0].APIType, r.Kind); err != nil {
			return Result{}, err
		}
	}
	if err := e.removeDeepCopies(filepath.Join(own.Dir, deepCopyFile), load.Declared(own.File.AST), own.Name); err != nil {
		return Result{}, err
	}
	rest := slices.DeleteFunc(own.FilesWith("package "), func(f *load.File) bool {
		return f.Path == own.File.Path || filepath.Base(f.Path) == deepCopyFile
	})
	if len(rest) == 1 && strings.HasPrefix(filepath.Base(rest[0].Path), "groupversion") {
		e.Put(rest[0].Path, rest[0].Src, nil)
	}
	return s.finish(ctx, e, force, edited...)
}

// removeDeepCopies removes the methods of types from controller-gen's file, and the file if it is then empty.
func (e *edits) removeDeepCopies(path string, types []string, packageName string) error {
	was := load.ReadText(path).Content
	have, err := readDeepCopies(was)
	if err != nil {
		return err
	}
	before := len(have.methods)
	maps.DeleteFunc(have.methods, func(name, _ string) bool { return slices.Contains(types, name) })
	if len(have.methods) == before {
		return nil
	}
	text, err := have.text(packageName)
	if err == nil {
		e.Put(path, was, text)
	}
	return err
}

// userOf returns another file in the package that uses a declaration of the file, and the name. It skips generated
// files, which are generated again.
func userOf(p *load.Package, declaring *load.File) (user *load.File, name string, ok bool) {
	names := load.Declared(declaring.AST)
	for _, f := range p.FilesWith("package ") {
		if f.Path == declaring.Path || ast.IsGenerated(f.AST) {
			continue
		}
		used := references(f.AST)
		for _, name := range names {
			if used[name] {
				return f, name, true
			}
		}
	}
	return nil, "", false
}

// isEdited reports whether the file of a kind differs from the text that a command writes: a kind without fields, or
// a copy of another version. Markers of webhooks do not count.
func (s site) isEdited(v ownVersion, kind string, others []ownVersion) (bool, error) {
	created, err := API{Group: v.Group, Version: v.Version, Package: v.Name, Kind: kind}.registering(v.Package).types()
	originals := [][]byte{s.initial(created)}
	for _, o := range others {
		originals = append(originals, o.File.Src)
	}
	text := unmarked(v.File.Src)
	return !slices.ContainsFunc(originals, func(o []byte) bool { return text == unmarked(o) }), err
}

// unmarked returns the text of a file without its package clause and without comment lines that commands add.
func unmarked(text []byte) string {
	lines, _ := split(text)
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "//" || line == "// "+storageVersion || strings.HasPrefix(line, "// +"+registry.Prefix) || strings.HasPrefix(line, "package ")
	}), "")
}

// finish generates the files after a deletion. Without force, it fails if it would remove a file that the user has
// edited, or if a file of the user would no longer compile. edited are the edited files that e removes.
func (s site) finish(ctx context.Context, e edits, force bool, edited ...string) (Result, error) {
	after, left, err := s.follow(ctx, &e)
	if err != nil {
		return Result{}, err
	}
	if all := slices.Concat(edited, left); len(all) > 0 && !force {
		for i, path := range all {
			all[i] = "  " + s.rel(path)
		}
		return Result{}, fmt.Errorf("you have edited these files, and the project no longer needs them:\n%s\ncopy what you need, and pass --force to remove them",
			strings.Join(all, "\n"))
	}
	for _, path := range left {
		e.Put(path, load.ReadText(path).Content, nil)
	}
	if err := s.removeDoc(&e); err != nil {
		return Result{}, err
	}
	after.Reread(ctx, e.Edits)
	result := Result{Result: s.generate(ctx, after, e)}
	for i, d := range result.Diagnostics {
		if d.Rule == output.RuleOrphan && !force {
			result.Diagnostics[i].Severity = diag.Error // the file would no longer compile
		}
	}
	if i := slices.IndexFunc(result.Diagnostics, func(d diag.Diagnostic) bool { return d.Rule == model.RuleMethod }); i >= 0 {
		result.Next = append(result.Next, "remove the methods that the warnings name from "+s.rel(result.Diagnostics[i].Pos.File)+": nothing calls them any more")
	}
	result.Next = append(result.Next, s.test())
	return result, nil
}

// selects reports whether a marker declares one of the selected webhooks.
func (w Webhooks) selects(name string) bool {
	return w.Mutating && name == "webhook:mutating" || w.Validating && name == "webhook:validating" ||
		w.Conversion && strings.HasPrefix(name, "webhook:conversion:")
}

// unmark removes markers of webhooks from a type. It keeps those of subresources and of policies. If no webhook
// remains, it also removes the markers that configure webhooks.
func (e *edits) unmark(t semantics.APIType, r Resource, gone Webhooks) error {
	isWebhook := func(m marker.Marker) bool { return m.Name == "webhook:mutating" || m.Name == "webhook:validating" }
	var meant, others []marker.Marker // markers to remove, and those with a subresource or name
	for _, name := range []string{"webhook:mutating", "webhook:validating"} {
		var own, further []marker.Marker
		for _, m := range t.Markers {
			switch {
			case m.Name != name || !gone.selects(name):
			case isFurther(m):
				further = append(further, m)
			default:
				own = append(own, m)
			}
		}
		if len(own) == 0 && len(further) == 1 && argumentOf(further[0], "subresource") == "" {
			own, further = further, nil // the only webhook has a name
		}
		meant, others = append(meant, own...), append(others, further...)
	}
	if len(meant) == 0 && len(others) > 0 && !gone.Conversion {
		var where []string
		for _, m := range others {
			where = append(where, fmt.Sprintf("  %s:%d", m.Pos.File, m.Pos.Line))
		}
		return fmt.Errorf("%s has webhooks with a name or of a subresource only: remove the marker that you mean, and run webhook-gen\n%s", r.Kind, strings.Join(where, "\n"))
	}
	isMeant := func(m marker.Marker) bool {
		return slices.ContainsFunc(meant, func(o marker.Marker) bool { return o.Range == m.Range })
	}
	stays := slices.ContainsFunc(t.Markers, func(m marker.Marker) bool { return isWebhook(m) && !isMeant(m) })
	var at []diag.Range
	for _, m := range t.Markers {
		switch {
		case isWebhook(m) && isMeant(m), strings.HasPrefix(m.Name, "webhook:conversion:") && gone.selects(m.Name):
			at = append(at, m.Range)
		case isWebhook(m), strings.HasPrefix(m.Name, "webhook:conversion:"), strings.HasPrefix(m.Name, "webhook:policy:"),
			argumentOf(m, "policy") != "", len(meant) == 0:
		case !stays, configures(m, meant, t.Markers):
			at = append(at, m.Range)
		}
	}
	return e.removeMarkers(t.File, at)
}

// configures reports whether the argument `webhook` of a marker selects only webhooks that are removed, by its kind.
func configures(m marker.Marker, gone, all []marker.Marker) bool {
	name := "webhook:" + argumentOf(m, "webhook")
	count := func(markers []marker.Marker) (n int) {
		for _, other := range markers {
			if other.Name == name {
				n++
			}
		}
		return n
	}
	return count(gone) > 0 && count(gone) == count(all)
}

// argumentOf returns the text of a marker's argument, or "".
func argumentOf(m marker.Marker, name string) string {
	for _, a := range m.Arguments {
		if a.Name == name {
			return a.Value.Text
		}
	}
	return ""
}

// removeMarkers removes the markers at the ranges from a file.
func (e *edits) removeMarkers(f *load.File, at []diag.Range) error {
	text, err := removeMarkers(f.Src, at)
	if err == nil && len(at) > 0 {
		e.Put(f.Path, f.Src, text)
	}
	return err
}

// unconvert removes the conversion markers from a type and, if its file has no other kind, from the fields in the
// file.
func (e *edits) unconvert(t semantics.APIType, kind string) error {
	if len(otherKinds(t.File, kind)) > 0 {
		return e.unmark(t, Resource{Kind: kind}, Webhooks{Conversion: true})
	}
	placed, _ := marker.InFile(t.File.AST, t.File.Position, registry.Prefix)
	var at []diag.Range
	for _, m := range placed {
		if strings.HasPrefix(m.Name, "webhook:conversion:") {
			at = append(at, m.Range)
		}
	}
	return e.removeMarkers(t.File, at)
}

// removeEmpty removes the file of a validator or defaulter if its content is the initial one.
func (s site) removeEmpty(e *edits, t foreignWebhook) error {
	empty, err := s.foreign(strings.TrimSuffix(t.name, "Webhook")).File()
	for _, c := range e.Change {
		if c.Path == t.File.Path && bytes.Equal(c.New, s.initial(empty)) {
			e.Put(c.Path, c.Old, nil)
		}
	}
	return err
}

// foreignOf returns the type with the webhooks of another project's kind. A kind without a group, or with a type of
// that name, may be in another module.
func (s site) foreignOf(ctx context.Context, r Resource) (foreignWebhook, bool) {
	all := s.foreignTypes(ctx)
	if t, ok := foreignType(all, r, r.target(Webhooks{})); ok {
		return t, true
	}
	i := slices.IndexFunc(all, func(t foreignWebhook) bool {
		return slices.ContainsFunc(t.targets, func(target string) bool {
			_, version, _ := splitTarget(target)
			return version == "" && strings.HasSuffix(target, "/"+r.Version+"."+r.Kind)
		})
	})
	if i < 0 {
		return foreignWebhook{}, false
	}
	return all[i], true
}

// removeDoc removes the package comment's file in the package external if no other file of the user remains.
func (s site) removeDoc(e *edits) error {
	external := s.foreign("")
	left := slices.DeleteFunc(load.Names(external.Dir, "*.go"), func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "zz_generated.") ||
			slices.ContainsFunc(e.Change, func(c output.Change) bool { return c.Path == path && c.New == nil })
	})
	doc, err := external.Doc()
	if text := load.ReadText(doc.Path).Content; len(left) == 1 && left[0] == doc.Path && bytes.Equal(text, s.initial(doc)) {
		e.Put(doc.Path, text, nil)
	}
	return err
}

// initial returns a file's content as created by a command.
func (s site) initial(f output.File) []byte { return s.Heading.Above([]output.File{f})[0].Content }
