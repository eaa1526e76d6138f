// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Registry contains the markers with one prefix.
type Registry []Definition

// Decoded is a marker decoded into its definition's target.
type Decoded struct {
	Placed
	// Target is the result of the definition's New.
	Target any
}

// Decode checks the markers of a file and decodes them. After an error it continues, so that one run reports all
// errors.
func (r Registry) Decode(placed []Placed) ([]Decoded, diag.List) {
	var decoded []Decoded
	var diags diag.List
	type key struct {
		on   any
		name string
	}
	first := map[key]diag.Range{}
	for _, p := range placed {
		i := slices.IndexFunc(r, func(d Definition) bool { return d.Name == p.Name })
		if i < 0 || p.Equations != nil {
			diags.Add(r.unknown(p)...)
			continue
		}
		def := r[i]
		if def.On&p.On == 0 {
			diags.Add(diag.Errorf(p.Range, RulePlacement, "+%s is not allowed on a %s", p.Name, p.On).
				WithHint("put it on a %s", def.On))
			continue
		}
		if !def.Repeatable && p.On != OnPackage {
			k := key{name: p.Name, on: p.Type}
			switch {
			case p.Field != nil:
				k.on = p.Field
			case p.Constant != nil:
				k.on = p.Constant
			}
			if at, ok := first[k]; ok {
				diags.Add(diag.Errorf(p.Range, RuleRepeated, "a second +%s on the same %s", p.Name, p.On).WithRelated(at, "the first is here"))
				continue
			}
			first[k] = p.Range
		}
		target, bad := def.decode(p.Marker)
		diags.Add(bad...)
		if !bad.HasErrors() {
			decoded = append(decoded, Decoded{Placed: p, Target: target})
		}
	}
	return decoded, diags
}

// Misspelt reports comment lines that only resemble a marker of this registry. Their prefix has a wrong letter or
// case, blanks follow the plus sign, or other text precedes it. Without the error, a webhook would be missing
// silently. Lines that begin with a tab are code examples.
func (r Registry) Misspelt(file *ast.File, position func(token.Pos) diag.Position, prefix string) diag.List {
	var diags diag.List
	for _, group := range file.Comments {
		if !mentions(group, ":") {
			continue
		}
		for _, l := range Lines(group, position) {
			if at, name, ok := r.intended(l, prefix); ok {
				diags.Add(diag.Errorf(at, RuleUnknown, "this is not a marker, and has no effect").
					WithHint("did you mean +%s:%s? A marker begins its line, and its name follows the plus sign", prefix, name))
			}
		}
	}
	return diags
}

// intended returns the name of a misspelt or misplaced marker in a line.
func (r Registry) intended(l Line, prefix string) (at diag.Range, name string, ok bool) {
	line, first := toASCII(l.Text)
	if _, ok := start(Line{Text: line}, prefix); ok || strings.HasPrefix(line, "\t") {
		return at, "", false
	}
	begin := len(line) - len(strings.TrimLeft(line, " */!"))
	end := 0
	if rest := line[begin:]; rest != "" && strings.ContainsRune("+@", rune(rest[0])) {
		word, rest, colon := strings.Cut(strings.TrimLeft(rest[1:], " "), ":")
		behind := strings.TrimLeftFunc(rest, func(r rune) bool { return r == ':' || unicode.IsLetter(r) })
		if colon && behind != rest && diag.Resembles(word, prefix) {
			name, ok = diag.Nearest(strings.TrimSuffix(rest, behind), r.names(prefix+":"))
			end = len(line) - len(behind)
		}
	}
	if !ok {
		begin, end, name = r.completeMarker(line, prefix)
		ok = name != ""
	}
	if first >= 0 {
		return l.Range(0, len(l.Text)), name, ok // the offsets refer to another text
	}
	return l.Range(begin, end), name, ok
}

// completeMarker returns a complete marker with parentheses at the end of a line, after other text or without its plus
// sign. Prose rarely contains one.
func (r Registry) completeMarker(line, prefix string) (begin, end int, name string) {
	at := strings.LastIndex(line, prefix+":")
	if at < 0 {
		return 0, 0, ""
	}
	ends := strings.HasSuffix(strings.TrimRight(line, " "), ")")
	rest := line[at+len(prefix)+1:]
	name, _, open := strings.Cut(rest, "(")
	before := strings.TrimSuffix(line[:at], "+")
	bare := strings.Trim(before, " */!-#.>") == "" // a list's sign, or nothing
	if !open || !slices.Contains(r.names(prefix+":"), name) || !bare && (!ends || before == line[:at] || !strings.HasSuffix(before, " ")) {
		return 0, 0, ""
	}
	return len(before), at + len(prefix) + 1 + len(name), name
}

// names returns the names of the markers with a prefix, without the prefix.
func (r Registry) names(prefix string) []string {
	names := make([]string, len(r))
	for i, d := range r {
		names[i] = strings.TrimPrefix(d.Name, prefix)
	}
	return names
}

