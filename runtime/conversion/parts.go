// SPDX-License-Identifier: Apache-2.0

package conversion

import "strings"

// TextPart is a text in a struct that is a part of another text: see Part and PointerPart.
type TextPart interface{ part() part }

// part reads and writes a text. The other text has a word for no part.
type part struct {
	word  string
	read  func() (text string, has bool)
	write func(text string)
}

func (p part) part() part { return p }

// Part makes a part of a text. Empty text is no part; word is what the other text then has.
func Part[T ~string](p *T, word string) TextPart {
	return part{word, func() (string, bool) { return string(*p), *p != "" }, func(text string) { *p = T(text) }}
}

// PointerPart makes a part of a pointer to a text. Nil is no part; word is what the other text then has.
func PointerPart[T ~string](p **T, word string) TextPart {
	read := func() (text string, has bool) {
		if *p != nil {
			text = string(**p)
		}
		return text, *p != nil
	}
	return part{word, read, func(text string) { *p = Pointer(T(text)) }}
}

// CutParts sets the parts of a text. layout is the text with {} for each part: "{}/{}". A text of another form sets
// nothing, as does empty text. A part contains none of the layout's text beside it. If all parts are absent, the first
// is set to its word.
func CutParts[S ~string](src S, layout string, parts ...TextPart) {
	texts, ok := cutParts(string(src), strings.Split(layout, "{}"))
	if src == "" || !ok {
		return
	}
	none := true
	for i, p := range parts {
		if texts[i] != p.part().word {
			p.part().write(texts[i])
			none = false
		}
	}
	if none && texts[0] != "" {
		parts[0].part().write(texts[0])
	}
}

// JoinParts is the inverse of CutParts. Without any part it sets nothing, as it does with parts that CutParts would not
// find again.
func JoinParts[D ~string](dst *D, layout string, parts ...TextPart) {
	between := strings.Split(layout, "{}")
	var b strings.Builder
	b.WriteString(between[0])
	texts, some := make([]string, len(parts)), false
	for i, p := range parts {
		text, has := p.part().read()
		if !has {
			text = p.part().word
		}
		texts[i], some = text, some || has
		b.WriteString(text)
		b.WriteString(between[i+1])
	}
	found, ok := cutParts(b.String(), between)
	for i := range found {
		ok = ok && found[i] == texts[i]
	}
	if some && ok {
		*dst = D(b.String())
	}
}

// cutParts returns the parts between some texts. The first and the last of these texts may be empty.
func cutParts(text string, between []string) (parts []string, ok bool) {
	last := len(between) - 1
	if text, ok = strings.CutPrefix(text, between[0]); !ok {
		return nil, false
	}
	if text, ok = strings.CutSuffix(text, between[last]); !ok {
		return nil, false
	}
	for i, next := range between[1:] {
		part := text
		if i+1 < last {
			if part, text, ok = strings.Cut(text, next); !ok {
				return nil, false
			}
		}
		if before := between[i]; before != "" && strings.Contains(part, before) || next != "" && strings.Contains(part, next) {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, true
}
