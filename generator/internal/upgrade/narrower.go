// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
)

// stricter reports values that the new schema of a version refuses and the old one accepts. Each keyword of a schema
// is compared by itself: a value that another keyword refused before is reported, too.
func stricter(p *pass, before, then *schema) {
	for _, now := range then.properties {
		old, ok := before.byPath[now.Path]
		if !ok {
			if before.mayHave(now.Path) && isLimited(now) {
				p.refuses(then, now, Breaking, "limits the values of "+now.Path+", which had another schema or none")
			}
			continue
		}
		if old.Type != now.Type && !widens(old.Type, now.Type) {
			continue // G32 reports it
		}
		was, is := old.Keywords(), now.Keywords()
		for _, change := range narrowed(was, is) {
			p.refuses(then, now, Breaking, change+" for "+cmp.Or(now.Path, "the object"))
		}
		for _, rule := range newRules(list(was, "x-kubernetes-validations"), list(is, "x-kubernetes-validations")) {
			p.ruled(before, then, now, rule)
		}
		p.requires(before, then, old, now)
	}
}

// mayHave reports whether objects may have a value at a path that the schema does not name: it keeps fields without a
// schema, or has a map in place of the field, or fields in place of the map.
func (s *schema) mayHave(path string) bool {
	in := around(path)
	_, isMap := s.byPath[in+"[]"]
	hasFields := strings.HasSuffix(path, "[]") && slices.ContainsFunc(s.properties, func(p manifest.Property) bool {
		return p.Path != in+"[]" && around(p.Path) == in
	})
	return s.keeps(path) || isMap || hasFields
}

// refuses reports values that the new schema refuses.
func (p *pass) refuses(s *schema, now manifest.Property, severity Severity, what string) {
	f := Finding{Range: now.Range, Severity: severity,
		Message: fmt.Sprintf("the schema of %s %s", s, what),
		Effect: "The API server refuses new objects with other values, whether a client, a webhook or a conversion writes them. " +
			"It still reads stored objects with such values, and from Kubernetes 1.30 on it accepts updates that leave the value as it is. " +
			"Before, it refuses each update, the removal of a finalizer among them.",
		Steps: []string{
			"look for objects with such values: kubectl get -A -o json",
			"correct them, and the clients that write them, before you apply the definition"}}
	if p.keeps(s.of.Kind+"."+s.of.Group, s.version, strings.ReplaceAll(now.Path, "[]", "")) {
		f.Effect += fmt.Sprintf(" The annotation webhook-gen.github.io/conversion keeps such values, too: a conversion to %s drops each that the new schema refuses.", s.version)
		f.Steps[0] = fmt.Sprintf("look for objects with such values, in %s: kubectl get -A -o json shows them if you name this version", s.version)
	}
	p.report(f)
}

// isLimited reports whether a schema refuses values.
func isLimited(p manifest.Property) bool {
	is := p.Keywords()
	return p.Type != "" || len(narrowed(nil, is)) > 0 || len(list(is, "required"))+len(list(is, "x-kubernetes-validations")) > 0
}

// requires reports fields that the new schema requires and the old one does not. A default is as good as a value.
func (p *pass) requires(before, then *schema, old, now manifest.Property) {
	was, is := old.Keywords(), now.Keywords()
	for _, name := range list(is, "required") {
		text, _ := name.(string)
		path := strings.TrimPrefix(now.Path+"."+text, ".")
		field, ok := then.byPath[path]
		if slices.Contains(list(was, "required"), name) && !lostDefault(before.byPath[path], field) || ok && field.Default != "" {
			continue
		}
		if !ok {
			field = now
		}
		p.report(Finding{Range: field.Range, Severity: Breaking,
			Message: fmt.Sprintf("the schema of %s requires %s", then, path),
			Effect: fmt.Sprintf("The API server refuses objects without it, whether a client, a webhook or a conversion writes them. It still reads stored ones, and from Kubernetes 1.30 on "+
				"it accepts updates that leave all of %s as it is. Before, it refuses each update, the removal of a finalizer among them.", cmp.Or(now.Path, "the object")),
			Steps: []string{"give the field a default", "or write it into every stored object first, and require it in a later release"}})
	}
	added := func(p manifest.Property) bool {
		_, known := before.byPath[p.Path]
		return !known && p.Default != "" && around(p.Path) == now.Path
	}
	counts := slices.ContainsFunc([]string{"maxProperties", "not", "oneOf"}, func(keyword string) bool { return is[keyword] != nil })
	if i := slices.IndexFunc(then.properties, added); i >= 0 && counts {
		p.refuses(then, then.properties[i], Breaking, "sets "+then.properties[i].Path+", of which an object may have too many then")
	}
}

// lostDefault reports a required field that had a default and has none: objects without it were complete.
func lostDefault(old, now manifest.Property) bool { return old.Default != "" && now.Default == "" }

