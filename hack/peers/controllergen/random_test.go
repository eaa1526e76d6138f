// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// randomCases is how many sources TestRandom writes, each from its number as the seed.
const randomCases = 300

// TestRandom compares the commands on made-up sources: markers in every place of a comment, with values of every form.
// From most sources, controller-gen prints a manifest.
func TestRandom(t *testing.T) {
	dir := t.TempDir()
	layOut(t, dir, nil)
	outcomes := make(chan outcome, randomCases)
	t.Run("sources", func(t *testing.T) {
		for seed := range randomCases {
			pkg := fmt.Sprintf("p%d", seed)
			src := newSource(uint64(seed)).file(pkg)
			writeFile(t, filepath.Join(dir, pkg, pkg+".go"), []byte(src))
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				outcomes <- compare(t, dir, "./"+pkg)
				if t.Failed() {
					t.Logf("the source:\n%s", src)
				}
			})
		}
	})
	close(outcomes)
	prints, fails, webhooks := 0, 0, 0
	for o := range outcomes {
		if o.code != 0 {
			fails++
		} else if o.manifest != "" {
			prints++
			webhooks += strings.Count(o.manifest, "admissionReviewVersions:")
		}
	}
	t.Logf("of %d sources controller-gen printed %d manifests with %d webhooks, and refused %d", randomCases, prints, webhooks, fails)
	if prints < randomCases/2 || fails < randomCases/20 {
		t.Error("the sources are not what they should be")
	}
}

// source writes Go at random.
type source struct {
	*rand.Rand
	strings.Builder
	names  int
	strict bool // every value is one that controller-gen takes
}

func newSource(seed uint64) *source {
	s := &source{Rand: rand.New(rand.NewPCG(seed, 1))}
	s.strict = s.IntN(4) > 0
	return s
}

func (s *source) line(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *source) name() string {
	s.names++
	return fmt.Sprintf("x%d", s.names)
}

func (s *source) pick(from ...string) string { return from[s.IntN(len(from))] }

func (s *source) chance(percent int) bool { return s.IntN(100) < percent }

func (s *source) file(pkg string) string {
	s.comments()
	s.line("package %s%s", pkg, s.behind())
	s.comments()
	for range s.IntN(3) {
		s.imports()
		s.comments()
	}
	for range 1 + s.IntN(6) {
		s.declaration()
		s.comments()
	}
	return s.String()
}

// comments writes some comment groups, or none.
func (s *source) comments() {
	for range s.IntN(4) {
		for range 1 + s.IntN(2) {
			s.comment()
		}
		if s.chance(70) {
			s.line("")
		}
	}
}

func (s *source) comment() {
	switch s.IntN(6) {
	case 0:
		s.line("// text")
	case 1:
		s.line("/* %s */", s.blockMarker())
	case 2:
		s.line("/*\n%s\n*/", s.blockMarker())
	default:
		s.line("%s%s", s.pick("//", "// ", "//\t", "//  "), s.marker())
	}
}

// blockMarker returns a marker that does not end a comment.
func (s *source) blockMarker() string { return strings.ReplaceAll(s.marker(), "*/", "*") }

// behind returns a comment for the end of a line, or none.
func (s *source) behind() string {
	if s.chance(25) {
		return " // " + s.marker()
	}
	return ""
}

func (s *source) imports() {
	if s.chance(50) {
		s.line("import _ %q%s", "fmt", s.behind())
		return
	}
	s.line("import (")
	s.comments()
	s.line("_ %q%s", "os", s.behind())
	s.comments()
	s.line(")%s", s.behind())
}

func (s *source) declaration() {
	switch s.IntN(9) {
	case 0:
		s.line("var %s = 1%s", s.name(), s.behind())
	case 1:
		s.group("var", func() { s.line("%s int%s", s.name(), s.behind()) })
	case 2:
		s.group("const", func() { s.line("%s = 1%s", s.name(), s.behind()) })
	case 3:
		s.line("var %s = func() {", s.name())
		s.statements()
		s.line("}%s", s.behind())
	case 4, 5:
		s.typeDeclaration()
	case 6:
		s.group("type", s.typeSpec)
	case 7:
		s.line("func %s%s(a int, /* text */ b int) {", s.name(), s.pick("", "[T any]"))
		s.statements()
		s.line("}%s", s.behind())
	case 8:
		name := s.name()
		s.line("type %s int", name)
		s.comments()
		s.line("func (%s) m() {", name)
		s.statements()
		s.line("}%s", s.behind())
	}
}

func (s *source) group(keyword string, spec func()) {
	s.line("%s (", keyword)
	for range s.IntN(4) {
		s.comments()
		spec()
	}
	s.comments()
	s.line(")%s", s.behind())
}

