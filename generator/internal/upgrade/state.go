// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	goschema "github.com/webhook-gen/webhook-gen/generator/internal/schema"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// State is what a cluster is told of a project.
type State struct {
	Configurations []*model.Configuration
	// Webhooks are the webhooks of all configurations.
	Webhooks []*Webhook
	// Definitions are the kinds, from their CustomResourceDefinitions or, without one, from the markers of their
	// conversions.
	Definitions []*Definition
	// declared are the kinds as controller-gen defines them, from markers on their Go types. Files may be older.
	declared []*Definition
	// Policies have their bindings.
	Policies []*model.Policy
	// Accepted are findings of the step to this state that are meant, each with its reason: "MESSAGE [G17]: REASON".
	Accepted []string
	// Registers reports whether the user's own code registers a handler at a path. It is nil for manifests.
	Registers func(path string) bool
	sides     []*side
	versions  []*version
}

// version finds a version of a kind whose Go type is known; nil if missing.
func (s *State) version(kind, name string) *version {
	found, _ := find(s.versions, func(v *version) bool { return v.kind == kind && v.name == name })
	return found
}

// Webhook is one entry of a configuration with the defaults of its API version in place.
type Webhook struct {
	*model.Webhook
	In   *model.Configuration
	Spec admissionregistrationv1.MutatingWebhook
}

// Definition is a kind whose objects are the project's own.
type Definition struct {
	*manifest.Definition
	// derived is true if the kind comes from markers alone. The markers of conversions tell only the converted versions.
	derived bool
}

// version finds a version by its name.
func (d *Definition) version(name string) (manifest.Version, bool) {
	return find(d.Versions, func(v manifest.Version) bool { return v.Name == name })
}

// storage is the name of the version in which objects are stored; empty where it is not known.
func (d *Definition) storage() string {
	stored, _ := find(d.Versions, func(v manifest.Version) bool { return v.Storage })
	return stored.Name
}

// Of is the state that markers describe, and files that define the project's kinds.
func Of(p *model.Project, conversions []*convert.Package, definitions []*manifest.Definition) *State {
	s := OfManifests(manifest.Contents{Projects: []*model.Project{p}, Definitions: definitions})
	for _, c := range p.Conversions {
		if c.CRD != nil {
			s.derive(c)
		}
	}
	for _, pkg := range conversions {
		for _, plan := range pkg.Plans {
			s.sides = append(s.sides, newSides(plan)...)
			s.addVersion(plan.Spoke, plan.Root.Spoke, p.Module.Path)
			s.addVersion(plan.Hub, plan.Root.Hub, p.Module.Path)
		}
	}
	return s
}

// OfManifests is the state that manifests describe.
func OfManifests(c manifest.Contents) *State {
	s := &State{Policies: c.Policies}
	for _, p := range c.Projects {
		s.Policies = append(s.Policies, p.Policies...)
		s.Configurations = append(s.Configurations, p.Configurations...)
		for _, c := range p.Configurations {
			for _, w := range c.Webhooks {
				s.Webhooks = append(s.Webhooks, &Webhook{Webhook: w, In: c, Spec: defaulted(w.Spec, p.API)})
			}
		}
	}
	for _, d := range c.Definitions {
		s.Definitions = append(s.Definitions, &Definition{Definition: d})
	}
	return s
}

// Declare adds a kind as markers on its types declare it. Schemas of types of other modules are left out.
func (s *State) Declare(d *manifest.Definition, module string, types map[string]*resolve.Type) error {
	for i, v := range d.Versions {
		t := types[v.Name]
		if t == nil {
			continue
		}
		text, err := json.Marshal(goschema.Of(t))
		if err != nil {
			return err
		}
		known := newVersion(model.VersionedType{Group: d.Group, Version: v.Name, GoType: model.GoType{Name: d.Kind}}, t, module)
		d.Versions[i].Schema, err = manifest.Declared(text, func(path string) diag.Range {
			if path == "" {
				return v.Range
			}
			f, _ := known.field(strings.TrimRight(path, "[]"))
			return f.Range
		})
		if err != nil {
			return err
		}
	}
	s.declared = append(s.declared, &Definition{Definition: d, derived: true})
	return nil
}

// HasDeclared reports whether types declare kinds.
func (s *State) HasDeclared() bool { return len(s.declared) > 0 }

// addVersion adds the Go type of a version, once.
func (s *State) addVersion(v model.VersionedType, t *resolve.Type, module string) {
	if n := newVersion(v, t, module); s.version(n.kind, n.name) == nil {
		s.versions = append(s.versions, n)
	}
}

// derive adds a kind from its markers.
func (s *State) derive(c *model.Conversion) {
	name := c.CRD.Plural + "." + c.Spoke.Group
	d := s.definition(name)
	if d == nil {
		d = &Definition{derived: true, Definition: &manifest.Definition{Range: c.Range, Name: name, Group: c.Spoke.Group, Plural: c.CRD.Plural,
			Versions: []manifest.Version{{Range: c.Range, Name: c.Hub.Version, Served: true}}}}
		s.Definitions = append(s.Definitions, d)
	}
	if d.derived {
		d.Versions = append(d.Versions, manifest.Version{Range: c.Range, Name: c.Spoke.Version, Served: true})
	}
	if d.Conversion == nil { // a patch adds it to the file's definition
		service := c.CRD.Service
		d.Conversion = &manifest.Conversion{Range: c.Range, ReviewVersions: []string{"v1", "v1beta1"},
			Client: admissionregistrationv1.WebhookClientConfig{Service: &service, CABundle: c.CRD.CABundle}}
	}
}

// defaulted returns a webhook as an API server completes it. A missing value of sideEffects, which an API server refuses,
// is None.
func defaulted(w admissionregistrationv1.MutatingWebhook, api string) admissionregistrationv1.MutatingWebhook {
	w = spec.Defaulted(w, api)
	w.SideEffects = cmp.Or(w.SideEffects, new(admissionregistrationv1.SideEffectClassNone))
	return w
}

// failsClosed reports whether requests are refused while the webhook cannot be called.
func (w *Webhook) failsClosed() bool { return *w.Spec.FailurePolicy == admissionregistrationv1.Fail }

// severity is the severity of calls that fail.
func (w *Webhook) severity() Severity {
	if w.failsClosed() {
		return Breaking
	}
	return Careful
}

// outcome says what becomes of a request whose call fails.
func (w *Webhook) outcome() string {
	if w.failsClosed() {
		return "the API server refuses the request (500, failed calling webhook), as failurePolicy Fail says"
	}
	return "the request passes the webhook by, as failurePolicy Ignore says"
}

// path is where a server serves the webhook.
func (w *Webhook) path() string { return servedAt(w.Spec.ClientConfig) }

func servedAt(c admissionregistrationv1.WebhookClientConfig) string {
	switch {
	case c.Service != nil && c.Service.Path != nil:
		return *c.Service.Path
	case c.URL != nil:
		if u, err := url.Parse(*c.URL); err == nil {
			return u.Path
		}
	}
	return ""
}