// narrowed returns the keywords of a schema by which it refuses values that another one accepts, in words that follow
// "the schema" and precede "for" and the path of the field.
func narrowed(old, now map[string]any) (changes []string) {
	add := func(format string, args ...any) { changes = append(changes, fmt.Sprintf(format, args...)) }
	for _, bound := range []struct{ keyword, exclusive, words string }{{"minimum", "exclusiveMinimum", "at least"}, {"maximum", "exclusiveMaximum", "at most"}} {
		is, was := number(now[bound.keyword]), number(old[bound.keyword])
		if is == nil {
			continue
		}
		side := 1
		if was != nil {
			side = is.Cmp(was)
			if bound.keyword == "maximum" {
				side = -side
			}
		}
		if open := now[bound.exclusive] == true; side > 0 || side == 0 && open && old[bound.exclusive] != true {
			words := bound.words
			if open {
				words = map[string]string{"minimum": "more than", "maximum": "less than"}[bound.keyword]
			}
			add("wants %s %s", words, now[bound.keyword])
		}
	}
	for _, keyword := range []string{"minLength", "minItems", "minProperties", "maxLength", "maxItems", "maxProperties"} {
		is, was := number(now[keyword]), number(old[keyword])
		if is == nil {
			continue
		}
		if least := strings.HasPrefix(keyword, "min"); least && is.Cmp(cmp.Or(was, new(big.Rat))) > 0 || !least && (was == nil || is.Cmp(was) < 0) {
			add("has %s %s", keyword, now[keyword])
		}
	}
	if is, was := number(now["multipleOf"]), number(old["multipleOf"]); is != nil && is.Sign() > 0 && (was == nil || !new(big.Rat).Quo(was, is).IsInt()) {
		add("wants multiples of %s", now["multipleOf"])
	}
	if lost := missing(list(old, "enum"), list(now, "enum")); now["enum"] != nil && (old["enum"] == nil || len(lost) > 0) {
		if old["enum"] == nil {
			add("has an enum")
		} else {
			add("no longer allows %s", strings.Join(lost, ", "))
		}
	}
	if is, _ := now["pattern"].(string); is != "" && now["pattern"] != old["pattern"] {
		add("has the pattern %s", is)
	}
	if is, _ := now["format"].(string); isChecked(is) && old["format"] != is {
		add("has the format %s", is)
	}
	if old["nullable"] == true && now["nullable"] != true {
		add("no longer allows null")
	}
	if is := now["x-kubernetes-embedded-resource"]; is == true && old["x-kubernetes-embedded-resource"] != true {
		add("wants an apiVersion and a kind")
	}
	keys := missing(list(old, "x-kubernetes-list-map-keys"), list(now, "x-kubernetes-list-map-keys"))
	switch is, was := now["x-kubernetes-list-type"], old["x-kubernetes-list-type"]; {
	case is == "set" && was != "set", is == "map" && was != "map", is == "map" && len(keys) > 0:
		add("refuses repeated elements, as of a %s,", is)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "not", "metadata"} {
		if narrowsJunction(keyword, old, now) {
			add("has other alternatives or restrictions (%s)", keyword)
		}
	}
	return changes
}

// newRules returns the validation rules that only the new schema has.
func newRules(old, now []any) (rules []string) {
	text := func(rule any) string {
		fields, _ := rule.(map[string]any)
		expression, _ := fields["rule"].(string)
		return expression
	}
	for _, rule := range now {
		if !slices.ContainsFunc(old, func(known any) bool { return sameText(text(known), text(rule)) }) {
			rules = append(rules, oneLine(text(rule)))
		}
	}
	return rules
}

// ruled reports a new rule. A rule about a field that the old schema does not have may allow all that objects had.
func (p *pass) ruled(before, then *schema, now manifest.Property, rule string) {
	severity := Breaking
	for _, field := range then.properties {
		_, known := before.byPath[field.Path]
		name := field.Path[strings.LastIndexByte(field.Path, '.')+1:]
		if !known && isIn(field.Path, now.Path) && slices.Contains(strings.FieldsFunc(rule, notInName), name) {
			severity = Careful
		}
	}
	p.refuses(then, now, severity, "has the rule "+rule+" for "+cmp.Or(now.Path, "the object"))
}

func notInName(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

// narrowsJunction reports a combination of schemas that may refuse more than before: with a further schema that all
// values must match, with fewer that values may match, or with any other change.
func narrowsJunction(keyword string, old, now map[string]any) bool {
	if now[keyword] == nil || canonicalJSON(old[keyword]) == canonicalJSON(now[keyword]) {
		return false
	}
	switch keyword {
	case "allOf":
		return len(missing(list(now, keyword), list(old, keyword))) > 0
	case "anyOf":
		isIntOrString := now["x-kubernetes-int-or-string"] == true && canonicalJSON(now[keyword]) == `[{"type":"integer"},{"type":"string"}]`
		return !isIntOrString && (old[keyword] == nil || len(missing(list(old, keyword), list(now, keyword))) > 0)
	case "metadata":
		return canonicalJSON(now[keyword]) != `{"type":"object"}`
	}
	return true
}

// isChecked reports whether API servers check a format (k8s.io/apiextensions-apiserver/pkg/apiserver/validation,
// supportedVersionedFormats, and k8s.io/kube-openapi/pkg/validation/validate for numbers). The ranges of 64 bits are
// those of JSON numbers.
func isChecked(format string) bool {
	return slices.Contains(strings.Fields("int32 uint32 uint64 float "+
		"bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor "+
		"byte date duration datetime date-time k8s-short-name k8s-long-name"), format)
}

func number(value any) *big.Rat {
	text, ok := value.(json.Number)
	if !ok {
		return nil
	}
	n, ok := new(big.Rat).SetString(text.String())
	if !ok {
		return nil
	}
	return n
}

// list returns the elements of a keyword.
func list(keywords map[string]any, name string) []any {
	elements, _ := keywords[name].([]any)
	return elements
}

// missing returns the elements of a list that another one lacks, as JSON.
func missing(of, in []any) (lost []string) {
	for _, value := range of {
		text := canonicalJSON(value)
		if !slices.ContainsFunc(in, func(other any) bool { return canonicalJSON(other) == text }) {
			lost = append(lost, text)
		}
	}
	return lost
}

// canonicalJSON returns the JSON of a value, with the keys of objects sorted.
func canonicalJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
