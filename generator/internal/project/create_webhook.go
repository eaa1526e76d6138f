// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// foreign describes the validator or defaulter of another project's kind. name is the prefix of its type's and file's
// names.
func (s site) foreign(name string, markers ...string) foreign {
	return foreign{Dir: filepath.Join(s.Root, filepath.FromSlash(s.Handlers.Path), "external"), Kind: name, Markers: markers}
}

// target returns the argument `for` for another project's kind.
func (r Resource) target(w Webhooks) string {
	if w.Import != "" {
		return w.Import + "." + r.Kind
	}
	return path.Join(r.Group, r.Version, r.Kind)
}

// core returns the resource with the core group's name, unless the project has a group with that name.
func (s site) core(r Resource) Resource {
	if _, ok := s.ownType(r); !ok && r.Group == "core" {
		r.Group = ""
	}
	return r
}

// Webhooks selects kinds of webhooks for one resource.
type Webhooks struct {
	Mutating, Validating, Conversion bool
	// Operations are operations of admission webhooks, from model.Operations. An existing marker gets the missing
	// ones. If empty, a new marker gets create and update.
	Operations []string
	// Spokes are the versions that are converted to this resource's version. If empty, all other versions are.
	Spokes []string
	// Import is the import path of the Go type if it is in another module.
	Import string
}

// isEmpty reports whether no kind of webhook is selected.
func (w Webhooks) isEmpty() bool { return !w.Mutating && !w.Validating && !w.Conversion }

// check reports that no kind of webhook is selected, or an operation that does not exist.
func (w Webhooks) check() error {
	if w.isEmpty() {
		return errors.New("choose the kind of webhook: --mutating, --validating, --conversion, or several")
	}
	for _, o := range w.Operations {
		if slices.Contains(model.Operations(), o) {
			continue
		}
		message := fmt.Sprintf("there is no operation %q: use %s", o, strings.Join(model.Operations(), ", "))
		if meant, ok := diag.Nearest(o, model.Operations()); ok {
			message = fmt.Sprintf("there is no operation %q; did you mean %s?", o, meant)
		}
		return errors.New(message)
	}
	return nil
}

// markers returns the markers of the webhooks, in order. target is the argument `for`, or "" for markers on the
// kind's own type.
func (w Webhooks) markers(target string) []string {
	operations := w.Operations
	if len(operations) == 0 {
		operations = []string{"create", "update"}
	}
	arguments := fmt.Sprintf("operations: %q", strings.Join(operations, ";"))
	if target != "" {
		arguments = fmt.Sprintf("for: %q, ", target) + arguments
	}
	var markers []string
	if w.Mutating {
		markers = append(markers, "webhook:mutating("+arguments+")")
	}
	if w.Validating {
		markers = append(markers, "webhook:validating("+arguments+")")
	}
	return markers
}

// CreateWebhook adds markers to the type of a kind, and writes the validator or defaulter for the user to complete.
// For another project's kind, the type is in package external in the folder of handlers.
func CreateWebhook(ctx context.Context, c Config, r Resource, w Webhooks) (Result, error) {
	if err := cmp.Or(r.check(), w.check()); err != nil {
		return Result{}, err
	}
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	var e edits
	var also []string
	r = s.core(r)
	if own, ok := s.ownType(r); ok && w.Import == "" {
		err = s.markOwn(&e, own.APIType, r, w)
		for _, o := range s.others(r) {
			if w.Mutating && o.has("webhook:mutating") || w.Validating && o.has("webhook:validating") {
				also = append(also, o.Version)
			}
		}
	} else {
		also, err = s.markForeign(ctx, &e, r, w)
	}
	if err != nil {
		return Result{}, err
	}
	types := e.Overlay()
	after, _, err := s.follow(ctx, &e)
	if err != nil {
		return Result{}, err
	}
	after.Reread(ctx, e.Edits)
	result := Result{Result: s.generate(ctx, after, e)}
	for _, change := range result.Changes {
		if _, isType := types[change.Path]; !isType && change.Action != output.Remove && isWritten(change.Path) {
			result.Next = append(result.Next, "write the code of the webhook in "+s.rel(change.Path))
		}
	}
	if len(also) > 0 && len(e.Change)+len(e.Create) > 0 {
		result.Next = append(result.Next, fmt.Sprintf("decide whether one webhook is enough: %s of %s has one, too, and API servers call both for each request, with the object converted (matchPolicy Equivalent)",
			r.Kind, strings.Join(also, " and ")))
	}
	if s.Program == "" && (w.Mutating || w.Validating) {
		result.Next = append(result.Next, "name the folder of your program in webhook-gen.yaml, as program: cmd, and have it call newWebhooks().Register(...)")
	}
	result.Next = append(result.Next, s.test())
	return result, nil
}

