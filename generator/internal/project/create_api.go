// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// CreateAPI writes the Go type of a new kind. It also writes the package of the group and version if it is missing.
func CreateAPI(ctx context.Context, c Config, r Resource) (Result, error) {
	if err := r.check(); err != nil {
		return Result{}, err
	}
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	group := s.group(r)
	switch {
	case r.Group == "":
		return Result{}, errors.New("an API has a group: say --group")
	case model.IsBuiltinGroup(r.Group):
		return Result{}, errors.New(r.Group + " is a group of Kubernetes itself: webhook-gen create webhook needs no type of yours for its kinds")
	}
	var e edits
	if _, _, ok := s.ownType(r); !ok {
		e.Create, err = s.newAPI(group, r)
		if err != nil {
			return Result{}, err
		}
	}
	result := Result{Result: s.generate(ctx, s.Read(ctx, e.Edits), e)}
	for _, f := range e.Create {
		if filepath.Base(f.Path) != "groupversion.go" {
			result.Next = append(result.Next, "say in "+s.rel(f.Path)+" what the kind is")
		}
	}
	result.Next = append(result.Next, "webhook-gen create webhook "+r.flags()+" --mutating --validating", s.test())
	return result, nil
}

// newAPI returns the files of a new kind.
func (s site) newAPI(group string, r Resource) ([]output.File, error) {
	api := API{Dir: s.apiDir(group, r.Version), Package: r.Version, Group: group, Version: r.Version, Kind: r.Kind}
	var files []output.File
	if have, ok := s.api(group, r.Version); ok {
		api.Dir, api.Package = have.Dir, have.Name
	} else {
		f, err := api.GroupVersion()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	f, err := api.Types()
	return append(files, f), err
}
