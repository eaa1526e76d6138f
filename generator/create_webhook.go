// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/scaffold"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// policies is the folder of policies on kinds that are not the project's own.
const policies = "internal/policy"

// Webhooks are kinds of webhooks for one resource.
type Webhooks struct {
	Mutating, Validating, Conversion bool
	// Operations are what the first two are called for: "create", "update", "delete", "connect", "*".
	Operations []string
	// Spokes are the versions that are converted to the resource's and back; none means all others there are.
	Spokes []string
	// Import is the package of the Go type where that is another module's.
	Import string
}

// none reports whether no kind of webhook is named.
func (w Webhooks) none() bool { return !w.Mutating && !w.Validating && !w.Conversion }

// markers are the markers that say the webhooks, in order. target is what "for" names; empty where the
// markers stand on the type itself.
func (w Webhooks) markers(target string) []string {
	arguments := fmt.Sprintf("operations: %q", strings.Join(w.Operations, ";"))
	if target != "" {
		arguments = fmt.Sprintf("for: %q, ", target) + arguments
	}
	var markers []string
	for _, m := range []struct {
		name  string
		asked bool
	}{{"webhook:mutating", w.Mutating}, {"webhook:validating", w.Validating}} {
		if m.asked {
			markers = append(markers, m.name+"("+arguments+")")
		}
	}
	return markers
}

// CreateWebhook puts markers on the type of a kind and writes the policy to fill in. For a kind that is not
// the project's own, the type is one of package internal/policy.
func CreateWebhook(ctx context.Context, c Config, r Resource, w Webhooks) (Scaffold, error) {
	if err := r.check(); err != nil {
		return Scaffold{}, err
	}
	if w.none() {
		return Scaffold{}, errors.New("choose the kind of webhook: --mutating, --validating, --conversion, or several")
	}
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	var e edits
	if _, _, own := s.ownType(r); own && w.Import == "" {
		err = s.markOwn(ctx, &e, r, w)
	} else {
		err = s.markForeign(ctx, &e, r, w)
	}
	if err != nil {
		return Scaffold{}, err
	}
	types := e.overlay()
	if _, err := s.follow(ctx, &e); err != nil {
		return Scaffold{}, err
	}
	result := Scaffold{Result: s.scaffold(ctx, s.diags, e)}
	for _, change := range result.Changes {
		if _, isType := types[change.Path]; !isType && change.Action != output.Remove && isPolicy(change.Path) {
			result.Next = append(result.Next, "write the policy in "+s.rel(change.Path))
		}
	}
	if s.Program == "" && (w.Mutating || w.Validating) {
		result.Next = append(result.Next, "name the folder of your program in webhook-gen.yaml, as program: cmd, and have it call newWebhooks().Register(...)")
	}
	result.Next = append(result.Next, s.test())
	return result, nil
}

// isPolicy tells the files that users write policies in from what is generated around them.
func isPolicy(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "zz_generated.") && !strings.HasSuffix(name, "_test.go")
}

// markOwn marks a type of the project's own.
func (s *site) markOwn(ctx context.Context, e *edits, r Resource, w Webhooks) error {
	s.mark(ctx, e, r, w.markers("")...)
	if !w.Conversion {
		return nil
	}
	s.mark(ctx, e, r, "webhook:conversion:hub")
	versions := s.versions(r)
	spoke, spokes := s.furtherSpoke(versions), 0
	for _, other := range versions {
		if other.Version == r.Version || len(w.Spokes) > 0 && !slices.Contains(w.Spokes, other.Version) {
			continue
		}
		spokes++
		s.mark(ctx, e, other, spoke)
	}
	switch {
	case spokes == 0:
		return fmt.Errorf("%s has no other version to convert: webhook-gen create version writes one", r.Kind)
	case spokes < len(w.Spokes):
		return fmt.Errorf("%s does not have all of the versions %s", r.Kind, strings.Join(w.Spokes, ", "))
	}
	return nil
}

