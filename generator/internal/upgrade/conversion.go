// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

func hubMoved(p *pass) {
	hubs := func(s *State) map[string]*side {
		found := map[string]*side{}
		for _, of := range s.sides {
			found[of.kind] = of
		}
		return found
	}
	before, then := hubs(p.from), hubs(p.to)
	for _, kind := range slices.Sorted(maps.Keys(before)) {
		old, now := before[kind], then[kind]
		if now == nil || now.Hub.Version == old.Hub.Version {
			continue
		}
		p.report(Finding{Range: now.Range, Severity: Careful,
			Message: fmt.Sprintf("the hub of %s is %s in place of %s", kind, now.Hub.Version, old.Hub.Version),
			Effect: "No object changes. Versions convert through another hub, so a pair of them may lose other fields than before. " +
				"A stored annotation is still read if the version that wrote it has the same conversion.",
			Steps: []string{"compare webhook-gen explain conversion of both states", "move the hub in a release that changes nothing else of the kind"}})
	}
}

func fieldGone(p *pass, old, now *version) {
	gone := ""
	for _, f := range old.fields {
		if gone != "" && isIn(f.path, gone) {
			continue // it is lost with the field around it
		}
		is, ok := now.field(f.path)
		switch {
		case !ok:
			gone = f.path
			report := Finding{Range: f.Range, InOld: true, Severity: Breaking,
				Message: fmt.Sprintf("%s of %s no longer has the field %s", old.name, old.kind, f.path),
				Effect:  "Once the schema is without it, the API server drops it from objects that clients write, and from objects stored in that version when they are read.",
				Steps: []string{
					"keep the field in every version that is served or stored, also where nothing reads it any more",
					"take fields away in a new version, with a rule that says what becomes of them"}}
			if p.keeps(old.kind, old.name, f.path) {
				report.Effect += " Values of it in annotations of objects in other versions fit nowhere, and are dropped too."
			}
			p.report(report)
		case is.shape != f.shape:
			gone = f.path
			p.report(Finding{Range: is.Range, Severity: Breaking,
				Message: fmt.Sprintf("the field %s of %s %s is %s in place of %s", f.path, old.name, old.kind, model.Article(is.shape), model.Article(f.shape)),
				Effect:  "Stored objects and clients say it as before: servers fail to decode them, and the API server refuses them.",
				Steps:   []string{"add a field of another name, or a version, in which it has the new type"}})
		}
	}
}

// keeps reports whether a conversion of the old state keeps a field of a version in the annotation, or all of a field
// around it.
func (s *step) keeps(kind, version, path string) bool {
	return slices.ContainsFunc(s.from.sides, func(of *side) bool {
		if of.kind != kind || of.version != version {
			return false
		}
		f := of.fieldConversion(path)
		for in := around(path); f == nil && in != ""; in = around(in) {
			if f = of.fieldConversion(in); f != nil && f.counterpart != "" {
				return false
			}
		}
		return f != nil && f.kept()
	})
}

// kept reports whether the annotation has something of a field.
func (f *fieldConversion) kept() bool { return f.loss != "" && f.verb != model.Drop }

func keptHasPlace(p *pass, old, now *side) {
	if p.storage(old) == old.version {
		return // stored objects have no kept value
	}
	var placed, overridden []string
	for _, before := range old.fieldConversions {
		then := now.fieldConversion(before.path)
		switch {
		case !before.kept() || !before.whole || before.counterpart != "" || then == nil || then.counterpart == "":
		case then.missing != nil:
			overridden = append(overridden, before.path)
		case !then.kept():
			placed = append(placed, before.path)
		}
	}
	here, there := old.version, old.across.version
	if len(overridden) > 0 {
		p.report(Finding{Range: now.Range, Severity: Breaking,
			Message: fmt.Sprintf("annotations of %s objects of %s keep %s for %s, which a default replaces", there, old.kind, several(overridden), here),
			Effect: fmt.Sprintf("%s has a field for it now, which is not set in objects that were written before: as %s they get the default. The value in the annotation, "+
				"webhook-gen.github.io/conversion, is dropped.", there, here),
			Steps: []string{
				"add the field in one release, without the default",
				fmt.Sprintf("write every object again as %s", here),
				"add the default in the next release"}})
	}
	if len(placed) > 0 {
		until := fmt.Sprintf("the object is written as %s", here)
		if now.Lossy(convert.ToHub) && now.Lossy(convert.FromHub) {
			until = fmt.Sprintf("the value is changed as %s", here)
		}
		p.report(Finding{Range: now.Range, Severity: Careful,
			Message: fmt.Sprintf("annotations of %s objects of %s keep %s for %s, which %s now has as well", there, old.kind, several(placed), here, there),
			Effect: fmt.Sprintf("Nothing is lost: %s still gets it from the annotation, webhook-gen.github.io/conversion, if the new field is not set. Clients that read %s do not see it until %s. "+
				"Old servers do not know the new field, so they may lose what new ones write there, during the rollout or after a rollback.", here, there, until),
			Steps: []string{serversFirst, "then have clients use it"}})
	}
}

// storage is the version in which objects of a kind are stored; empty where it is not known.
func (s *step) storage(of *side) string {
	if of.CRD == nil {
		return ""
	}
	if d := s.from.definition(of.CRD.Plural + "." + of.Spoke.Group); d != nil {
		return d.storage()
	}
	return ""
}

