// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"fmt"
	"strconv"
	"strings"
	"text/scanner"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// span is a part of a marker's text: from one byte up to, not including, another.
type span struct{ from, to int }

// argument is one argument=value.
type argument struct {
	span
	name   string
	text   string
	items  []item
	number int
	truth  bool
}

// item is a text value or one element of a list.
type item struct {
	span
	text string
}

// fault is a finding about a part of a marker's text.
type fault struct {
	span
	severity diag.Severity
	rule     string
	message  string
	hint     string
}

// parsed is the content of a marker's text.
type parsed struct {
	// arguments are the readable arguments, by name. Of a repeated argument, the last counts.
	arguments map[string]argument
	// meant are the names of the arguments that the author wrote, or meant if misspelt.
	meant map[string]bool
	// faults are in the order of detection.
	faults []fault
	// broken is true if the text after the last fault cannot be split into arguments.
	broken bool
}

// parse reads a marker's arguments, which begin at the byte from.
//
// The grammar is the grammar of sigs.k8s.io/controller-tools/pkg/markers.Definition.Parse, which is defined by the
// tokens of text/scanner. This parser therefore takes tokens from text/scanner in the same modes and the same steps,
// oddities included. The faults contain an Error if, and only if, that function returns an error.
func parse(d definition, marker string, from int) parsed {
	p := &parser{definition: d, marker: marker, base: from}
	p.arguments, p.meant = map[string]argument{}, map[string]bool{}
	p.Init(strings.NewReader(marker[from:]))
	p.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanRawStrings
	p.Error = func(s *scanner.Scanner, message string) {
		p.stop(span{p.offset(s.Position.Offset), len(marker)}, message)
	}
	p.readArguments()
	p.reportMissing()
	return p.parsed
}

type parser struct {
	scanner.Scanner
	definition
	parsed
	marker string
	base   int // offset in marker of the scanner's text
	end    int // end of the last token
}

func (p *parser) offset(inScanner int) int { return p.base + inScanner }

// token is the last token.
func (p *parser) token() span { return span{p.offset(p.Position.Offset), p.end} }

func (p *parser) report(at span, severity diag.Severity, rule, message, hint string) {
	p.faults = append(p.faults, fault{at, severity, rule, message, hint})
}

// stop reports a mistake after which the rest cannot be read. Only the first one counts.
func (p *parser) stop(at span, message string) {
	if !p.broken {
		p.broken = true
		p.report(at, diag.Error, ruleGrammar, message, "")
	}
}

func (p *parser) scan() rune {
	tok := p.Scan()
	p.end = p.offset(p.Position.Offset) + len(p.TokenText())
	return tok
}

// peek returns the next character that is not a blank. It consumes the blanks. If there are any, the text of the last
// token is lost.
func (p *parser) peek() rune {
	for {
		switch next := p.Peek(); next {
		case ' ', '\t', '\n', '\r':
			p.Next()
		default:
			return next
		}
	}
}

// plainDigits makes the scanner read digits like other characters, until the returned function is called.
func (p *parser) plainDigits() (restore func()) {
	mode := p.Mode
	p.Mode &^= scanner.ScanInts | scanner.ScanFloats
	return func() { p.Mode = mode }
}

func (p *parser) expect(want rune, what string) bool {
	if p.scan() == want {
		return true
	}
	if p.token().from == len(p.marker) {
		p.stop(span{len(p.marker), len(p.marker)}, what+" is missing at the end")
	} else {
		p.stop(p.token(), fmt.Sprintf("%s is missing before %q", what, p.TokenText()))
	}
	return false
}

func (p *parser) readArguments() {
	if p.base < len(p.marker) && p.marker[p.base-1] != ':' {
		p.stop(span{p.base - 1, p.base}, "a colon is between the name of this marker and its arguments")
		return
	}
	if p.Peek() == scanner.EOF {
		return
	}
	for p.expect(scanner.Ident, "an argument's name") {
		a := argument{name: p.TokenText(), span: p.token()}
		if !p.expect('=', "an equals sign") {
			return
		}
		if parameter, known := p.parameter(a.name); known {
			p.meant[a.name] = true
			good := p.value(parameter, &a)
			if a.to = p.end; good {
				p.keep(a)
			}
		} else {
			p.unknown(a)
		}
		if p.broken || p.Peek() == scanner.EOF || !p.expect(',', "a comma") {
			return
		}
	}
}

// keep records an argument. It replaces an earlier one of the same name.
func (p *parser) keep(a argument) {
	if earlier, repeated := p.arguments[a.name]; repeated {
		p.report(earlier.span, diag.Warning, ruleRepeated, a.name+" is given twice, and the last one counts", "remove this one")
	}
	p.arguments[a.name] = a
}

// value reads an argument's value. It returns false if the value does not have the parameter's kind.
func (p *parser) value(parameter parameter, a *argument) (good bool) {
	good = true
	switch parameter.kind {
	case textValue:
		a.text = p.text(a.name).text
	case listValue:
		a.items = p.list(a.name)
	case numberValue:
		a.number, good = p.number(a.name)
	case truthValue:
		a.truth, good = p.truth(a.name)
	}
	return good
}

