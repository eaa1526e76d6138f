// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
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
		switch {
		case isChained(p.lexemes[0]):
			hint = "a marker has a line of its own: begin another line before " + markerName(p.lexemes)
		case m.Value != nil:
			hint = "put quotes around a value that is more than one word"
		}
		p.unexpected(hint)
	}
	if p.bad == nil {
		p.bad = checkWords(lexemes)
	}
	return m, p.bad
}

// equations reads the lexemes of a marker in controller-gen's grammar: name=value{,name=value}. The first name
// follows the last colon of the marker's name. A value is the text up to the next comma.
func equations(lexemes []lexeme) (pairs []Argument, ok bool) {
	name := lexemes[0]
	last := strings.LastIndexByte(name.text, ':')
	if last < 0 || len(lexemes) < 2 || !lexemes[1].is("=") {
		return nil, false
	}
	at := name.Range
	at.Pos.Column += last + 1
	pairs = []Argument{{Name: name.text[last+1:], NameAt: at}}
	for i := 2; i < len(lexemes); i++ {
		l := lexemes[i]
		if l.is(",") && i+2 < len(lexemes) && lexemes[i+1].kind == lexWord && lexemes[i+2].is("=") {
			pairs = append(pairs, Argument{Name: lexemes[i+1].text, NameAt: lexemes[i+1].Range})
			i += 2
			continue
		}
		v := &pairs[len(pairs)-1].Value
		if !v.IsValid() {
			v.Range = l.Range
		}
		v.End = l.End
		v.Text += l.text
	}
	return pairs, !slices.ContainsFunc(pairs, func(a Argument) bool { return !a.Value.IsValid() })
}

type reader struct {
	lexemes []lexeme // the lexemes to read
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
		case next.is("=") && len(p.lexemes) > 1 && !a.Value.Quoted:
			p.unexpected(fmt.Sprintf("write %s: %s", a.Value.Text, quoted(p.lexemes[1].text)))
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

// isChained reports whether a value is a tag itself. codetags accepts such values, and no marker here does.
func isChained(l lexeme) bool {
	return l.kind == lexWord && len(l.text) > 1 && l.text[0] == '+' && !unicode.IsDigit(rune(l.text[1]))
}

// markerName returns the name in a marker's first lexemes.
func markerName(lexemes []lexeme) (name string) {
	for _, l := range lexemes {
		if l.kind != lexWord && !l.is(":") {
			break
		}
		name += l.text
	}
	return name
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

// checkWords checks the parsed marker with codetags. Then every bare word is valid for other readers of the grammar,
// too.
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
	hint := "only words, whole numbers, true and false need no quotes"
	switch text := strings.Trim(culprit.text, "'"); {
	case culprit.kind != lexWord:
	case len(withoutUnit(text)) > 0:
		hint = fmt.Sprintf("a number has no unit: write %s", withoutUnit(text))
	default:
		hint += ": write " + quoted(text)
	}
	return diag.List{diag.Errorf(culprit.Range, RuleSyntax, "unexpected %s", describe(culprit)).WithHint("%s", hint)}
}

// withoutUnit returns the seconds of a duration such as 5s, or "".
func withoutUnit(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil || d%time.Second != 0 {
		return ""
	}
	return strconv.Itoa(int(d / time.Second))
}

// quoted returns a text as an argument's value, in quotes if necessary.
func quoted(text string) string {
	if plainValue.MatchString(text) {
		return text
	}
	if strings.Contains(text, `"`) && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// plainValue matches the words and numbers that codetags accepts without quotes.
var plainValue = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*|-?[0-9]+)$`)

// join returns the lexemes as one line in codetags' dialect: without blanks, and with escapes only for quotes and
// backslashes in strings. ends contains the rune offset of each lexeme's end.
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
