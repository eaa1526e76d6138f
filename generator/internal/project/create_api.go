// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/gobuffalo/flect"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// CreateAPI writes the Go type of a new kind and, if missing, the package of its group and version. plural is the
// name of the resource, or "" for controller-gen's. A kind that looks like a plural needs it.
func CreateAPI(ctx context.Context, c Config, r Resource, plural string) (Result, error) {
	if err := cmp.Or(r.check(), checkPlural(r, plural)); err != nil {
		return Result{}, err
	}
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	group := s.group(r)
	switch {
	case r.Group == "":
		return Result{}, errors.New("an API needs a group: pass one, such as --group shop")
	case model.IsBuiltinGroup(r.Group):
		return Result{}, errors.New(r.Group + " is a group of Kubernetes itself: webhook-gen create webhook needs no type of yours for its kinds")
	case group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") || group == "kubernetes.io" || strings.HasSuffix(group, ".kubernetes.io"):
		return Result{}, fmt.Errorf("%s is a protected group: API servers refuse its definitions without the annotation api-approved.kubernetes.io; use a domain of yours, such as shop.example.com", group)
	}
	var e edits
	switch own, ok := s.ownType(r); {
	case !ok:
		if err := s.newAPI(&e, group, r, plural); err != nil {
			return Result{}, err
		}
	case own.notKind() != "":
		return Result{}, errors.New(own.notKind())
	}
	result := Result{Result: s.generate(ctx, s.Read(ctx, e.Edits), e)}
	for _, f := range e.Create {
		if strings.HasSuffix(f.Path, "_types.go") {
			result.Next = append(result.Next, "add fields to "+r.Kind+" in "+s.rel(f.Path))
		}
	}
	if moves := s.firstGroup(group, r.Version); len(e.Create) > 0 && moves != "" {
		result.Next = append(result.Next, moves)
	}
	result.Next = append(result.Next, "webhook-gen create webhook "+r.flags()+" --mutating --validating", s.test())
	return result, nil
}

// checkPlural reports a kind that looks like a plural without plural, and a plural that is not a valid resource name.
func checkPlural(r Resource, plural string) error {
	word := strings.ToLower(r.Kind)
	single := flect.Singularize(word)
	switch {
	case plural != "" && len(validation.IsDNS1035Label(plural)) > 0:
		return fmt.Errorf("--plural is %q: those have lower-case letters, digits and -, as orders", plural)
	case plural == "" && single != word && flect.Pluralize(single) == word:
		return fmt.Errorf("%s is a plural, and kinds are singular: --kind %s; for a kind of that name, add --plural %s", r.Kind, r.Kind[:1]+single[1:], word)
	}
	return nil
}

// checkNames reports a new kind whose type exists in the package, or whose name is that of another kind's part.
func checkNames(p *load.Package, kind string) error {
	for _, part := range []string{"Spec", "Status", "List"} {
		if _, ok := p.Type(kind + part); ok {
			return fmt.Errorf("the kind %s has a type %s%s, and the package has one already: rename it, or choose another kind", kind, kind, part)
		}
		whole, ok := strings.CutSuffix(kind, part)
		if _, declared := p.Type(whole); ok && declared {
			return fmt.Errorf("%s is the name of a part of %s: choose another kind", kind, whole)
		}
	}
	return nil
}

// firstGroup returns a note about the folder of the project's first group, which does not contain the group's name.
// It returns "" unless the new group gets its own folder.
func (s site) firstGroup(group, version string) string {
	base := filepath.Join(s.Root, "api")
	if filepath.Dir(s.apiDir(group, version)) == base {
		return ""
	}
	for _, a := range s.apis {
		if filepath.Dir(a.Dir) == base && a.Group != group {
			word, _, _ := strings.Cut(a.Group, ".")
			to := path.Join("api", word)
			return fmt.Sprintf("the group %s stays in %s; for a folder of its own: mkdir -p %s && git mv %s %s, and change its import path", a.Group, s.rel(a.Dir), to, s.rel(a.Dir), to)
		}
	}
	return ""
}

// newAPI writes the files of a new kind.
func (s site) newAPI(e *edits, group string, r Resource, plural string) error {
	api := API{Dir: s.apiDir(group, r.Version), Package: r.Version, Group: group, Version: r.Version, Kind: r.Kind, Plural: plural}
	if have, ok := s.api(group, r.Version); ok {
		if err := checkNames(have.Package, r.Kind); err != nil {
			return err
		}
		api.Dir, api.Package = have.Dir, have.Name
		api = api.registering(have.Package)
	} else {
		api.Registration, api.GroupVersion = "functions", "GroupVersion" // as in the file of the new package
		if err := e.create(api.file("groupversion_info.go")); err != nil {
			return err
		}
	}
	if err := e.create(api.types()); err != nil || api.Registration == "" {
		return err
	}
	f, err := api.file("deepcopy.go")
	if err != nil {
		return err
	}
	copies, err := readDeepCopies(f.Content)
	if err != nil {
		return err
	}
	return s.addDeepCopies(e, api, copies, false)
}

// addDeepCopies adds methods to controller-gen's file in the package. bare omits the text of headerFile from a new
// file, because the methods' source file has it.
func (s site) addDeepCopies(e *edits, api API, added deepCopies, bare bool) error {
	path := filepath.Join(api.Dir, deepCopyFile)
	was := load.ReadText(path).Content
	have, err := readDeepCopies(was)
	if err != nil {
		return fmt.Errorf("%s: %w", s.rel(path), err)
	}
	text, err := have.merge(added).text(api.Package)
	switch {
	case err != nil || text == nil:
		return err
	case was != nil:
		e.Put(path, was, text)
	default:
		e.Create = append(e.Create, output.File{Path: path, Content: text, Owner: output.Once, Bare: bare})
	}
	return nil
}