// text reads a string in quotes, or a bare string, which ends at a separator.
//
// It takes the first token of a bare string without looking, so that a separator there becomes part of the string. A
// blank after the string makes peek lose the text of its last token, which is then missing from the result.
func (p *parser) text(of string) item {
	defer p.plainDigits()()
	tok := p.scan()
	start := p.token()
	if tok == scanner.String || tok == scanner.RawString {
		s, err := strconv.Unquote(p.TokenText())
		if err != nil && !p.broken {
			p.stop(start, "this is not a valid Go string")
		}
		return item{start, s}
	}
	for !isSeparator(p.peek()) {
		p.scan()
	}
	written := span{start.from, p.end}
	taken := span{start.from, p.offset(p.Position.Offset) + len(p.TokenText())}
	switch {
	case p.broken:
	case isSeparator(tok) && tok != scanner.EOF:
		p.report(written, diag.Warning, ruleSwallowed,
			fmt.Sprintf("the value of %s is empty, so that controller-gen takes %q for it", of, p.marker[taken.from:taken.to]),
			`write "" or leave the argument out`)
	case taken != written:
		p.report(written, diag.Warning, ruleCut,
			fmt.Sprintf("the blank after this value makes controller-gen cut it down to %q", p.marker[taken.from:taken.to]),
			"remove the blank")
	}
	return item{written, p.marker[taken.from:taken.to]}
}

func isSeparator(r rune) bool { return r == ',' || r == ';' || r == '}' || r == scanner.EOF }

// list reads {a,b} or a;b.
func (p *parser) list(of string) (items []item) {
	if p.peek() == '{' {
		p.scan()
		for next := p.peek(); next != '}' && next != scanner.EOF && !p.broken; next = p.peek() {
			items = append(items, p.text(of))
			if p.peek() == '}' {
				break
			}
			p.expect(',', "a comma")
		}
		if !p.broken {
			p.expect('}', "a closing brace")
		}
		return items
	}
	for next := p.peek(); next != ',' && next != '}' && next != scanner.EOF && !p.broken; next = p.peek() {
		items = append(items, p.text(of))
		if next := p.peek(); next == ',' || next == '}' || next == scanner.EOF {
			break
		}
		p.expect(';', "a comma or a semicolon")
	}
	return items
}

// number reads a whole number. Errors of text/scanner in its digits concern only the number.
func (p *parser) number(of string) (n int, good bool) {
	from, sign, digits := p.end, "", true
	if next := p.Peek(); next == ',' || next == scanner.EOF {
		return 0, p.notOfType(from, 0, of+" is a whole number")
	}
	report := p.Error
	p.Error = func(*scanner.Scanner, string) { digits = false }
	if p.Peek() == '-' {
		p.scan()
		sign = "-"
	}
	tok := p.scan()
	p.Error = report
	n, err := strconv.Atoi(sign + p.TokenText())
	if tok == scanner.Int && digits && err == nil && p.endsValue() {
		return n, true
	}
	p.broken = p.broken || !digits && tok != scanner.Int && tok != scanner.Float
	return 0, p.notOfType(from, tok, of+" is a whole number")
}

func (p *parser) truth(of string) (value, good bool) {
	from := p.end
	if next := p.Peek(); next == ',' || next == scanner.EOF {
		return false, p.notOfType(from, 0, of+" is true or false")
	}
	tok := p.scan()
	word := p.TokenText()
	switch {
	case p.broken:
		return false, false
	case tok == scanner.Ident && (word == "true" || word == "false") && p.endsValue():
		return word == "true", true
	}
	return false, p.notOfType(from, tok, of+" is true or false")
}

// notOfType reports a value of the wrong type and skips it. tok is the last token read. It returns false.
func (p *parser) notOfType(from int, tok rune, wanted string) bool {
	value := p.skipValue(from, tok)
	p.report(value, diag.Error, ruleType, fmt.Sprintf("%s, not %q", wanted, p.marker[value.from:value.to]), "")
	return false
}

// endsValue reports whether the argument's value ends here.
func (p *parser) endsValue() bool {
	next := p.peek()
	return next == ',' || next == scanner.EOF
}

// unknown reports an argument that the marker does not take, and skips its value. The parameter with the most similar
// name does not count as missing.
func (p *parser) unknown(a argument) {
	message := fmt.Sprintf("+%s has no argument %q", p.definition.name, a.name)
	if near, ok := diag.Nearest(a.name, p.names()); ok {
		p.meant[near] = true
		p.report(a.span, diag.Error, ruleUnknown, message, fmt.Sprintf("did you mean %q?", near))
	} else {
		p.report(a.span, diag.Error, ruleUnknown, message, "it takes "+strings.Join(p.names(), ", "))
	}
	p.skipValue(p.end, 0)
}

// skipValue reads to the comma that ends a value of unknown form, which begins at from. It returns the value. tok is
// the last token read.
func (p *parser) skipValue(from int, tok rune) span {
	defer p.plainDigits()()
	depth := 0
	for {
		switch tok {
		case '{':
			depth++
		case '}':
			depth--
		}
		next := p.peek()
		if next == scanner.EOF || next == ',' && depth <= 0 || p.broken {
			break
		}
		tok = p.scan()
	}
	from += len(p.marker[from:]) - len(strings.TrimLeft(p.marker[from:], " \t"))
	return span{from, max(from, p.end)}
}

func (p *parser) reportMissing() {
	var names []string
	for _, parameter := range p.parameters {
		if parameter.required && !p.meant[parameter.name] {
			names = append(names, parameter.name)
		}
	}
	if p.broken || len(names) == 0 {
		return
	}
	p.report(nameOf(p.definition), diag.Error, ruleMissing, fmt.Sprintf("+%s needs %s", p.definition.name, enumerate(names)), "")
}

// nameOf returns the span of the name in a marker of that definition.
func nameOf(d definition) span { return span{0, len("+") + len(d.name)} }

func enumerate(names []string) string {
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}
