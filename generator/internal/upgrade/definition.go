// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
)

// sameVersion reports two versions of one name, of the same kind in two states.
func sameVersion(a, b manifest.Version) bool { return a.Name == b.Name }

func versionGone(p *pass, old, now *Definition) {
	for _, v := range only(old.Versions, now.Versions, sameVersion) {
		f := Finding{Range: v.Range, InOld: true, Severity: Breaking, Lost: old.loss(v.Name, "version "+v.Name),
			Message: fmt.Sprintf("version %s of %s is gone", v.Name, old.Name),
			Effect:  fmt.Sprintf("Clients and manifests that name %s fail (404).", v.Name),
			Steps: []string{
				"release with another storage version and this one deprecated, so that clients are warned: deprecated: true",
				fmt.Sprintf("migrate the stored objects, which takes %s out of status.storedVersions: your program's command migrate --definition %s", v.Name, old.Name),
				"release with served: false; then without the version, definition and servers in this order"}}
		switch stored := strings.Join(old.Stored, ", "); {
		case slices.Contains(old.Stored, v.Name):
			f.Effect += fmt.Sprintf(" status.storedVersions is %s: the API server refuses a definition without it.", stored)
		case stored == "":
			f.Effect += " Where status.storedVersions of the definition in the cluster has it, the API server refuses a definition without it."
		default:
			f.Effect += fmt.Sprintf(" No object is stored in it: status.storedVersions is %s.", stored)
			f.Steps = []string{"find who still asks for it: the audit log, or apiserver_requested_deprecated_apis"}
			if !v.Served {
				f.Severity, f.Effect, f.Steps = Careful, "It was not served, and no object is stored in it: status.storedVersions is "+stored+".", nil
			}
		}
		p.report(f)
	}
}

func versionNotServed(p *pass, old, now *Definition) {
	for _, v := range now.Versions {
		if before, ok := old.version(v.Name); ok && before.Served && !v.Served {
			p.report(Finding{Range: v.Range, Severity: Breaking, Lost: now.loss(v.Name, "version "+v.Name+" is no longer served"),
				Message: fmt.Sprintf("version %s of %s is no longer served", v.Name, now.Name),
				Effect:  "Clients that name it fail (404). Stored objects stay, and are converted. Server-side apply fails for objects with managedFields of that version, until their managers apply another one.",
				Steps:   []string{"release with deprecated: true first, so that clients are warned", "find who still asks for it: apiserver_requested_deprecated_apis, or the audit log", "then no longer serve it"}})
		}
	}
}

func otherStorage(p *pass, old, now *Definition) {
	before, then := old.storage(), now.storage()
	if before == then || before == "" || then == "" {
		return
	}
	stored, _ := now.version(then)
	f := Finding{Range: stored.Range, Severity: Careful,
		Message: fmt.Sprintf("objects of %s are stored as %s in place of %s", now.Name, then, before),
		Effect:  fmt.Sprintf("Objects written from now on are stored as %s, the others stay as they are until they are written again; status.storedVersions lists both.", then),
		Steps:   []string{"apply the definition when all servers convert both versions", "write every object again before " + before + " goes: a StorageVersionMigration"}}
	_, known := old.version(then)
	switch {
	case now.Unconverted && now.Conversion == nil:
		f.Steps[0] = "apply the definition"
		if !known {
			f.Effect += fmt.Sprintf(" From then on the API server refuses a definition without %s, so that the old one cannot be applied again.", then)
		}
	case !known:
		f.Severity = Breaking
		f.Effect = fmt.Sprintf("%s is new: old servers cannot convert it, so that while they run, and after a rollback, the written objects cannot be read in other versions.", then)
		f.Steps = []string{fmt.Sprintf("release with %s served and %s still stored", then, before), fmt.Sprintf("store %s in the release after that", then)}
	}
	p.report(f)
}

func versionNew(p *pass, old, now *Definition) {
	for _, v := range only(now.Versions, old.Versions, sameVersion) {
		if now.Unconverted && now.Conversion == nil { // markers may tell of a webhook
			p.report(unconverted(now, v))
			continue
		}
		p.report(Finding{Range: v.Range, Severity: Careful,
			Message: fmt.Sprintf("version %s of %s is new, and old servers do not convert it", v.Name, now.Name),
			Effect:  "While old servers run, requests in that version fail. Clients that ask for the preferred version, kubectl among them, ask for the newest stable one from the moment that the definition is applied.",
			Steps:   []string{serversFirst, "apply the definition", "then have controllers and manifests use the version"}})
	}
}