// isWritten reports whether a file with a validator or defaulter belongs to the user. It is false for generated
// files.
func isWritten(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "zz_generated.") && !strings.HasSuffix(name, "_test.go")
}

// markOwn adds the markers to one of the project's own types.
func (s site) markOwn(e *edits, t semantics.APIType, r Resource, w Webhooks) error {
	markers := w.markers("")
	if !w.Conversion {
		return e.mark(t, w.Operations, markers...)
	}
	if err := e.mark(t, w.Operations, append(markers, "webhook:conversion:hub")...); err != nil {
		return err
	}
	versions := s.versions(r)
	spoke, spokes := furtherSpoke(versions), 0
	for _, other := range versions {
		if other.Version == r.Version || len(w.Spokes) > 0 && !slices.Contains(w.Spokes, other.Version) {
			continue
		}
		spokes++
		if err := e.mark(other.APIType, nil, spoke); err != nil {
			return err
		}
	}
	switch {
	case spokes == 0:
		return fmt.Errorf("%s has no other version to convert: webhook-gen create version writes one", r.Kind)
	case spokes < len(w.Spokes):
		return fmt.Errorf("%s does not have all of the versions %s", r.Kind, strings.Join(w.Spokes, ", "))
	}
	return nil
}

// mark adds missing markers to a type, and missing operations to existing markers.
func (e *edits) mark(t semantics.APIType, operations []string, markers ...string) error {
	text := t.File.Src
	var missing []string
	for _, wanted := range markers {
		name, _, _ := strings.Cut(wanted, "(")
		i := slices.IndexFunc(t.Markers, func(m marker.Marker) bool { return m.Name == name && !isFurther(m) })
		if i < 0 {
			missing = append(missing, wanted)
			continue
		}
		var err error
		if text, err = addOperations(text, t.Markers[i], operations); err != nil {
			return err
		}
	}
	if text = addMarkers(text, t, missing...); !bytes.Equal(text, t.File.Src) {
		e.Put(t.File.Path, t.File.Src, text)
	}
	return nil
}

// isFurther reports whether a webhook has a subresource or a name, so that it is not its type's first webhook.
func isFurther(m marker.Marker) bool {
	return slices.ContainsFunc(m.Arguments, func(a marker.Argument) bool { return a.Name == "subresource" || a.Name == "name" })
}

// markForeign writes a validator or defaulter for another project's kind, or adds markers to an existing one. It
// returns the kind's other versions that have one.
func (s site) markForeign(ctx context.Context, e *edits, r Resource, w Webhooks) (also []string, err error) {
	target := r.target(w)
	switch {
	case w.Conversion:
		return nil, fmt.Errorf("%s is not a kind of this project, so it cannot be converted here", r.Kind)
	case w.Import != "":
	case model.IsBuiltinGroup(r.Group):
		if err := s.checkServed(r); err != nil {
			return nil, err
		}
	case s.isOwnGroup(s.group(r)):
		var names []string
		for _, k := range s.kinds() {
			if k.Group == s.group(r) && k.Version == r.Version {
				names = append(names, k.Kind)
			}
		}
		if near, ok := diag.Nearest(r.Kind, names); ok {
			return nil, fmt.Errorf("the project has no type %s of %s: did you mean %s?", r.Kind, strconv.Quote(s.group(r)+"/"+r.Version), near)
		}
		return nil, fmt.Errorf("the project has no type %s of %s: webhook-gen create api %s writes one; for a type of another module, name its package with --external-api-path",
			r.Kind, strconv.Quote(s.group(r)+"/"+r.Version), r.flags())
	}
	all := s.foreignTypes(ctx)
	for _, t := range all {
		if version, ok := t.otherVersion(target); ok && slices.ContainsFunc(t.Markers, func(m marker.Marker) bool { return w.selects(m.Name) }) {
			also = append(also, version)
		}
	}
	markers := w.markers(target)
	if t, ok := foreignType(all, r, target); ok {
		return also, e.mark(t.APIType, w.Operations, markers...)
	}
	// Try the kind's name, then that with the group or, if the group has the kind, with the version.
	inGroup, inVersion := strings.Join(titles(cmp.Or(r.Group, "core")), "")+r.Kind, r.Kind+model.Upper(r.Version)
	names := []string{r.Kind, inGroup, inGroup + model.Upper(r.Version)}
	if slices.ContainsFunc(all, func(t foreignWebhook) bool { _, ok := t.otherVersion(target); return ok }) {
		names[1] = inVersion
	}
	for _, name := range names {
		typ := s.foreign(name, markers...)
		f, err := typ.File()
		if err != nil {
			return nil, err
		}
		named := slices.ContainsFunc(all, func(t foreignWebhook) bool { return t.name == typ.Type() })
		if exists := regular.Exists(f.Path); exists && !named {
			return nil, fmt.Errorf("%s exists and has no type %s", s.rel(f.Path), typ.Type())
		} else if exists || named {
			continue
		}
		if err := e.create(f, nil); err != nil || regular.Exists(typ.Dir) {
			return also, err
		}
		return also, e.create(typ.Doc())
	}
	return nil, fmt.Errorf("the names of types for %s are taken in %s: put the marker on a type of yours", target, s.rel(s.foreign("").Dir))
}

