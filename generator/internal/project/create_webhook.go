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

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// foreign describes the validator or defaulter of a kind that the project does not own.
func (s site) foreign(kind string, markers ...string) foreign {
	return foreign{Dir: filepath.Join(s.Root, filepath.FromSlash(s.Handlers.Path), "external"), Kind: kind, Markers: markers}
}

// Webhooks selects kinds of webhooks for one resource.
type Webhooks struct {
	Mutating, Validating, Conversion bool
	// Operations are the operations of admission webhooks, of model.Operations. An existing marker gets the operations
	// that it lacks. Empty means create and update for a new marker.
	Operations []string
	// Spokes are the versions that are converted to this resource's version and back. Empty means all other versions.
	Spokes []string
	// Import is the package of the Go type if another module declares it.
	Import string
}

// none reports whether no kind of webhook is selected.
func (w Webhooks) none() bool { return !w.Mutating && !w.Validating && !w.Conversion }

// check reports that no kind of webhook is selected, or an operation that does not exist.
func (w Webhooks) check() error {
	if w.none() {
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

// markers returns the markers of the webhooks, in order. target is the value of "for"; it is empty if the markers are
// written on the type itself.
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

// CreateWebhook adds markers to the type of a kind and writes the validator or defaulter to fill in. For a kind that
// the project does not own, the type is in package external, in the folder of handlers.
func CreateWebhook(ctx context.Context, c Config, r Resource, w Webhooks) (Result, error) {
	if err := cmp.Or(r.check(), w.check()); err != nil {
		return Result{}, err
	}
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	var e edits
	if own, ok := s.ownType(r); ok && w.Import == "" {
		err = s.markOwn(&e, own.APIType, r, w)
	} else {
		err = s.markForeign(ctx, &e, r, w)
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
	if s.Program == "" && (w.Mutating || w.Validating) {
		result.Next = append(result.Next, "name the folder of your program in webhook-gen.yaml, as program: cmd, and have it call newWebhooks().Register(...)")
	}
	result.Next = append(result.Next, s.test())
	return result, nil
}

// isWritten reports whether the user writes a validator or defaulter in the file. It is false for generated files.
func isWritten(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "zz_generated.") && !strings.HasSuffix(name, "_test.go")
}

// markOwn adds the markers to one of the project's own types.
func (s site) markOwn(e *edits, t build.APIType, r Resource, w Webhooks) error {
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

// mark adds the missing markers to a type, and operations to the existing ones.
func (e *edits) mark(t build.APIType, operations []string, markers ...string) error {
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

// isFurther reports whether a webhook is on a subresource or has a name of its own, so it is not a type's first
// webhook.
func isFurther(m marker.Marker) bool {
	return slices.ContainsFunc(m.Arguments, func(a marker.Argument) bool { return a.Name == "subresource" || a.Name == "name" })
}

// markForeign writes a validator or defaulter for a kind that the project does not own, or adds markers to an existing
// one.
func (s site) markForeign(ctx context.Context, e *edits, r Resource, w Webhooks) error {
	target := path.Join(r.Group, r.Version, r.Kind)
	switch {
	case w.Conversion:
		return fmt.Errorf("%s is not a kind of this project, so it cannot be converted here", r.Kind)
	case w.Import != "":
		target = w.Import + "." + r.Kind
	case !model.IsBuiltinGroup(r.Group) && s.isOwnGroup(s.group(r)):
		var names []string
		for _, k := range s.kinds() {
			if k.Group == s.group(r) && k.Version == r.Version {
				names = append(names, k.Kind)
			}
		}
		if near, ok := diag.Nearest(r.Kind, names); ok {
			return fmt.Errorf("the project has no type %s of %s: did you mean %s?", r.Kind, strconv.Quote(s.group(r)+"/"+r.Version), near)
		}
		return fmt.Errorf("the project has no type %s of %s: webhook-gen create api %s writes one; for a type of another module, name its package with --external-api-path",
			r.Kind, strconv.Quote(s.group(r)+"/"+r.Version), r.flags())
	}
	typ := s.foreign(r.Kind, w.markers(target)...)
	if t, ok := s.foreignType(ctx, typ); ok {
		return e.mark(t, w.Operations, typ.Markers...)
	}
	f, err := typ.File()
	if regular.Exists(f.Path) {
		return fmt.Errorf("%s exists and has no type %s", s.rel(f.Path), typ.Type())
	}
	if err = e.create(f, err); err != nil || regular.Exists(typ.Dir) {
		return err
	}
	return e.create(typ.Doc())
}

// isOwnGroup reports whether the project owns an API group.
func (s site) isOwnGroup(group string) bool {
	return !strings.Contains(group, ".") || s.Domain != "" && strings.HasSuffix("."+group, "."+s.Domain) ||
		slices.ContainsFunc(s.apis, func(a build.API) bool { return a.Group == group })
}

// foreignType finds the existing type of a validator or defaulter. A folder that does not exist has none.
func (s site) foreignType(ctx context.Context, f foreign) (build.APIType, bool) {
	found, _ := load.Load(ctx, load.Config{Dir: s.Root, Patterns: []string{f.Dir}, Tags: s.Tags, Markers: []string{f.Type()}})
	for _, pkg := range found.Packages {
		if t, ok, _ := build.FindType(pkg, f.Type()); ok {
			return t, true
		}
	}
	return build.APIType{}, false
}
