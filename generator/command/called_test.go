// SPDX-License-Identifier: Apache-2.0

package command

import "testing"

func TestCalled(t *testing.T) {
	for program, want := range map[string]string{
		"webhook-gen":     "webhook-gen",
		"bin/webhook-gen": "bin/webhook-gen",
		"/home/a/.cache/go-build/ab/ab12-d/webhook-gen": "go tool webhook-gen",
		"/tmp/go-build12/b001/exe/webhook-gen":          "webhook-gen",
		"/home/a/project/bin/webhook-gen":               "/home/a/project/bin/webhook-gen",
	} {
		if got := called(program); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	for message, want := range map[string]string{
		"webhook-gen init starts a project":                     "bin/webhook-gen init starts a project",
		"run webhook-gen and commit the result":                 "run bin/webhook-gen and commit the result",
		"`webhook-gen help` lists the commands":                 "`bin/webhook-gen help` lists the commands",
		"bin/webhook-gen create api, or webhook-gen create api": "bin/webhook-gen create api, or bin/webhook-gen create api",
		"this webhook-gen was built from a work tree":           "this webhook-gen was built from a work tree",
		"go install github.com/webhook-gen/webhook-gen/cmd/x":   "go install github.com/webhook-gen/webhook-gen/cmd/x",
	} {
		if got := (streams{called: "bin/webhook-gen"}).named(message); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := (streams{}).named(message); got != message {
			t.Errorf("%q becomes %q", message, got)
		}
	}
}