// titles returns the words of a group's name with upper-case first letters.
func titles(group string) (words []string) {
	for _, word := range strings.FieldsFunc(group, func(r rune) bool { return r == '.' || r == '-' }) {
		words = append(words, model.Upper(word))
	}
	return words
}

// checkServed reports a version of a kind that Kubernetes does not serve, if it serves another one.
func (s site) checkServed(r Resource) error {
	versions, ok := lint.Serves(r.Group, r.Version, r.Kind)
	if ok || len(versions) == 0 {
		return nil // a newer kind than the table's, or a wrong one, which generate reports
	}
	return fmt.Errorf("%s of %s is not a kind that Kubernetes serves: use --version %s", r.Kind, path.Join(r.Group, r.Version), strings.Join(versions, " or "))
}

// isOwnGroup reports whether the project owns an API group.
func (s site) isOwnGroup(group string) bool {
	return !strings.Contains(group, ".") || s.Domain != "" && strings.HasSuffix("."+group, "."+s.Domain) ||
		slices.ContainsFunc(s.apis, func(a semantics.API) bool { return a.Group == group })
}

// foreignWebhook is a type with markers for other projects' kinds.
type foreignWebhook struct {
	semantics.APIType
	name string
	// targets are the values of the argument `for`.
	targets []string
}

// otherVersion returns the version of the kind in the type's markers if it differs from target's.
func (f foreignWebhook) otherVersion(target string) (string, bool) {
	for _, t := range f.targets {
		group, version, kind := splitTarget(t)
		wanted, wantedVersion, wantedKind := splitTarget(target)
		if version != "" && group == wanted && kind == wantedKind && version != wantedVersion {
			return version, true
		}
	}
	return "", false
}

// splitTarget splits a value of `for` into its parts. version is empty for a Go type.
func splitTarget(target string) (group, version, kind string) {
	parts := strings.Split(target, "/")
	if len(parts) == 3 && parts[0] == "core" {
		parts = parts[1:]
	}
	switch {
	case len(parts) == 2 && model.IsVersion(parts[0]):
		return "", parts[0], parts[1]
	case len(parts) == 3 && model.IsVersion(parts[1]):
		return parts[0], parts[1], parts[2]
	}
	return target, "", ""
}

// foreignTypes returns the types in the package for other projects' kinds. A missing folder has none.
func (s site) foreignTypes(ctx context.Context) (all []foreignWebhook) {
	dir := s.foreign("").Dir
	if !regular.Exists(dir) {
		return nil
	}
	found, _ := load.Load(ctx, load.Config{Dir: s.Root, Patterns: []string{dir}, Tags: s.Tags, Markers: []string{"Webhook"}})
	for _, pkg := range found.Packages {
		for _, f := range pkg.FilesWith("type ") {
			for spec := range load.Types(f.AST) {
				t, ok, _ := semantics.FindType(pkg, spec.Name.Name)
				if !ok {
					continue
				}
				one := foreignWebhook{APIType: t, name: spec.Name.Name}
				for _, m := range t.Markers {
					for _, a := range m.Arguments {
						if a.Name == "for" {
							one.targets = append(one.targets, a.Value.Text)
						}
					}
				}
				all = append(all, one)
			}
		}
	}
	return all
}

// foreignType returns the type with markers for a target. A type with the kind's name and no marker also counts,
// because its marker may have been removed.
func foreignType(all []foreignWebhook, r Resource, target string) (foreignWebhook, bool) {
	i := slices.IndexFunc(all, func(t foreignWebhook) bool {
		return slices.ContainsFunc(t.targets, func(have string) bool { return have == target || sameTarget(have, target) })
	})
	if i < 0 {
		i = slices.IndexFunc(all, func(t foreignWebhook) bool { return len(t.targets) == 0 && t.name == foreign{Kind: r.Kind}.Type() })
	}
	if i < 0 {
		return foreignWebhook{}, false
	}
	return all[i], true
}

// sameTarget reports whether two values of `for` are the same kind.
func sameTarget(a, b string) bool {
	group, version, kind := splitTarget(a)
	otherGroup, otherVersion, otherKind := splitTarget(b)
	return version != "" && group == otherGroup && version == otherVersion && kind == otherKind
}