func (r Registry) unknown(p Placed) diag.List {
	equations := p.Equations
	if last := strings.LastIndexByte(p.Name, ':'); last > 0 && p.Value != nil && equations == nil {
		equations = []Argument{{Name: p.Name[last+1:], Value: *p.Value}}
	}
	if text, ok := r.translated(p.Name, equations); ok {
		return diag.List{diag.Errorf(p.Range, RuleSyntax, "this is the grammar of +kubebuilder markers: here, arguments are in parentheses").
			WithHint("write %s", text)}
	}
	if p.Equations != nil {
		return p.syntax
	}
	d := diag.Errorf(p.NameAt, RuleUnknown, "unknown marker +%s", p.Name)
	if text, ok := r.markerWithArgument(p.Marker); ok {
		return diag.List{d.WithHint("write %s", text)}
	}
	if near, ok := diag.Nearest(p.Name, r.names("")); ok {
		return diag.List{d.WithHint("did you mean +%s?", near)}
	}
	return diag.List{d.WithHint("`webhook-gen markers` lists the markers")}
}

// translated returns a marker with equations in the grammar of this package. It omits equations without a matching
// argument.
func (r Registry) translated(name string, equations []Argument) (text string, ok bool) {
	if len(equations) == 0 {
		return "", false
	}
	begin := name[:strings.LastIndexByte(name, ':')]
	i := slices.IndexFunc(r, func(d Definition) bool {
		return d.Name == begin || strings.HasPrefix(d.Name, begin+":") && slices.ContainsFunc(equations, func(a Argument) bool { return a.Name+"="+a.Value.Text == d.Elsewhere })
	})
	if i < 0 {
		return "", false
	}
	_, parameters := r[i].New()
	var arguments []string
	for _, e := range equations {
		if p, ok := findParameter(parameters, e.Name); ok {
			arguments = append(arguments, p.written(e.Value))
		}
	}
	if len(arguments) == 0 {
		return "", false
	}
	return fmt.Sprintf("+%s(%s)", r[i].Name, strings.Join(arguments, ", ")), true
}

// markerWithArgument returns the marker with an argument of that name if exactly one other marker of the prefix has it.
func (r Registry) markerWithArgument(m Marker) (text string, ok bool) {
	last := strings.LastIndexByte(m.Name, ':')
	if last < 0 || m.Value == nil {
		return "", false
	}
	for _, d := range r {
		if !strings.HasPrefix(d.Name, m.Name[:last+1]) {
			continue
		}
		_, parameters := d.New()
		if p, known := findParameter(parameters, m.Name[last+1:]); known {
			if ok {
				return "", false
			}
			text, ok = fmt.Sprintf("+%s(%s)", d.Name, p.written(*m.Value)), true
		}
	}
	return text, ok
}

// findParameter returns the parameter with a name, here or in other tools.
func findParameter(parameters []Parameter, name string) (Parameter, bool) {
	i := slices.IndexFunc(parameters, func(p Parameter) bool {
		return name != "" && (p.Name == name || slices.ContainsFunc(p.Elsewhere, func(e string) bool { return strings.EqualFold(e, name) }))
	})
	if i < 0 {
		return Parameter{}, false
	}
	return parameters[i], true
}

// written returns the argument with a value in marker syntax.
func (p Parameter) written(v Value) string {
	text := strings.Trim(v.Text, "{}")
	if text != v.Text {
		text = strings.ReplaceAll(text, ",", ";") // controller-gen also separates list elements with commas
	}
	if seconds := withoutUnit(text); seconds != "" && !v.Quoted {
		text = seconds
	}
	if strings.HasPrefix(p.Type.Name, "list") {
		return p.Name + ": " + strconv.Quote(cmp.Or(text, p.Type.Empty))
	}
	return p.Name + ": " + quoted(text)
}

func (d Definition) decode(m Marker) (any, diag.List) {
	target, parameters := d.New()
	var diags diag.List
	given := map[string]diag.Range{}
	set := func(name string, nameAt diag.Range, v Value) {
		i := slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
		if i < 0 {
			diags.Add(d.unknownArgument(name, nameAt, v, parameters))
		} else if at, ok := given[name]; ok {
			diags.Add(diag.Errorf(nameAt, RuleRepeated, "argument %q is given twice", name).WithRelated(at, "the first is here"))
		} else {
			given[name] = nameAt
			diags.Add(parameters[i].Type.set(v)...)
		}
	}
	for _, a := range m.Arguments {
		if a.Name == "" {
			diags.Add(diag.Errorf(a.Value.Range, RuleArgument, "an argument needs its name").WithHint("write +%s(name: value)", d.Name))
			continue
		}
		set(a.Name, a.NameAt, a.Value)
	}
	if m.Value != nil {
		set("", m.Value.Range, *m.Value)
	}
	for _, p := range parameters {
		if _, ok := given[p.Name]; p.Required && !ok {
			what := "a value"
			if p.Name != "" {
				what = fmt.Sprintf("the argument %q", p.Name)
			}
			diags.Add(diag.Errorf(m.Range, RuleMissing, "+%s needs %s", d.Name, what).WithHint("for example %s", d.Example))
		}
	}
	return target, diags
}

func (d Definition) unknownArgument(name string, at diag.Range, v Value, parameters []Parameter) diag.Diagnostic {
	if name == "" {
		return diag.Errorf(at, RuleArgument, "+%s takes no value after an equals sign", d.Name)
	}
	var names []string
	for _, p := range parameters {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	bad := diag.Errorf(at, RuleArgument, "+%s has no argument %q", d.Name, name)
	if p, ok := findParameter(parameters, name); ok {
		return bad.WithHint("write %s", p.written(v))
	}
	if len(names) == 0 {
		return bad.WithHint("it takes no arguments")
	}
	return bad.WithHint("it takes %s", strings.Join(names, ", ")).WithNearest(name, names)
}
