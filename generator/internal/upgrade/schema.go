// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// schema is what a definition says of the objects of a version.
type schema struct {
	of         *Definition
	version    string
	properties []manifest.Property // each before those in it
	byPath     map[string]manifest.Property
}

// schema reads what the definition says of a version's objects; nil where it says nothing.
func (d *Definition) schema(version string) *schema {
	v, ok := d.version(version)
	if !ok || v.Schema == nil {
		return nil
	}
	s := &schema{of: d, version: version, properties: v.Schema.Properties(), byPath: map[string]manifest.Property{}}
	if d.derived { // types of other modules have no position in the project
		s.properties = slices.DeleteFunc(s.properties, func(p manifest.Property) bool { return p.Range == diag.Range{} })
	}
	for _, p := range s.properties {
		s.byPath[p.Path] = p
	}
	return s
}

// String names what the schema is of.
func (s *schema) String() string { return s.version + " of " + s.of.Name }

// keeps reports whether a field that the schema does not have is kept because of a setting of a field around it.
func (s *schema) keeps(path string) bool {
	for path != "" {
		path = around(path)
		if p, ok := s.byPath[path]; ok {
			return p.Open
		}
	}
	return false
}

// around is the field that another one is in.
func around(path string) string {
	if list, ok := strings.CutSuffix(path, "[]"); ok {
		return list
	}
	return path[:max(strings.LastIndexByte(path, '.'), 0)]
}

// lacks are the fields of another schema that this one drops, those in them left out.
func (s *schema) lacks(other *schema) (dropped []string) {
	gone := ""
	for _, p := range other.properties {
		if gone != "" && isIn(p.Path, gone) {
			continue
		}
		if _, ok := s.byPath[p.Path]; !ok && !s.keeps(p.Path) {
			gone = p.Path
			dropped = append(dropped, p.Path)
		}
	}
	return dropped
}

// isIn reports whether a field is in another one.
func isIn(path, around string) bool {
	return strings.HasPrefix(path, around+".") || strings.HasPrefix(path, around+"[]")
}

// goType is the Go type of a schema's version in a state; nil where it is not known.
func (s *schema) goType(in *State) *version { return in.version(s.of.Kind+"."+s.of.Group, s.version) }

func schemaNarrower(p *pass, before, then *schema) {
	reported := ""
	for _, old := range before.properties {
		if reported != "" && isIn(old.Path, reported) {
			continue // it is covered by the field around it
		}
		now, ok := then.byPath[old.Path]
		switch {
		case !ok && then.keeps(old.Path):
		case !ok:
			reported = old.Path
			p.fieldPruned(then, old)
		case old.Type != now.Type && !widens(old.Type, now.Type):
			reported = old.Path
			p.otherType(then, old, now)
		case old.Open && !now.Open:
			p.report(Finding{Range: now.Range, Severity: Breaking,
				Message: fmt.Sprintf("the schema of %s no longer keeps fields of %s that it does not have", then, cmp.Or(old.Path, "the object")),
				Effect:  "The API server drops them, without a word, from what clients, webhooks and conversions write, and from stored objects when they are read.",
				Steps:   []string{"look for what stored objects have there: kubectl get -A -o json", "have all of it in the schema first"}})
		}
	}
}

// fieldPruned reports a field that the schema no longer has, unless the Go type is without it too: G25 tells that.
func (p *pass) fieldPruned(s *schema, lost manifest.Property) {
	then := s.goType(p.to)
	_, was := s.goType(p.from).field(lost.Path)
	_, is := then.field(lost.Path)
	if was && then != nil && !is {
		return
	}
	f := Finding{Range: lost.Range, InOld: true, Severity: Breaking,
		Message: fmt.Sprintf("the schema of %s no longer has the field %s", s, lost.Path),
		Effect:  "The API server silently drops it from objects that clients and webhooks write, from objects converted from other versions, and from objects stored in that version when they are read.",
		Steps: []string{
			"keep the field in every version that is served or stored, also where nothing reads it any more",
			"take fields away in a new version"}}
	if is {
		f.Effect += " The Go type still has it: what handlers and conversions write there is lost."
		f.Steps = []string{"have controller-gen write the definition again, which then has the field", "if it is to go, take it away in a new version"}
	}
	p.report(f)
}

// otherType reports a field of another type, unless the Go type changes too: G25 tells that.
func (p *pass) otherType(s *schema, old, now manifest.Property) {
	before, was := s.goType(p.from).field(old.Path)
	then, is := s.goType(p.to).field(old.Path)
	if was && is && before.shape != then.shape {
		return
	}
	p.report(Finding{Range: now.Range, Severity: Breaking,
		Message: fmt.Sprintf("the schema of %s has %s for %s in place of %s", s, model.Article(now.Type), cmp.Or(old.Path, "the object"), model.Article(old.Type)),
		Effect:  "The API server refuses objects with a value of the old type, whether a client, a webhook or a conversion writes them. Stored objects are read as they are.",
		Steps:   []string{"add a field of another name, or a version, in which it has the new type"}})
}

// widens reports whether the new type allows every value of the old one. A field without a type may have any type.
func widens(old, now string) bool {
	switch now {
	case "", "number":
		return now == "" || old == "integer"
	case "int-or-string":
		return old == "integer" || old == "string"
	}
	return old == ""
}

func otherSchemaDefault(p *pass, before, then *schema) {
	const unset = "Stored objects without a value no longer get one from the moment that the definition is applied, and neither do new ones, unless a mutating webhook fills it in."
	for _, old := range before.properties {
		if _, ok := then.byPath[old.Path]; !ok && old.Default != "" && then.keeps(old.Path) { // else G32 reports the field
			p.report(Finding{Range: old.Range, InOld: true, Severity: Careful,
				Message: fmt.Sprintf("the schema of %s no longer has the default %s for %s", then, old.Default, old.Path), Effect: unset,
				Steps: []string{"set the old value in objects that must keep it, before you apply the definition"}})
		}
	}
	for _, now := range then.properties {
		old, ok := before.byPath[now.Path]
		if !ok || old.Default == now.Default {
			continue
		}
		f := Finding{Range: now.Range, Severity: Careful,
			Message: fmt.Sprintf("the schema of %s has the default %s for %s in place of %s", then, now.Default, cmp.Or(now.Path, "the object"), cmp.Or(old.Default, "none")),
			Effect: "The API server sets it before it calls a webhook, and in stored objects without the field when it reads them. " +
				"Mutating webhooks and conversions that look for the absent field see the default.",
			Steps: []string{"set the old value in objects that must keep it, before you apply the definition"}}
		if now.Default == "" {
			f.Message = fmt.Sprintf("the schema of %s no longer has the default %s for %s", then, old.Default, cmp.Or(now.Path, "the object"))
			f.Effect = unset
		}
		p.report(f)
	}
}
