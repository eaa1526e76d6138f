// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCopiedRuntime follows the commands that an error prints for a project with a copy of the runtime. After them, the
// project imports the module, builds, passes its tests, and is up to date.
func TestCopiedRuntime(t *testing.T) {
	p := project{T: t, published: published{env: withPath(everyCommand.in(t, "webhook-gen"), "GOWORK=off", "GOFLAGS=")}, dir: t.TempDir()}
	p.unpack("testdata/copied_runtime.txtar")
	_, err := try(p.dir, p.env, "env", "webhook-gen")
	if err == nil || !strings.Contains(err.Error(), "webhook-gen.yaml:5:3: error: handlers.runtime is no longer a key: ") {
		t.Fatalf("the error is %v", err)
	}
	_, printed, _ := strings.Cut(err.Error(), "run in the folder of webhook-gen.yaml\n")
	commands := regexp.MustCompile(`(?m)^  (\S.*)$`).FindAllStringSubmatch(printed, -1)
	if len(commands) == 0 {
		t.Fatalf("the error has no commands:\n%v", err)
	}
	for _, c := range commands {
		t.Logf("%s\n%s", c[1], p.run("sh", "-c", c[1]))
	}

	if got := p.read("webhook-gen.yaml"); strings.Contains(got, "handlers") || !strings.Contains(got, "program: cmd/webhook") {
		t.Errorf("webhook-gen.yaml is\n%s", got)
	}
	for _, folder := range []string{"admission", "conversion", "internal", "server", "version"} {
		p.run("sh", "-c", `test -z "$(find internal/webhook/`+folder+` -type f)"`)
	}
	p.run("env", "webhook-gen", "verify")
	p.run("sh", "-c", `test -z "$(gofmt -l api cmd internal test)"`)
	p.run("go", "list", "-mod=vendor", "-test", "-deps", "./...") // its packages are compiled already, for other folders
	p.run("go", "vet", "-mod=mod", "./...")
	p.run("go", "test", "-vet=off", "-mod=mod", "./...")
	p.run("go", "-C", "test/webhook", "list", "-test", "-deps", "./...")
}

// TestWithoutNetwork follows the page for machines without a network, in a project of published modules. With the
// vendor folder, webhook-gen needs no module cache either.
func TestWithoutNetwork(t *testing.T) {
	dir := t.TempDir()
	p := project{T: t, tools: tools{kustomize: filepath.Join(dir, "kustomize")}, published: publish(t), dir: t.TempDir()}
	output(t, root, nil, "go", "build", "-ldflags=-X main.released="+p.version, "-o", dir, "./cmd/webhook-gen")
	p.env = append(p.env, "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	p.gen("init", "--module", "example.com/shop", "--domain", "example.com")
	p.gen("create", "api", "--group", "shop", "--version", "v1", "--kind", "Order")
	p.gen("create", "webhook", "--group", "shop", "--version", "v1", "--kind", "Order", "--mutating", "--validating")
	p.gen("create", "webhook", "--version", "v1", "--kind", "Pod", "--validating")
	p.gen("create", "version", "--group", "shop", "--version", "v2", "--kind", "Order")

	p.follow("../../docs/guides/ci.md", "### Without a network")
	if goMod := p.read("go.mod"); !strings.Contains(goMod, modulePath+"/runtime => ./third_party") {
		t.Errorf("go.mod does not replace the runtime:\n%s", goMod)
	}

	p.run("go", "mod", "vendor")
	p.run("rm", "-r", "third_party")
	p.env = append(p.env, "GOPROXY=off", "GOFLAGS=-mod=vendor", "GOMODCACHE="+t.TempDir())
	p.run("go", "list", "-test", "-deps", "./...")
	p.gen("create", "webhook", "--group", "apps", "--version", "v1", "--kind", "ReplicaSet", "--validating", "--skip-tidy", "--dry-run")
	p.gen("generate")
	p.gen("verify", "--strict")
}

// withPath returns the environment with further variables, and with a folder at the beginning of PATH.
func withPath(folder string, more ...string) []string {
	return append(append(os.Environ(), more...), "PATH="+folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
}