func (s *source) typeDeclaration() {
	s.WriteString("type ")
	if s.chance(10) {
		s.line("")
		s.comments()
	}
	s.typeSpec()
}

func (s *source) typeSpec() {
	name := s.name()
	switch s.IntN(5) {
	case 0:
		s.line("%s int%s", name, s.behind())
	case 1:
		s.line("%s = string%s", name, s.behind())
	case 2:
		s.line("%s interface {", name)
		s.comments()
		s.line("m()%s", s.behind())
		s.comments()
		s.line("}%s", s.behind())
	default:
		s.line("%s%s struct {", name, s.pick("", "[T any]"))
		for range s.IntN(3) {
			s.comments()
			s.line("%s %s%s", s.name(), s.pick("int", "struct{ a /* text */ int }", "map[string]struct {\n// text\nb int\n}"), s.behind())
		}
		s.comments()
		s.line("}%s", s.behind())
	}
}

func (s *source) statements() {
	for range s.IntN(4) {
		s.comments()
		switch s.IntN(4) {
		case 0:
			s.line("var _ = 1%s", s.behind())
		case 1:
			s.typeDeclaration()
		case 2:
			s.group("type", s.typeSpec)
		case 3:
			s.line("if true {%s", s.behind())
			s.comments()
			s.line("}%s", s.behind())
		}
	}
	s.comments()
}

// marker returns a marker, mostly of a webhook with a name of its own.
func (s *source) marker() string {
	if s.chance(3) {
		return s.pick("+kubebuilder:object:root=true", "+optional", "+kubebuilder:webhok:name=x", "+kubebuilder:webhook:")
	}
	arguments := []string{
		"name=" + s.name() + ".example.com",
		"mutating=" + s.pick("true", "false"),
		"failurePolicy=" + s.pick("fail", "Ignore", `"fail"`, "bogus"),
		"sideEffects=" + s.pick("None", "noneOnDryRun", "`none`"),
		"groups=" + s.list("apps", "core", `""`, "*", "`batch`"),
		"versions=" + s.list("v1", "v1beta1", "*", `"v1"`),
		"resources=" + s.list("pods", "pods/status", "*/scale", `"pods"`, "1"),
		"verbs=" + s.list("create", "UPDATE", "delete", "*", "bogus"),
		"admissionReviewVersions=" + s.list("v1", "v1beta1", `"v1"`),
		s.pick("path=/p", `path="/p,q"`, "path=/p q", "url=https://example.com", "url=\"https://example.com/?a=b,c\""),
	}
	optional := []string{
		"matchPolicy=" + s.pick("exact", "Equivalent", `""`),
		"timeoutSeconds=" + s.pick("1", "30", "0", "4294967301"),
		"reinvocationPolicy=" + s.pick("never", "IfNeeded", "bogus"),
		"serviceName=" + s.pick("svc", `""`, "a b"),
		"serviceNamespace=ns",
		"servicePort=" + s.pick("443", "-1", "99999999"),
		"webhookVersions=" + s.pick("v1", "{v1,v1}", "{}"),
		"patch=" + s.pick("`{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"b\"}}}`", `"{\"timeoutSeconds\":7}"`, "`{\"rules\":null}`",
			"`{\"matchConditions\":[{\"name\":\"c\",\"expression\":\"request.userInfo.username != 'system:serviceaccount:kube-system:garbage-collector' "+
				s.pick("|| object.metadata.name == 'a  b'", "&& 'x' in request.userInfo.groups", "\\n|| true")+"\"}]}`"),
		"name=" + s.name() + ".other.com",
	}
	if !s.strict {
		optional = append(optional, "matchPolicy=bogus", "timeoutSeconds=5s", "timeoutSeconds=31", "nosuch=1", "serviceName=", "serviceName=a ",
			"groups={a;b}", "mutating=yes", "patch={}", "sideEffects=", "path=\"", "webhookVersions=v1beta1", "patch=`{\"a\":null}`")
		if s.chance(5) {
			arguments = arguments[1:]
		}
	}
	for range s.IntN(3) {
		arguments = append(arguments, s.pick(optional...))
	}
	s.Shuffle(len(arguments), func(i, j int) { arguments[i], arguments[j] = arguments[j], arguments[i] })
	return "+kubebuilder:webhook:" + strings.Join(arguments, s.pick(",", ",", ",", ", "))
}

// list writes a list of one to three elements in one of its forms.
func (s *source) list(from ...string) string {
	var elements []string
	for range 1 + s.IntN(3) {
		elements = append(elements, s.pick(from...))
	}
	switch s.IntN(4) {
	case 0:
		return "{" + strings.Join(elements, ",") + "}"
	case 1:
		return "{" + strings.Join(elements, ", ") + "}"
	}
	return strings.Join(elements, ";")
}
