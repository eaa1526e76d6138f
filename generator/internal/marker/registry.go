// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Registry is the set of markers that are known under one prefix.
type Registry []Definition

// Decoded is a marker decoded into its definition's target.
type Decoded struct {
	Placed
	// Target is the result of the definition's New.
	Target any
}

// Decode checks markers of one file against the registry and decodes them. It decodes as much as it can, so that one
// run reports every mistake.
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
		if i < 0 {
			diags.Add(r.unknown(p))
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
			if p.Field != nil {
				k.on = p.Field
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

// Misspelt reports the lines of a file's comments that only resemble a marker of this registry: the prefix has a wrong
// letter or capital, blanks follow the plus sign, or an asterisk precedes it. A webhook would be missing in silence.
// Lines of code in a comment, which begin with a tab, are examples.
func (r Registry) Misspelt(file *ast.File, position func(token.Pos) diag.Position, prefix string) diag.List {
	var diags diag.List
	for _, group := range file.Comments {
		if !mentions(group, "+") {
			continue
		}
		for _, l := range Lines(group, position) {
			begin, end, ok := meant(l.Text, prefix)
			if !ok {
				continue
			}
			_, rest, _ := strings.Cut(l.Text[begin:end], ":")
			name, known := diag.Nearest(rest, r.names(prefix+":"))
			if !known {
				continue
			}
			diags.Add(diag.Errorf(l.Range(begin, end), RuleUnknown, "this is not a marker, and has no effect").
				WithHint("did you mean +%s:%s? A marker begins its line, and its name follows the plus sign", prefix, name))
		}
	}
	return diags
}

// meant finds the name of a misspelt marker in a line, from its plus sign.
func meant(line, prefix string) (begin, end int, ok bool) {
	if _, ok := start(Line{Text: line}, prefix); ok || strings.HasPrefix(line, "\t") {
		return 0, 0, false
	}
	begin = len(line) - len(strings.TrimLeft(line, " */!"))
	after, ok := strings.CutPrefix(line[begin:], "+")
	if !ok {
		return 0, 0, false
	}
	name := strings.TrimLeft(after, " ")
	word, rest, ok := strings.Cut(name, ":")
	behind := strings.TrimLeftFunc(rest, func(r rune) bool { return r == ':' || unicode.IsLetter(r) })
	if !ok || behind == rest || !diag.Resembles(word, prefix) {
		return 0, 0, false
	}
	return begin, len(line) - len(behind), true
}

// names returns the names of the markers behind a prefix.
func (r Registry) names(prefix string) []string {
	names := make([]string, len(r))
	for i, d := range r {
		names[i] = strings.TrimPrefix(d.Name, prefix)
	}
	return names
}

func (r Registry) unknown(p Placed) diag.Diagnostic {
	d := diag.Errorf(p.NameAt, RuleUnknown, "unknown marker +%s", p.Name)
	if near, ok := diag.Nearest(p.Name, r.names("")); ok {
		return d.WithHint("did you mean +%s?", near)
	}
	return d.WithHint("`webhook-gen markers` lists the markers")
}

func (d Definition) decode(m Marker) (any, diag.List) {
	target, parameters := d.New()
	var diags diag.List
	given := map[string]diag.Range{}
	set := func(name string, nameAt diag.Range, v Value) {
		i := slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
		if i < 0 {
			diags.Add(d.unknownArgument(name, nameAt, parameters))
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

func (d Definition) unknownArgument(name string, at diag.Range, parameters []Parameter) diag.Diagnostic {
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
	if len(names) == 0 {
		return bad.WithHint("it takes no arguments")
	}
	return bad.WithHint("it takes %s", strings.Join(names, ", ")).WithNearest(name, names)
}
