// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/gengo/v2/codetags"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// parse reads the lexemes of one marker:
//
//	marker   = name [ "(" [ argument { "," argument } ] ")" ] [ "=" value ]
//	argument = [ word ":" ] value
//	value    = word | string
//
// This is codetags' grammar without the forms that codetags only tolerates (a comma before the closing parenthesis, a
// name without a value, two names). Package codetags decides which words are valid.
func parse(lexemes []lexeme) (Marker, diag.List) {
	p := reader{lexemes: lexemes[1:], last: lexemes[0]}
	m := Marker{
		Range:  diag.Range{Pos: lexemes[0].Pos, End: lexemes[len(lexemes)-1].End},
		Name:   lexemes[0].text,
		NameAt: lexemes[0].Range,
	}
	m.Pos.Column-- // the +
	if p.take("(") && !p.take(")") {
		for {
			m.Arguments = append(m.Arguments, p.argument())
			if p.bad != nil || !p.take(",") {
				break
			}
		}
		if p.bad == nil && !p.take(")") {
			hint := "only words, whole numbers, true and false need no quotes; a list is one string: \"a;b\""
			if len(p.lexemes) > 1 && p.lexemes[1].text == ":" {
				hint = "put a comma before it"
			}
			p.unexpected(hint)
		}
	}
	if p.bad == nil && p.take("=") {
		v := p.value()
		m.Value = &v
	}
	if p.bad == nil && len(p.lexemes) > 0 {
		hint := fmt.Sprintf(`arguments are in parentheses: +%s(name: "value")`, m.Name)
		if m.Value != nil {
			hint = "put quotes around a value that is more than one word"
		}
		p.unexpected(hint)
	}
	if p.bad == nil {
		p.bad = checkWords(lexemes)
	}
	return m, p.bad
}

type reader struct {
	lexemes []lexeme // the lexemes still to be read
	last    lexeme   // the lexeme read last
	bad     diag.List
}

func (p *reader) take(punct string) bool {
	if len(p.lexemes) == 0 || !p.lexemes[0].is(punct) {
		return false
	}
	p.next()
	return true
}

func (p *reader) next() lexeme {
	p.last, p.lexemes = p.lexemes[0], p.lexemes[1:]
	return p.last
}

func (p *reader) argument() Argument {
	var a Argument
	if len(p.lexemes) > 1 && p.lexemes[0].kind == lexWord && p.lexemes[1].is(":") {
		name := p.next()
		a.Name, a.NameAt = name.text, name.Range
		p.next()
	}
	a.Value = p.value()
	if p.bad == nil && len(p.lexemes) > 0 {
		switch next := p.lexemes[0]; {
		case next.is("="):
			p.unexpected("arguments are written name: value")
		case next.is(":"):
			p.unexpected("put quotes around a value that holds a colon")
		}
	}
	return a
}

func (p *reader) value() Value {
	if len(p.lexemes) == 0 || p.lexemes[0].kind == lexPunct || isChained(p.lexemes[0]) {
		p.bad.Add(diag.Errorf(p.last.Range, RuleSyntax, "a value is missing after %s", describe(p.last)))
		return Value{}
	}
	l := p.next()
	return Value{Range: l.Range, Text: l.text, Quoted: l.kind == lexString, positions: l.positions}
}

// isChained reports a value that is itself a tag, which codetags knows and no marker here takes.
func isChained(l lexeme) bool {
	return l.kind == lexWord && len(l.text) > 1 && l.text[0] == '+' && !unicode.IsDigit(rune(l.text[1]))
}

func (p *reader) unexpected(hint string) {
	p.bad.Add(diag.Errorf(p.lexemes[0].Range, RuleSyntax, "unexpected %s", describe(p.lexemes[0])).WithHint("%s", hint))
}

func describe(l lexeme) string {
	if l.kind == lexString {
		return "string"
	}
	return fmt.Sprintf("%q", l.text)
}

var codetagsPosition = regexp.MustCompile(`at position (\d+)`)

// checkWords asks codetags whether it takes the marker as parsed, in which case every bare
// word is one that other readers of the grammar take too.
func checkWords(lexemes []lexeme) diag.List {
	line, ends := join(lexemes)
	_, err := codetags.Parse(line)
	if err == nil {
		return nil
	}
	culprit := lexemes[len(lexemes)-1]
	if match := codetagsPosition.FindStringSubmatch(err.Error()); match != nil {
		position, _ := strconv.Atoi(match[1])
		if i := slices.IndexFunc(ends, func(end int) bool { return position <= end }); i >= 0 {
			culprit = lexemes[i]
		}
	}
	return diag.List{diag.Errorf(culprit.Range, RuleSyntax, "unexpected %s", describe(culprit)).
		WithHint("only words, whole numbers, true and false need no quotes; a list is one string: \"a;b\"")}
}

// join writes the lexemes as one line in codetags' dialect: no blanks, and strings with no escapes but of
// quote and backslash. ends holds the rune offset at which each lexeme ends.
func join(lexemes []lexeme) (line string, ends []int) {
	var b strings.Builder
	runes := 0
	for _, l := range lexemes {
		text := l.text
		if l.kind == lexString {
			text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
		}
		b.WriteString(text)
		runes += utf8.RuneCountInString(text)
		ends = append(ends, runes)
	}
	return b.String(), ends
}
