// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// hook is a webhook as its marker declares it.
type hook struct {
	Mutating bool
	// Name is the word or the name that distinguishes several webhooks of a type; it may be empty.
	Name string
	// SideEffects has the value None or NoneOnDryRun, or another value that older API versions accept.
	SideEffects string
	// Allowed are the rules that an allowance beside the marker lets the webhook break.
	Allowed []string
	// Handwritten reports that a +kubebuilder marker declares it.
	Handwritten bool
}

var (
	ownMarker = regexp.MustCompile(`^\+webhook:(mutating|validating|defaults|allow)\(`)
	argument  = regexp.MustCompile("(\\w+):\\s*(\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[\\w.-]+)")
)

const kubebuilder = "+kubebuilder:webhook:"

// markers are the lines of comments that begin with a plus, each with the lines that it runs on over: until its
// parentheses are closed.
func markers(groups []*ast.CommentGroup) []string {
	var found []string
	for _, g := range groups {
		open := false
		for _, c := range g.List {
			text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			switch {
			case open:
				found[len(found)-1] += " " + text
			case strings.HasPrefix(text, "+"):
				found = append(found, text)
			default:
				continue
			}
			_, closed := inside(found[len(found)-1])
			open = !closed && strings.HasPrefix(found[len(found)-1], "+webhook:")
		}
	}
	return found
}

// inside returns the text in the parentheses of a marker, and whether they are closed.
func inside(text string) (arguments string, closed bool) {
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return "", true
	}
	depth, quote := 0, byte(0)
	for i := open; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"', c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return text[open+1 : i], true
			}
		}
	}
	return text[open+1:], false
}

// arguments are the named arguments of a marker of ours, without quotes.
func arguments(text string) map[string]string {
	found := map[string]string{}
	given, _ := inside(text)
	for _, m := range argument.FindAllStringSubmatch(given, -1) {
		found[m[1]] = strings.Trim(m[2], "\"`")
	}
	return found
}

// hooks reads the markers of one declaration. defaults is the sideEffects that the package sets; it may be empty.
func hooks(groups []*ast.CommentGroup, defaults string) []hook {
	var found []hook
	var allowed []map[string]string
	for _, text := range markers(groups) {
		if rest, ok := strings.CutPrefix(text, kubebuilder); ok {
			found = append(found, handwritten(rest))
			continue
		}
		m := ownMarker.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		switch args := arguments(text); m[1] {
		case "allow":
			allowed = append(allowed, args)
		case "mutating", "validating":
			found = append(found, hook{Mutating: m[1] == "mutating", Name: args["name"], SideEffects: class(args["sideEffects"], defaults)})
		}
	}
	for i := range found {
		for _, a := range allowed {
			if found[i].isCalled(a["webhook"]) {
				found[i].Allowed = append(found[i].Allowed, a["rule"])
			}
		}
	}
	return found
}

// isCalled reports whether an allowance that names a webhook means this one: by its name or word, or by the name that
// is derived from it. An allowance without a name means all webhooks.
func (h hook) isCalled(name string) bool {
	word, _, _ := strings.Cut(name, ".")
	return name == "" || h.Name == name || h.Name == word || h.Name == "" && word == map[bool]string{true: "mutate", false: "validate"}[h.Mutating]
}

// class returns the side effects of a marker, in the case of the API; None if neither it nor the package sets any.
func class(own, defaults string) string {
	for _, s := range []string{own, defaults} {
		for _, known := range []string{"None", "NoneOnDryRun", "Some", "Unknown"} {
			if strings.EqualFold(s, known) {
				return known
			}
		}
	}
	return "None"
}

// handwritten reads the arguments of a +kubebuilder:webhook marker.
func handwritten(text string) hook {
	h := hook{Handwritten: true}
	for _, a := range strings.Split(text, ",") {
		switch name, value, _ := strings.Cut(a, "="); name {
		case "mutating":
			h.Mutating = value == "true"
		case "sideEffects":
			h.SideEffects = class(value, "")
		case "name":
			h.Name = value
		}
	}
	return h
}

// defaultSideEffects returns the sideEffects that the comments of a package set for its webhooks.
func defaultSideEffects(files []*ast.File) string {
	for _, f := range files {
		for _, text := range markers(above(f, token.NoPos, f.Name.Pos())) {
			if m := ownMarker.FindStringSubmatch(text); m != nil && m[1] == "defaults" && arguments(text)["sideEffects"] != "" {
				return arguments(text)["sideEffects"]
			}
		}
	}
	return ""
}

// above are the comments between two places of a file.
func above(f *ast.File, after, before token.Pos) []*ast.CommentGroup {
	return slices.DeleteFunc(slices.Clone(f.Comments), func(g *ast.CommentGroup) bool { return g.Pos() <= after || g.End() > before })
}
