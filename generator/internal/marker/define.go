// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Definition declares a marker. Decoding, errors, help and documentation use it.
type Definition struct {
	// Name is the name without the +.
	Name string
	// On are the declarations that accept the marker.
	On Declaration
	// Repeatable is true if a declaration may have the marker several times.
	Repeatable bool
	// Doc describes the marker's purpose. Its first sentence is the summary.
	Doc string
	// Example is a valid marker.
	Example string
	// Elsewhere is an equation, such as "mutating=true", that selects this marker for Marker.Equations if several
	// markers share the prefix.
	Elsewhere string
	// New returns a target for one decoded marker, and the parameters that decode into it.
	New func() (target any, parameters []Parameter)
}

// Parameter declares an argument of a marker or, without a name, its value after the equals sign.
type Parameter struct {
	Name string
	// Elsewhere are the argument's names in markers of other tools.
	Elsewhere []string
	Type      Type
	Required  bool
	// Default is the value without the argument, or a description of the behaviour.
	Default string
	Doc     string
}

// Type decodes a value into a variable, like the flag package.
type Type struct {
	// Name describes the type: "string", "list", "1..30", "Fail | Ignore".
	Name string
	// Words are the possible values, if the list is fixed.
	Words []string
	// Empty is the word for an empty list element, if the list accepts one.
	Empty string
	set   func(Value) diag.List
}

// String returns a type that decodes any text.
func String(f *diag.Sourced[string]) Type {
	return Type{Name: "string", set: func(v Value) diag.List {
		*f = diag.Sourced[string]{V: v.Text, At: v.Range, Part: v.Part}
		return nil
	}}
}

// Int returns a type that decodes a whole number from low to high.
func Int(f *diag.Sourced[int], low, high int) Type {
	name := fmt.Sprintf("%d..%d", low, high)
	return Type{Name: name, set: func(v Value) diag.List {
		n, err := strconv.ParseInt(v.Text, 0, 64)
		if v.Quoted || err != nil {
			bad := diag.Errorf(v.Range, RuleValue, "%q is not a whole number in the range %s", v.Text, name)
			if number := withoutUnit(v.Text); number != "" {
				return diag.List{bad.WithHint("write %s", number)}
			} else if err == nil {
				return diag.List{bad.WithHint("write %s without quotes", v.Text)}
			}
			return diag.List{bad}
		}
		if n < int64(low) || n > int64(high) {
			return wrong(v.Range, "%d is not in the range %s", n, name)
		}
		*f = diag.Sourced[int]{V: int(n), At: v.Range}
		return nil
	}}
}

// Bool returns a type that decodes true or false.
func Bool(f *diag.Sourced[bool]) Type {
	return Type{Name: "true | false", Words: []string{"true", "false"}, set: func(v Value) diag.List {
		if v.Quoted || v.Text != "true" && v.Text != "false" {
			return wrong(v.Range, "%q is neither true nor false", v.Text)
		}
		*f = diag.Sourced[bool]{V: v.Text == "true", At: v.Range}
		return nil
	}}
}

// Enum returns a type that decodes one of the words. It ignores case, and stores the word as declared.
func Enum(f *diag.Sourced[string], words ...string) Type {
	return Type{Name: strings.Join(words, " | "), Words: words, set: func(v Value) diag.List {
		word, bad := oneOf(v.Text, v.Range, words)
		if bad != nil {
			return bad
		}
		*f = diag.Sourced[string]{V: word, At: v.Range}
		return nil
	}}
}

// List returns a type that decodes names separated by semicolons. With words, each name must be one of them.
func List(f *diag.Sourced[[]string], words ...string) Type {
	t := Texts(f, words...)
	set := t.set
	t.set = func(v Value) diag.List {
		if i := strings.IndexAny(v.Text, ",|"); i >= 0 {
			elements := strings.FieldsFunc(v.Text, func(r rune) bool { return strings.ContainsRune(",|; ", r) })
			return diag.List{diag.Errorf(v.Part(i, i+1), RuleValue, "semicolons separate the elements of a list, not %q", v.Text[i:i+1]).
				WithHint("write %q", strings.Join(elements, ";"))}
		}
		return set(v)
	}
	return t
}