func fieldDropped(p *pass, before, then *fieldConversion) {
	if before.verb != model.Drop && then.verb == model.Drop {
		p.report(Finding{Range: then.Range, Severity: Breaking,
			Message: fmt.Sprintf("the field %s of %s %s is given up: %s", then.path, then.version, then.kind, then.reason),
			Effect:  fmt.Sprintf("It is lost for good when an object that has it is written as, or stored in, another version than %s.", then.version),
			Steps:   []string{"look for objects that have it: kubectl get -A -o json", "+webhook:conversion:stash keeps it while there are any"}})
	}
}

func fieldLossy(p *pass, before, then *fieldConversion) {
	if then.whole && before.loss == "" && before.verb != model.Drop && then.kept() && before.counterpart == then.counterpart && before.how == then.how {
		p.report(Finding{Range: then.Range, Severity: Careful,
			Message: fmt.Sprintf("%s cannot represent all of %s of %s %s: %s", then.across.version, then.path, then.version, then.kind, then.loss),
			Effect: fmt.Sprintf("The annotation keeps it. Old servers do not know of it, so that objects written through them during the rollout, or after a rollback, may lose it; "+
				"so does a client that writes %s objects without their annotations.", then.across.version),
			Steps: []string{serversFirst, "then have clients use it"}})
	}
}

func fieldMoved(p *pass, before, then *fieldConversion) {
	f := Finding{Range: then.Range, Severity: Breaking, Steps: []string{
		"convert as before, and have the new place in a new version",
		"otherwise stop what writes the kind, roll out the servers, and start it again"}}
	switch {
	case then.to == convert.FromHub, then.verb == model.Drop, before.verb == model.Drop:
		return // it is told at the spoke's field, or as given up
	case before.counterpart != then.counterpart:
		const kept = "an entry of the annotation"
		f.Message = fmt.Sprintf("%s of %s %s converts to %s in place of %s", then.path, then.version, then.kind, cmp.Or(then.counterpart, kept), cmp.Or(before.counterpart, kept))
		f.Effect = fmt.Sprintf("An object that is stored as %s reads otherwise as %s from one server to the next, while old and new ones run, and stays so afterwards.",
			then.version, then.across.version)
	case before.how != then.how:
		const plain = "by its type"
		f.Severity = Careful
		f.Message = fmt.Sprintf("%s of %s %s converts otherwise: %s in place of %s", then.path, then.version, then.kind, cmp.Or(then.how, plain), cmp.Or(before.how, plain))
		f.Effect = fmt.Sprintf("Where the two do not make the same of a value, an object that is stored as %s reads otherwise as %s.", then.version, then.across.version)
		f.Steps = []string{"hold both to the same values in a test, stored values among them"}
	default:
		return
	}
	f.Effect += before.dropsKept()
	p.report(f)
}

// dropsKept describes the loss of kept values of a field that converts otherwise: a value is put back only if the
// object still has the converted value.
func (f *fieldConversion) dropsKept() string {
	if !f.kept() {
		return ""
	}
	return " Its values in annotations may no longer fit, and are dropped then."
}

func valueMoved(p *pass, before, then *fieldConversion) {
	for _, r := range before.renames {
		is := then.becomes(r.From)
		if is == r.To || before.counterpart != then.counterpart || then.how != before.how {
			continue
		}
		if spoke := then.across.fieldConversion(then.counterpart); then.to == convert.FromHub && spoke != nil && spoke.becomes(r.To) != r.From {
			continue // it is told at the spoke's field
		}
		p.report(Finding{Range: then.Range, Severity: Breaking,
			Message: fmt.Sprintf("the value %q of %s of %s %s becomes %q in place of %q", r.From, then.path, then.version, then.kind, is, r.To),
			Effect: fmt.Sprintf("An object that is stored as %s with that value reads as another one in %s, which may not know it: then the API server refuses it when it is written.%s",
				then.version, then.across.version, before.dropsKept()),
			Steps: []string{fmt.Sprintf("keep +webhook:conversion:enum for %q while objects have it", r.From)}})
	}
}

// becomes is what a value of an enum is on the other side.
func (f *fieldConversion) becomes(value string) string {
	for _, r := range f.renames {
		if r.From == value {
			return r.To
		}
	}
	return value
}

func otherDefault(p *pass, before, then *fieldConversion) {
	if before.missing == then.missing || before.counterpart != then.counterpart || then.to == convert.ToHub && then.verb == model.Drop {
		return
	}
	if then.to == convert.FromHub && then.counterpart != "" {
		return // it is told at the spoke's field
	}
	var none any = "none"
	p.report(Finding{Range: then.Range, Severity: Careful,
		Message: fmt.Sprintf("where %s says nothing, %s has %v for %s of %s in place of %v",
			then.Spoke.Version, then.Hub.Version, cmp.Or(then.missing, none), then.path, then.kind, cmp.Or(before.missing, none)),
		Effect: "Objects that are stored without a value have another one in the hub from the moment that new servers convert them: nobody wrote it." + before.dropsKept(),
		Steps:  []string{"write the old value into the objects that should keep it, before the rollout"}})
}
