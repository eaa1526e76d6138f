// SPDX-License-Identifier: Apache-2.0

package conversion

import "testing"

type schedule struct{ minute, hour, day *string }

func (s *schedule) parts() []TextPart {
	return []TextPart{PointerPart(&s.minute, "*"), PointerPart(&s.hour, "*"), PointerPart(&s.day, "*")}
}

func (s *schedule) String() string {
	text := ""
	for _, p := range []*string{s.minute, s.hour, s.day} {
		if p == nil {
			text += "- "
		} else {
			text += *p + " "
		}
	}
	return text
}

// TestParts cuts texts and joins the parts again. A text of another form sets nothing.
func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		"5 * 1": "5 - 1 ", "* * *": "* - - ", "* 2 *": "- 2 - ",
		"": "- - - ", "@hourly": "- - - ", "1 2": "- - - ", "1 2 3 4": "- - - ", "1  3": "1  3 ",
	} {
		var s schedule
		CutParts(text, "{} {} {}", s.parts()...)
		if got := s.String(); got != want {
			t.Errorf("%q has the parts %q, want %q", text, got, want)
		}
		back := ""
		if JoinParts(&back, "{} {} {}", s.parts()...); back != text && back != "" || back == "" && s != (schedule{}) {
			t.Errorf("%q becomes %q", text, back)
		}
	}
	s := schedule{hour: Pointer("1 2")}
	joined := ""
	if JoinParts(&joined, "{} {} {}", s.parts()...); joined != "" {
		t.Errorf("a part with a blank is in %q", joined)
	}
}

func TestPartsOfValues(t *testing.T) {
	type name string
	for text, want := range map[string][2]name{
		"id://a/b": {"a", "b"}, "id://a/": {"a", ""}, "id:///b": {"", "b"},
		"a/b": {}, "id://a": {}, "id://a/b/c": {}, "id:///": {},
	} {
		var got [2]name
		CutParts(text, "id://{}/{}", Part(&got[0], ""), Part(&got[1], ""))
		if got != want {
			t.Errorf("%q has the parts %q, want %q", text, got, want)
		}
		var back name
		if JoinParts(&back, "id://{}/{}", Part(&got[0], ""), Part(&got[1], "")); want != [2]name{} && string(back) != text {
			t.Errorf("%q becomes %q", text, back)
		}
	}
	for text, want := range map[string]string{"[a-b]": "a b", "[a-b": "", "a-b]": "", "[": "", "[a-b-c]": ""} {
		var a, b string
		if CutParts(text, "[{}-{}]", Part(&a, ""), Part(&b, "")); want == "" && a+b != "" || want != "" && a+" "+b != want {
			t.Errorf("%q has the parts %q and %q", text, a, b)
		}
	}
}
