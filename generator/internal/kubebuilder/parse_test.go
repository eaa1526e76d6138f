// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// say prints arguments as name=value@from-to in the order of their definition; lists in brackets.
func say(d definition, p parsed) string {
	var arguments []string
	for _, parameter := range d.parameters {
		a, ok := p.arguments[parameter.name]
		if !ok {
			continue
		}
		value := fmt.Sprintf("%q", a.text)
		switch parameter.kind {
		case numberValue:
			value = fmt.Sprint(a.number)
		case truthValue:
			value = fmt.Sprint(a.truth)
		case listValue:
			var items []string
			for _, i := range a.items {
				items = append(items, fmt.Sprintf("%q@%d-%d", i.text, i.from, i.to))
			}
			value = "[" + strings.Join(items, " ") + "]"
		}
		arguments = append(arguments, fmt.Sprintf("%s=%s@%d-%d", a.name, value, a.from, a.to))
	}
	return strings.Join(arguments, " ")
}

// TestParse reads the arguments after a marker's name. Offsets are relative to the arguments. hack/peers compares the
// accepted inputs with controller-gen.
func TestParse(t *testing.T) {
	for _, test := range []struct{ arguments, said, faults string }{
		{"name=a", `name="a"@0-6`, ""},
		{"name=a,path=/b", `name="a"@0-6 path="/b"@7-14`, ""},
		{" name = a b , path = /b", `name="a "@1-11 path="/b"@14-23`, "8-11 K10"},
		{`name="a,b\t"`, "name=\"a,b\\t\"@0-12", ""},
		{"name=`a,b\\t`,path=/b", `name="a,b\\t"@0-12 path="/b"@13-20`, ""},
		{`name="a" ,path=/b`, `name="a"@0-8 path="/b"@10-17`, ""},
		{`name=a"b,c"d`, `name="a\"b,c\"d"@0-12`, ""},
		{"name=é,path=ü", `name="é"@0-7 path="ü"@8-15`, ""},
		{"name=08.1e5", `name="08.1e5"@0-11`, ""},
		{"name=", `name=""@0-5`, ""},
		{"name=,path=/b", `name=",path=/b"@0-13`, "5-13 K9"},
		{"name=;x,path=/b", `name=";x"@0-7 path="/b"@8-15`, "5-7 K9"},
		{"path=/a ,name=b", `name="b"@9-15 path="/"@0-7`, "5-7 K10"},
		{"name=a ,path=/b", `name=""@0-6 path="/b"@8-15`, "5-6 K10"},

		{"groups=a;b", `groups=["a"@7-8 "b"@9-10]@0-10`, ""},
		{"groups={a,b}", `groups=["a"@8-9 "b"@10-11]@0-12`, ""},
		{`groups={ "a" , b,}`, `groups=["a"@9-12 "b"@15-16]@0-18`, ""},
		{"groups=,name=a", `name="a"@8-14 groups=[]@0-7`, ""},
		{"groups={}", `groups=[]@0-9`, ""},
		{"groups=a;", `groups=["a"@7-8]@0-9`, ""},
		{"groups=a;;b", `groups=["a"@7-8 ";b"@9-11]@0-11`, "9-11 K9"},
		{"groups={a , b}", `groups=[""@8-9 "b"@12-13]@0-14`, "8-9 K10"},
		{"groups={a;b}", "groups=[\"a\"@8-9]@0-10", "9-10 K4 a comma is missing before \";\""},
		{"groups={a", `groups=["a"@8-9]@0-9`, "9-9 K4 a comma is missing at the end"},
		{"groups={a}b", `groups=["a"@8-9]@0-10`, "10-11 K4 a comma is missing before \"b\""},

		{"timeoutSeconds=5", "timeoutSeconds=5@0-16", ""},
		{"timeoutSeconds=-5 ,name=a", `name="a"@19-25 timeoutSeconds=-5@0-17`, ""},
		{"timeoutSeconds=5s,name=a", `name="a"@18-24`, `15-17 K7 timeoutSeconds is a whole number, not "5s"`},
		{"timeoutSeconds=08,name=a", `name="a"@18-24`, `15-17 K7 timeoutSeconds is a whole number, not "08"`},
		{"timeoutSeconds=,name=a", `name="a"@16-22`, `15-15 K7 timeoutSeconds is a whole number, not ""`},
		{`timeoutSeconds="5",name=a`, `name="a"@19-25`, `15-18 K7 timeoutSeconds is a whole number, not "\"5\""`},
		{`timeoutSeconds="5,name=a`, ``, `15-24 K7 timeoutSeconds is a whole number, not "\"5,name=a"`},
		{"mutating=true", "mutating=true@0-13", ""},
		{"mutating=yes,name=a", `name="a"@13-19`, `9-12 K7 mutating is true or false, not "yes"`},
		{"mutating={a,b},name=a", `name="a"@15-21`, `9-14 K7 mutating is true or false, not "{a,b}"`},
		{"mutating=,name=a", `name="a"@10-16`, `9-9 K7 mutating is true or false, not ""`},

		{"name=a,name=b", `name="b"@7-13`, "0-6 K8"},
		{"name=a,name=b,name=c", `name="c"@14-20`, "0-6 K8; 7-13 K8"},
		{"nmae=a,path=/b", `path="/b"@7-14`, `0-4 K5 +kubebuilder:webhook has no argument "nmae"`},
		{"zzzzzz={a,b;\"c},\"},path=/b,xxxxxx=1", `path="/b"@19-26`, `0-6 K5 +kubebuilder:webhook has no argument "zzzzzz"; 27-33 K5 +kubebuilder:webhook has no argument "xxxxxx"`},

		{"name=a,", `name="a"@0-6`, "7-7 K4 an argument's name is missing at the end"},
		{"name=a,,path=/b", `name="a"@0-6`, `7-8 K4 an argument's name is missing before ","`},
		{"name=a,path", `name="a"@0-6`, "11-11 K4 an equals sign is missing at the end"},
		{`name="a"b`, `name="a"@0-8`, `8-9 K4 a comma is missing before "b"`},
		{`name="a,path=/b`, `name=""@0-15`, "5-15 K4 literal not terminated"},
		{`name="\q",path=/b`, `name=""@0-9`, "5-17 K4 invalid char escape"},
		{`name="\ud800",path=/b`, `name=""@0-13`, "5-13 K4 this is not a valid Go string"},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			d := webhookDefinition()
			const prefix = "+kubebuilder:webhook:"
			p := parse(d, prefix+test.arguments, len(prefix))
			shift(&p, -len(prefix))
			if got := say(d, p); got != test.said {
				t.Errorf("said   %s\nwanted %s", got, test.said)
			}
			var faults []string
			for _, f := range p.faults {
				switch {
				case f.rule == ruleMissing: // most of these markers are incomplete
				case f.severity == diag.Error:
					faults = append(faults, fmt.Sprintf("%d-%d %s %s", f.from, f.to, f.rule, f.message))
				default:
					faults = append(faults, fmt.Sprintf("%d-%d %s", f.from, f.to, f.rule))
				}
			}
			if got := strings.Join(faults, "; "); got != test.faults {
				t.Errorf("faults %s\nwanted %s", got, test.faults)
			}
		})
	}
}

