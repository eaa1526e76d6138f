// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"slices"
)

// otherKind reports what a definition cannot change while the cluster has it.
func otherKind(p *pass, old, now *Definition) {
	for _, field := range []struct{ name, old, now string }{
		{"scope", old.Scope, now.Scope},
		{"kind", old.Kind, now.Kind},
	} {
		if field.old == field.now || field.old == "" || field.now == "" {
			continue // a patch has neither
		}
		p.report(Finding{Range: now.Range, Severity: Breaking,
			Message: fmt.Sprintf("the %s of %s is %s in place of %s", field.name, now.Name, field.now, field.old),
			Effect:  "The API server refuses the definition: the field is immutable. Deleting the definition deletes all objects of the kind. Clients and webhook rules name the old " + field.name + ".",
			Steps: []string{
				"define another kind, with another plural, and convert the objects by a controller",
				"or save the objects, delete the definition, apply the new one, and create the objects again"}})
	}
}

// otherSubresources reports subresources that come or go in a version.
func otherSubresources(p *pass, old, now *Definition) {
	for _, v := range now.Versions {
		before, ok := old.version(v.Name)
		if !ok || before.Subresources == nil && old.derived || v.Subresources == nil && now.derived {
			continue
		}
		for _, name := range []string{"status", "scale"} {
			had, has := slices.Contains(before.Subresources, name), slices.Contains(v.Subresources, name)
			f := Finding{Range: v.Range, Severity: Breaking}
			switch {
			case had && !has:
				f.Message = fmt.Sprintf("%s of %s no longer has the subresource %s", v.Name, now.Name, name)
				f.Effect = fmt.Sprintf("Requests for %s/%s fail (404), and no webhook is called for them.", old.Plural, name)
				if name == "status" {
					f.Effect += " Whoever may update an object may then write its status."
				}
				f.Steps = []string{"find who uses it: the audit log", "keep the subresource in every version that is served"}
			case !had && has && name == "status":
				f.Message = fmt.Sprintf("%s of %s gets the subresource status", v.Name, now.Name)
				f.Effect = "The API server drops status from objects that clients create and update, also from those of old controllers. Rules of webhooks for the resource are no longer called for changes of status."
				f.Steps = []string{"have controllers write status through the subresource, and tolerate a 404", "apply the definition", "give the controllers' roles the subresource"}
			case !had && has:
				f.Severity = Careful
				f.Message = fmt.Sprintf("%s of %s gets the subresource %s", v.Name, now.Name, name)
				f.Effect = fmt.Sprintf("Whoever may update %s/%s changes replicas through it. Rules for the resource alone do not match these requests.", now.Plural, name)
				f.Steps = []string{fmt.Sprintf("name %s/%s in rules of webhooks and policies that are about replicas", now.Plural, name)}
			default:
				continue
			}
			p.report(f)
		}
	}
}

// otherMerge reports lists and maps that server-side apply merges differently.
func otherMerge(p *pass, before, then *schema) {
	for _, now := range then.properties {
		old, ok := before.byPath[now.Path]
		if !ok || old.Type != now.Type {
			continue
		}
		was, is := old.Keywords(), now.Keywords()
		for _, of := range []struct{ keyword, preset, words string }{
			{"x-kubernetes-list-type", "atomic", "list"},
			{"x-kubernetes-map-type", "granular", "map"},
		} {
			kind := func(keywords map[string]any) string {
				value, _ := keywords[of.keyword].(string)
				return cmp.Or(value, of.preset)
			}
			if kind(was) == kind(is) {
				continue
			}
			f := Finding{Range: now.Range, Severity: Careful,
				Message: fmt.Sprintf("the schema of %s has the %s type %s for %s in place of %s", then, of.words, kind(is), cmp.Or(now.Path, "the object"), kind(was)),
				Effect: "Server-side apply then merges single elements: whoever applies fewer elements no longer removes those of others. " +
					"Owners of the whole value in managedFields keep it until they apply it again.",
				Steps: []string{"apply the objects again with each of their managers"}}
			if kind(is) == "atomic" {
				f.Severity = Breaking
				f.Effect = "Server-side apply then replaces the whole value: whoever applies its own elements removes the elements of all others, or gets a conflict."
				f.Steps = []string{"keep the type while more than one manager writes the value"}
			}
			p.report(f)
		}
	}
}