// mark puts those of the markers on a type of the project's own that it does not have.
func (s *site) mark(ctx context.Context, e *edits, r Resource, markers ...string) {
	if _, t, ok := s.ownType(r); ok && e.mark(t, markers...) {
		s.read(ctx, *e)
	}
}

// mark puts those of the markers on a type that it does not have, and reports whether there are any.
func (e *edits) mark(t build.APIType, markers ...string) bool {
	missing := slices.DeleteFunc(slices.Clone(markers), func(text string) bool {
		name, _, _ := strings.Cut(text, "(")
		return slices.ContainsFunc(t.Markers, func(m marker.Marker) bool { return m.Name == name && !isFurther(m) })
	})
	if len(missing) > 0 {
		e.put(t.File.Path, readFile(t.File.Path), scaffold.AddMarkers(t, missing...))
	}
	return len(missing) > 0
}

// isFurther tells a webhook on a subresource, or one with a name of its own, from a type's first one.
func isFurther(m marker.Marker) bool {
	return slices.ContainsFunc(m.Arguments, func(a marker.Argument) bool { return a.Name == "subresource" || a.Name == "name" })
}

// versions are the versions in which the project has a kind.
func (s site) versions(r Resource) []Resource {
	var all []Resource
	for _, a := range s.apis {
		version := Resource{Group: a.Group, Version: a.Version, Kind: r.Kind}
		if _, _, ok := s.ownType(version); ok && (a.Group == s.group(r) || a.Group == r.Group) {
			all = append(all, version)
		}
	}
	return all
}

// markForeign writes a policy on a kind that is not the project's own, or marks the one there is.
func (s site) markForeign(ctx context.Context, e *edits, r Resource, w Webhooks) error {
	target := path.Join(r.Group, r.Version, r.Kind)
	switch {
	case w.Conversion:
		return fmt.Errorf("%s is not a kind of this project, so it cannot be converted here", r.Kind)
	case w.Import != "":
		target = w.Import + "." + r.Kind
	case !model.IsBuiltinGroup(r.Group) && s.isOwnGroup(s.group(r)):
		return fmt.Errorf("the project has no type %s of %s: webhook-gen create api %s writes one; for a type of another module, name its package with --external-api-path",
			r.Kind, strconv.Quote(s.group(r)+"/"+r.Version), r.flags())
	}
	policy := scaffold.Policy{Dir: filepath.Join(s.root, filepath.FromSlash(policies)), Kind: r.Kind, Markers: w.markers(target)}
	if t, ok := s.policyType(ctx, policy); ok {
		e.mark(t, policy.Markers...)
		return nil
	}
	f, err := policy.File()
	if exists(f.Path) {
		return fmt.Errorf("%s exists and has no type %s", s.rel(f.Path), policy.Type())
	}
	e.create = append(e.create, f)
	return err
}

// isOwnGroup tells groups of the project from those of other people's kinds.
func (s site) isOwnGroup(group string) bool {
	return !strings.Contains(group, ".") || s.Domain != "" && strings.HasSuffix("."+group, "."+s.Domain) ||
		slices.ContainsFunc(s.apis, func(a build.API) bool { return a.Group == group })
}

// policyType finds the type of a policy that is there already.
func (s site) policyType(ctx context.Context, p scaffold.Policy) (build.APIType, bool) {
	if !exists(p.Dir) {
		return build.APIType{}, false
	}
	found, _ := load.Load(ctx, load.Config{Dir: s.root, Patterns: []string{"./" + policies}, Tags: s.Tags, Markers: []string{p.Type()}})
	for _, pkg := range found.Packages {
		if t, ok, _ := build.FindType(pkg, p.Type()); ok {
			return t, true
		}
	}
	return build.APIType{}, false
}

// readFile reads a file of which it is known that it is there.
func readFile(path string) []byte {
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil
	}
	return text
}