// unconverted is the finding for a new version of a kind that no webhook converts.
func unconverted(d *Definition, now manifest.Version) Finding {
	f := Finding{Range: now.Range, Severity: Careful,
		Message: fmt.Sprintf("version %s of %s is new, and no webhook converts it", now.Name, d.Name),
		Effect: "The API server changes nothing but apiVersion. Clients that ask for the preferred version, kubectl among them, ask for the newest stable one from the moment that the definition is applied, " +
			"and webhooks for other versions get its objects converted if matchPolicy is Equivalent."}
	schema := d.schema(now.Name)
	for _, other := range d.Versions {
		from := d.schema(other.Name)
		if schema == nil || from == nil || other.Name == now.Name {
			continue
		}
		if lost := schema.lacks(from); len(lost) > 0 {
			f.Severity = Breaking
			f.Effect += fmt.Sprintf(" An object that is written as %s loses %s, which %s has.", now.Name, several(lost), other.Name)
			f.Steps = []string{"have all fields in the schemas of all versions, or convert by a webhook"}
		}
	}
	return f
}

func conversionByWebhook(p *pass, old, now *Definition) {
	switch {
	case old.Conversion == nil && now.Conversion != nil && len(old.Versions) > 1:
		p.report(Finding{Range: now.Conversion.Range, Severity: Breaking,
			Message: fmt.Sprintf("a webhook converts %s, where nothing was converted", now.Name),
			Effect:  "Stored objects keep the apiVersion with which they were stored, and may have fields of any version: so far the API server has changed nothing but apiVersion. Until servers answer at the path, requests in other versions than the stored one fail.",
			Steps:   []string{serversFirst, "apply the definition", "look for stored objects with fields of another version than their apiVersion"}})
	case old.Conversion == nil && now.Conversion != nil:
		p.report(Finding{Range: now.Conversion.Range, Severity: Careful,
			Message: fmt.Sprintf("a webhook converts %s", now.Name),
			Effect:  "There is no failurePolicy: until servers answer at the path, requests in other versions than the stored one fail, and with them lists and watches.",
			Steps:   []string{serversFirst, "apply the definition"}})
	case old.Conversion != nil && now.Conversion == nil && len(now.Versions) > 1:
		p.report(Finding{Range: now.Range, Severity: Breaking, Lost: now.conversionLoss(),
			Message: fmt.Sprintf("no webhook converts %s any more", now.Name),
			Effect:  notConverted,
			Steps:   []string{"keep the conversion while more than one version is served or stored"}})
	}
}

func otherConversionServer(p *pass, old, now *Definition) {
	if old.Conversion == nil || now.Conversion == nil {
		return
	}
	before, then := old.Conversion, now.Conversion
	where := func(c *manifest.Conversion) string { return endpoint(c.Client) + servedAt(c.Client) }
	if where(before) != where(then) {
		p.report(Finding{Range: then.Range, Severity: Breaking,
			Message: fmt.Sprintf("%s is converted at %s in place of %s", now.Name, where(then), where(before)),
			Effect:  "A conversion has no failurePolicy: while nothing answers there, requests in other versions than the stored one fail, and with them lists and watches. A definition that is not applied yet calls the old place.",
			Steps:   []string{"have " + where(then) + " answer, beside " + where(before), "apply the definition", "take the old place away"}})
	}
	first := func(c *manifest.Conversion) string {
		return strings.Join(c.ReviewVersions[:min(1, len(c.ReviewVersions))], "")
	}
	if first(before) != first(then) && !slices.Contains(before.ReviewVersions, first(then)) {
		p.report(Finding{Range: then.Range, Severity: Breaking,
			Message: fmt.Sprintf("conversions of %s get ConversionReviews of %s in place of %s", now.Name, first(then), first(before)),
			Effect:  "Old servers never said that they read it. Where one cannot, requests in other versions than the stored one fail.",
			Steps:   []string{serversFirst, "apply the definition"}})
	}
}

const notConverted = "The API server changes nothing but apiVersion, and prunes fields that the other version does not have: they are lost when the object is written again."

// kindGone reports definitions in files of the old state that no file of the new one has. Markers that convert a
// kind do not replace its definition.
func kindGone(p *pass) {
	for _, old := range p.from.Definitions {
		switch {
		case p.to.definition(old.Name) != nil && !p.to.definition(old.Name).derived:
		case old.derived:
		case len(old.Versions) == 0: // a patch with a conversion, of a definition that is elsewhere
			if old.Conversion != nil {
				p.report(Finding{Range: old.Range, InOld: true, Severity: Breaking, Lost: old.conversionLoss(),
					Message: fmt.Sprintf("no webhook converts %s any more", old.Name), Effect: notConverted,
					Steps: []string{"keep the conversion while more than one version is served or stored"}})
			}
		default:
			p.report(Finding{Range: old.Range, InOld: true, Severity: Breaking, Lost: old.loss("", ""),
				Message: fmt.Sprintf("the kind %s is gone", old.Name),
				Effect:  "Where the definition is deleted, as helm and pruning do, so are all objects of the kind, and finalizers that nobody removes any more hold the deletion up. kubectl apply leaves it.",
				Steps:   []string{"save the objects: kubectl get " + old.Name + " -A -o yaml", "delete them while their controller runs", "delete the definition last"}})
		}
	}
}
