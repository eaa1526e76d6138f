// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Parts converts between text and a struct whose members are parts of it. Layout is the text with {} for each part.
type Parts struct {
	Layout string
	Parts  []Part
}

// Part is a member of a struct that is a part of a text.
type Part struct {
	Member Path
	// Word is what the text has for an absent member.
	Word string
}

func (k Parts) String() string {
	text := "parts:" + k.Layout
	for _, part := range k.Parts {
		text += "," + part.Member.String() + "=" + part.Word
	}
	return text
}

func (Parts) matches(c candidate) bool { return c.isNamed("parts") }

// partInLayout is a member in the layout of parts, maybe with a word.
var partInLayout = regexp.MustCompile(`\{([\pL_][\pL\pN_.-]*)(=[^{}]+)?\}`)

func (k Parts) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	layout := as.argument()
	k.Layout = partInLayout.ReplaceAllLiteralString(layout, "{}")
	plain, outside, skip := p.around(v, v.Spoke.Kind() != resolve.Struct)
	bad := func(format string, args ...any) *mismatch {
		return &mismatch{rule: RuleConverter, message: fmt.Sprintf(format, args...), hint: "write the members in braces, with text between them: parts:{namespace}/{name}"}
	}
	members, between := partInLayout.FindAllStringSubmatch(layout, -1), strings.Split(k.Layout, "{}")
	switch {
	case outside.Kind() != resolve.Struct && len(as) > 1:
		return nil, p.single(as)
	case outside.Kind() != resolve.Struct:
		return nil, p.misfit("parts", "text and a struct", v)
	case !plain.IsText():
		return nil, p.misfit(as[0], "text and a struct", v)
	case len(as) > 1:
		return nil, bad("nothing can follow the converter parts")
	case len(members) < 2, strings.ContainsAny(strings.Join(between, ""), "{}"):
		return nil, bad("%q is no layout of parts", layout)
	}
	for i, m := range members {
		found, ok := fields.Lookup(outside, m[1])
		if !ok || !found.Last().Type.Target().IsText() || found.HasPointers() {
			return nil, p.misfit(as[0], fmt.Sprintf("text and a struct with a member %q of text", m[1]), v)
		}
		part := Part{Member: found, Word: strings.TrimPrefix(m[2], "=")}
		switch {
		case skip[found.String()]:
			return nil, bad("the member %s is taken already", m[1])
		case i > 0 && between[i] == "":
			return nil, bad("%q has no text before %s", layout, m[0])
		case between[i] != "" && strings.Contains(part.Word, between[i]), between[i+1] != "" && strings.Contains(part.Word, between[i+1]):
			return nil, bad("the word of %s contains the text beside it", m[0])
		}
		k.Parts = append(k.Parts, part)
		skip = constants{{Member: found}}.addTo(skip)
	}
	v.Loss = sides.Towards(v.Outer, "texts of another form", "values that have no such text")
	if hasOthers(outside, nil, skip) {
		v.Loss[v.Outer.Out()] = "values that have no such text, and other members"
	}
	return v.as(k, nil, nil)
}

func (Parts) content(*valuePlanner, *Value, converters) *content { return nil }
func (Parts) schema(*Schema, *Value, facts)                      {}
func (Parts) bounds(bounds, *Value, Sides[limits.Value], string) {}
func (Parts) expression(Body, *Value, operand) jen.Code          { return nil }

func (k Parts) traits(*Value) traits {
	t := traits{selects: true}
	for _, part := range k.Parts {
		t.members = append(t.members, part.Member)
	}
	return t
}

func (k Parts) emit(b Body, v *Value, src, dst operand) {
	function, text, around := "JoinParts", dst.Address(), src
	if v.Outer == b.To.To() {
		function, text, around = "CutParts", src.Value(), dst
	}
	args := []jen.Code{text, jen.Lit(k.Layout)}
	for _, part := range k.Parts {
		member, _ := around.Down(part.Member)
		name := "Part"
		if part.Member.Last().Type.Elem() != nil {
			name = "PointerPart"
		}
		args = append(args, b.Runtime(name).Call(member.Address(), jen.Lit(part.Word)))
	}
	b.Group.Add(b.Runtime(function)).Call(args...)
}