// shift moves all positions of a parsed marker.
func shift(p *parsed, by int) {
	move := func(s *span) { s.from, s.to = s.from+by, s.to+by }
	for name, a := range p.arguments {
		move(&a.span)
		for i := range a.items {
			move(&a.items[i].span)
		}
		p.arguments[name] = a
	}
	for i := range p.faults {
		move(&p.faults[i].span)
	}
}

func TestMissing(t *testing.T) {
	for _, test := range []struct{ marker, missing string }{
		{"+kubebuilder:webhook", "0-20 +kubebuilder:webhook needs mutating, name, failurePolicy, groups, versions, resources, verbs and admissionReviewVersions"},
		{"+kubebuilder:webhookconfiguration", "0-33 +kubebuilder:webhookconfiguration needs mutating"},
		{"+kubebuilder:webhook:" + some, "0-20 +kubebuilder:webhook needs mutating and name"},
		{"+kubebuilder:webhook:name=a,mutating=true," + some, ""},
		// A misspelt argument does not count as missing. After a broken argument, no missing ones are reported.
		{"+kubebuilder:webhook:nmae=a,mutatin=true," + some, ""},
		{"+kubebuilder:webhook:name=a,mutating=yes", "0-20 +kubebuilder:webhook needs failurePolicy, groups, versions, resources, verbs and admissionReviewVersions"},
		{"+kubebuilder:webhook:name=\"a", ""},
		{"+kubebuilder:webhook=name=a", ""},
	} {
		d, from, known := identify(test.marker)
		if !known {
			t.Fatal(test.marker)
		}
		missing := ""
		for _, f := range parse(d, test.marker, from).faults {
			if f.rule == ruleMissing {
				missing += fmt.Sprintf("%d-%d %s", f.from, f.to, f.message)
			}
		}
		if diff := cmp.Diff(test.missing, missing); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.marker, diff)
		}
	}
}

// FuzzParse checks that positions are within the marker, and that text without faults is read literally.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"name=a", "name=a ,b=", "groups={a,\"b\"}", "groups=;", "timeoutSeconds=-5", "mutating=tru", "name=`a", "name=\"\\q\",x={", "a==b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		marker := strings.TrimSpace("+kubebuilder:webhook:" + arguments)
		d, from, known := identify(marker)
		if !known {
			return
		}
		p := parse(d, marker, from)
		check := func(s span) {
			if s.from < 0 || s.from > s.to || s.to > len(marker) {
				t.Errorf("%q: place %d-%d", marker, s.from, s.to)
			}
		}
		for name, a := range p.arguments {
			check(a.span)
			if !strings.HasPrefix(marker[a.from:a.to], name) {
				t.Errorf("%q: %s does not begin at %d", marker, name, a.from)
			}
			for _, i := range a.items {
				check(i.span)
			}
		}
		failed := false
		for _, fault := range p.faults {
			check(fault.span)
			failed = failed || fault.severity == diag.Error
		}
		if p.broken && !failed {
			t.Errorf("%q: broken without a word", marker)
		}
	})
}
