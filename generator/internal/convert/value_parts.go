// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// partInLayout is a member in the layout of parts, maybe with a word.
var partInLayout = regexp.MustCompile(`\{([\pL_][\pL\pN_.-]*)(=[^{}]+)?\}`)

// parts plans the conversion between text and a struct whose members are parts of the text.
func (p *valuePlanner) parts(v *Value, layout string, as []string) (*Value, *mismatch) {
	how := Parts{Layout: partInLayout.ReplaceAllLiteralString(layout, "{}")}
	plain, outside, skip := p.around(v, v.Spoke.Kind() != resolve.Struct)
	bad := func(format string, args ...any) *mismatch {
		return &mismatch{rule: RuleConverter, message: fmt.Sprintf(format, args...), hint: "write the members in braces, with text between them: parts:{namespace}/{name}"}
	}
	members, between := partInLayout.FindAllStringSubmatch(layout, -1), strings.Split(how.Layout, "{}")
	switch {
	case !isText(plain):
		return nil, p.misfit(as[0], "text and a struct", v.Spoke, v.Hub)
	case len(as) > 1:
		return nil, bad("nothing can follow the converter parts")
	case len(members) < 2, strings.ContainsAny(strings.Join(between, ""), "{}"):
		return nil, bad("%q is no layout of parts", layout)
	}
	for i, m := range members {
		found, ok := lookup(outside, m[1])
		if !ok || !isText(pointee(found.Last().Type)) || found.pointers() {
			return nil, p.misfit(as[0], fmt.Sprintf("text and a struct with a member %q of text", m[1]), v.Spoke, v.Hub)
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
		how.Parts = append(how.Parts, part)
		skip = withConstants(skip, []Constant{{Member: found}})
	}
	v.Loss[v.Outer.In()] = "texts of another form"
	v.Loss[v.Outer.Out()] = "values that have no such text"
	if hasOthers(outside, nil, skip) {
		v.Loss[v.Outer.Out()] = "values that have no such text, and other members"
	}
	return v.as(how, nil, nil)
}