// Elements returns a List with a check of each element. The check returns the problem and its remedy.
func Elements(f *diag.Sourced[[]string], check func(element string) (problem, remedy string)) Type {
	t := List(f)
	set := t.set
	t.set = func(v Value) (diags diag.List) {
		if diags = set(v); len(diags) > 0 {
			return diags
		}
		for i, element := range f.V {
			if problem, remedy := check(element); problem != "" {
				diags.Add(diag.Errorf(f.Each[i], RuleValue, "%s", problem).WithHint("%s", remedy))
			}
		}
		return diags
	}
	return t
}

// WithEmpty returns a list type with a word for an empty element.
func (t Type) WithEmpty(word string) Type {
	set := t.set
	t.Empty = word
	t.set = func(v Value) diag.List {
		elements := strings.Split(v.Text, ";")
		empty := false
		for i, e := range elements {
			if elements[i] = strings.TrimSpace(e); elements[i] == "" {
				elements[i], empty = word, true
			}
		}
		if empty {
			return diag.List{diag.Errorf(v.Range, RuleValue, "the list has an empty element").WithHint("write %q", strings.Join(elements, ";"))}
		}
		return set(v)
	}
	return t
}

// Texts returns a List whose elements may contain other separators.
func Texts(f *diag.Sourced[[]string], words ...string) Type {
	name := "list"
	if len(words) > 0 {
		name = "list of " + strings.Join(words, " | ")
	}
	return Type{Name: name, Words: words, set: func(v Value) diag.List {
		list := diag.Sourced[[]string]{At: v.Range}
		var diags diag.List
		from := 0
		for piece := range strings.SplitSeq(v.Text, ";") {
			word := strings.TrimSpace(piece)
			begin := from + strings.Index(piece, word)
			at := v.Part(begin, begin+len(word))
			from += len(piece) + len(";")
			if len(words) > 0 && word != "" {
				var bad diag.List
				if word, bad = oneOf(word, at, words); bad != nil {
					diags.Add(bad...)
					continue
				}
			}
			switch {
			case word == "":
				diags.Add(wrong(v.Range, "the list has an empty element")...)
				continue
			case slices.Contains(list.V, word):
				diags.Add(wrong(at, "%q is twice in the list", word)...)
				continue
			}
			list.V, list.Each = append(list.V, word), append(list.Each, at)
		}
		if len(diags) == 0 {
			*f = list
		}
		return diags
	}}
}

// Func returns a type that decodes a text with parse. It reports an error at the position of the text.
func Func[T any](f *diag.Sourced[T], name string, parse func(string) (T, error)) Type {
	return Type{Name: name, set: func(v Value) diag.List {
		parsed, err := parse(v.Text)
		if err != nil {
			bad := wrong(v.Range, "%s", err)
			if r := (*remedied)(nil); errors.As(err, &r) {
				bad[0] = bad[0].WithHint("%s", r.remedy)
			}
			return bad
		}
		*f = diag.Sourced[T]{V: parsed, At: v.Range}
		return nil
	}}
}

// Doubt is a part of a valid value that is probably a mistake.
type Doubt struct {
	// Begin and End are the offsets of the part in the value's text.
	Begin, End    int
	Message, Hint string
}

// Doubted returns a type that also searches its values for doubts. They are warnings of the rule.
func (t Type) Doubted(rule string, doubts func(text string) []Doubt) Type {
	set := t.set
	t.set = func(v Value) diag.List {
		diags := set(v)
		if diags.HasErrors() {
			return diags
		}
		for _, d := range doubts(v.Text) {
			found := diag.Errorf(v.Part(d.Begin, d.End), rule, "%s", d.Message).WithHint("%s", d.Hint)
			found.Severity = diag.Warning
			diags.Add(found)
		}
		return diags
	}
	return t
}

// Remedied adds a remedy to an error of Func.
func Remedied(err error, format string, args ...any) error {
	return &remedied{err, fmt.Sprintf(format, args...)}
}

type remedied struct {
	error
	remedy string
}

func oneOf(text string, at diag.Range, words []string) (string, diag.List) {
	for _, w := range words {
		if strings.EqualFold(w, text) {
			return w, nil
		}
	}
	return "", diag.List{diag.Errorf(at, RuleValue, "%q is not one of %s", text, strings.Join(words, ", ")).WithNearest(text, words)}
}

func wrong(at diag.Range, format string, args ...any) diag.List {
	return diag.List{diag.Errorf(at, RuleValue, format, args...)}
}
