// SPDX-License-Identifier: Apache-2.0

// Command release checks that the work tree can be released as a version, and prints the commands that release it.
//
//	go run . -version v0.1.0 -dry-run
//
// It serves the modules of the tree from a module proxy of files, installs the program from there as a user does,
// without any of this machine's modules of ours, and builds a project that imports the runtime.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/webhook-gen/webhook-gen/hack/release/api"
	"github.com/webhook-gen/webhook-gen/hack/release/moduleproxy"
)

func main() {
	version := flag.String("version", "", "version to release, such as v0.1.0")
	dryRun := flag.Bool("dry-run", false, "warn where a release would fail because of uncommitted changes, and print no commands")
	tree := flag.String("C", "../..", "root of the work tree")
	flag.Parse()
	r := release{tree: *tree, version: *version, dryRun: *dryRun, out: os.Stdout}
	if err := r.run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one release of a work tree.
type release struct {
	tree, version string
	dryRun        bool
	out           io.Writer
}

// The folders of the modules that are released together, and the path of the first.
const (
	runtimeFolder = "runtime"
	adapterFolder = "runtime/controllerruntime"
	programFolder = "runtime/program"
	testFolder    = "runtime/integrationtest"
	controlFolder = "controlplane"
	rootPath      = "github.com/webhook-gen/webhook-gen"
)

// imported are the folders of the modules that users import, and the versions of Go that they promise.
func imported() map[string]string {
	return map[string]string{runtimeFolder: "1.24.0", adapterFolder: "1.25.0", programFolder: "1.25.0", testFolder: "1.25.0", controlFolder: "1.24.0"}
}

func folders() []string {
	return []string{".", runtimeFolder, adapterFolder, programFolder, testFolder, controlFolder}
}

func (r release) run() (err error) {
	if r.version == "" || semver.Canonical(r.version) != r.version {
		return fmt.Errorf("%q is not a version such as v0.1.0", r.version)
	}
	if r.tree, err = filepath.Abs(r.tree); err != nil {
		return err
	}
	if err := errors.Join(r.changelog(), r.clean(), r.untagged(), r.installable()); err != nil {
		return err
	}
	if err := errors.Join(r.comparesAPI(runtimeFolder), r.comparesAPI(adapterFolder), r.comparesAPI(programFolder), r.comparesAPI(testFolder), r.comparesAPI(controlFolder)); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := r.tryOut(scratch); err != nil {
		return err
	}
	if r.dryRun {
		r.say("%s can be released: run make release VERSION=%s for the commands", r.version, r.version)
		return nil
	}
	for _, tag := range r.tags() {
		fmt.Fprintf(r.out, "git tag -a %s -m %s\n", tag, tag)
	}
	fmt.Fprintf(r.out, "git push origin %s\n", strings.Join(r.tags(), " "))
	return nil
}

func (r release) say(format string, args ...any) { fmt.Fprintf(r.out, "# "+format+"\n", args...) }

// notYet returns an error in a release, and prints it in a dry run.
func (r release) notYet(format string, args ...any) error {
	if !r.dryRun {
		return fmt.Errorf(format, args...)
	}
	r.say("warning: "+format, args...)
	return nil
}

func (r release) tags() []string {
	tags := []string{r.version}
	for _, folder := range folders()[1:] {
		tags = append(tags, folder+"/"+r.version)
	}
	return tags
}

// changelog checks that CHANGELOG.md has entries under the version, none above it, and the day of the release.
func (r release) changelog() error {
	text, err := os.ReadFile(filepath.Join(r.tree, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	number := strings.TrimPrefix(r.version, "v")
	heading := regexp.MustCompile(`(?m)^## \[` + regexp.QuoteMeta(number) + `\](.*)$`).FindSubmatchIndex(text)
	if heading == nil {
		return fmt.Errorf("CHANGELOG.md has no section ## [%s]", number)
	}
	if regexp.MustCompile(`(?m)^- `).Match(text[:heading[0]]) {
		return fmt.Errorf("CHANGELOG.md has entries above its section ## [%s]: move them into it", number)
	}
	section, _, _ := bytes.Cut(text[heading[1]:], []byte("\n## "))
	if !regexp.MustCompile(`(?m)^- `).Match(section) {
		return fmt.Errorf("CHANGELOG.md has no entry in its section ## [%s]", number)
	}
	if rest := text[heading[2]:heading[3]]; !regexp.MustCompile(`^ - \d{4}-\d\d-\d\d$`).Match(rest) {
		return r.notYet("CHANGELOG.md has no date in the heading ## [%s]", number)
	}
	return nil
}

// clean checks that the work tree has the content of the commit that the tags will point at.
func (r release) clean() error {
	status, err := r.command(r.tree, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed := strings.Count(status, "\n"); changed > 0 {
		return r.notYet("the work tree has %d uncommitted changes", changed)
	}
	return nil
}

func (r release) untagged() error {
	existing, err := r.command(r.tree, nil, "git", append([]string{"tag", "--list"}, r.tags()...)...)
	if err != nil {
		return err
	}
	if tags := strings.Fields(existing); len(tags) > 0 {
		return fmt.Errorf("tagged already: %s", strings.Join(tags, ", "))
	}
	return nil
}

// installable checks for content that go install of a version refuses, or would not find: replace and exclude
// directives, and other versions of modules that are released together.
func (r release) installable() error {
	var problems []error
	for _, folder := range folders() {
		name := filepath.Join(r.tree, folder, "go.mod")
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := modfile.Parse(name, text, nil)
		if err != nil {
			return err
		}
		// The modules below the runtime have no programs. In the tree, they need the runtime of the tree.
		below := strings.HasPrefix(folder, runtimeFolder+"/")
		if !below && len(f.Replace) > 0 || len(f.Exclude) > 0 {
			problems = append(problems, fmt.Errorf("%s has a replace or exclude directive, so that go install of a version fails", name))
		}
		for _, q := range f.Require {
			if isOurs(q.Mod.Path) && q.Mod.Version != r.version {
				problems = append(problems, fmt.Errorf("%s requires %s: it is released as %s", name, q.Mod, r.version))
			}
		}
	}
	return errors.Join(problems...)
}

func isOurs(path string) bool { return path == rootPath || strings.HasPrefix(path, rootPath+"/") }

// comparesAPI prints the changes to the API of a folder's module since its last tag. Within a major version, and before
// v1 within a minor one, nothing incompatible may change.
func (r release) comparesAPI(folder string) error {
	tag, err := api.LastTag(r.tree, folder)
	if err != nil {
		return err
	}
	if tag == "" {
		r.say("no tag %s/v*: there is no released API to compare with", folder)
		return nil
	}
	last := strings.TrimPrefix(tag, folder+"/")
	if semver.Compare(r.version, last) <= 0 {
		return fmt.Errorf("%s is not newer than %s", r.version, tag)
	}
	changes, err := api.SinceTag(r.tree, folder, tag)
	if err != nil {
		return err
	}
	r.say("API since %s: %d incompatible changes, %d compatible ones", tag, len(changes.Incompatible), len(changes.Compatible))
	for _, change := range changes.Incompatible {
		r.say("  incompatible: %s", change)
	}
	for _, change := range changes.Compatible {
		r.say("  compatible: %s", change)
	}
	if len(changes.Incompatible) > 0 && !mayBreak(last, r.version) {
		return fmt.Errorf("%s must not change the API of %s incompatibly: release a new minor version before v1, else a new major one", r.version, folder)
	}
	return nil
}

// mayBreak reports whether a version may break the API of one before it.
func mayBreak(last, next string) bool {
	if semver.Major(next) == "v0" {
		return semver.MajorMinor(last) != semver.MajorMinor(next)
	}
	return semver.Major(last) != semver.Major(next)
}

// tryOut publishes the modules to a proxy below a folder, and uses them as users do.
func (r release) tryOut(scratch string) error {
	proxy := filepath.Join(scratch, "proxy")
	if err := r.publish(proxy); err != nil {
		return err
	}
	env, err := r.emptyCaches(scratch, proxy)
	if err != nil {
		return err
	}
	bin := filepath.Join(scratch, "bin")
	const program = rootPath + "/cmd/webhook-gen"
	if _, err := r.command(scratch, env, "go", "install", program+"@"+r.version); err != nil {
		return err
	}
	r.say("go install %s@%s works", program, r.version)
	printed, err := r.command(scratch, env, filepath.Join(bin, "webhook-gen"), "version")
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(printed), r.version) {
		return fmt.Errorf("webhook-gen version prints %q and not %s", strings.TrimSpace(printed), r.version)
	}
	for folder, goVersion := range imported() {
		if err := r.importFrom(folder, goVersion, filepath.Join(scratch, path.Base(folder)), env); err != nil {
			return err
		}
	}
	return r.newProject(filepath.Join(scratch, "shop"), filepath.Join(bin, "webhook-gen"), env)
}

// publish writes the modules to a module proxy.
func (r release) publish(proxy string) error {
	for _, folder := range folders() {
		m, err := moduleproxy.Read(r.tree, folder)
		if err != nil {
			return err
		}
		if err := m.Publish(proxy, r.version, time.Now().UTC()); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
	}
	return nil
}

// emptyCaches returns an environment in which the go command uses a proxy first, and has none of our modules cached.
// Other modules come from the downloads of this machine, or else from its own proxy.
func (r release) emptyCaches(scratch, proxy string) ([]string, error) {
	settings, err := r.command(r.tree, nil, "go", "env", "GOMODCACHE", "GOPROXY", "GONOSUMDB", "GOCACHE")
	if err != nil {
		return nil, err
	}
	set := strings.Split(settings, "\n")
	downloads := filepath.Join(set[0], "cache", "download")
	return append(os.Environ(),
		"GOPATH="+filepath.Join(scratch, "go"), "GOMODCACHE="+filepath.Join(scratch, "go", "pkg", "mod"), "GOBIN="+filepath.Join(scratch, "bin"),
		"GOCACHE="+set[3],
		"GOPROXY="+strings.Join([]string{fileURL(proxy), fileURL(downloads), set[1]}, ","),
		"GONOSUMDB="+strings.Trim(rootPath+","+set[2], ","),
		"GOPRIVATE=", "GOWORK=off",
		// With -trimpath, the build cache has earlier builds, whatever the folder of the module.
		"GOFLAGS=-modcacherw -trimpath",
	), nil
}

func fileURL(folder string) string { return "file://" + filepath.ToSlash(folder) }

// importFrom builds a module that requires the module of a folder and imports all packages of it, with the toolchain of
// a Go version.
func (r release) importFrom(folder, goVersion, dir string, env []string) error {
	listed, err := r.command(filepath.Join(r.tree, folder), nil, "go", "list", "./...")
	if err != nil {
		return err
	}
	var main strings.Builder
	main.WriteString("package main\n\nimport (\n")
	for _, path := range strings.Fields(listed) {
		if !slices.Contains(strings.Split(path, "/"), "internal") {
			fmt.Fprintf(&main, "\t_ %q\n", path)
		}
	}
	main.WriteString(")\n\nfunc main() {}\n")
	goMod := fmt.Sprintf("module example.com/importer\n\ngo %s\n\nrequire %s/%s %s\n", goVersion, rootPath, folder, r.version)
	if err := errors.Join(os.Mkdir(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(main.String()), 0o644)); err != nil {
		return err
	}
	env = append(slices.Clip(env), "GOTOOLCHAIN=go"+goVersion)
	for _, args := range [][]string{{"mod", "tidy"}, {"build", "-o", os.DevNull, "."}} {
		if _, err := r.command(dir, env, "go", args...); err != nil {
			return err
		}
	}
	r.say("a module that requires %s/%s %s builds", rootPath, folder, r.version)
	return nil
}

// newProject builds a project that the installed program starts.
func (r release) newProject(dir, program string, env []string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if _, err := r.command(dir, env, program, "init", "--module", "example.com/shop"); err != nil {
		return err
	}
	if _, err := r.command(dir, env, "go", "build", "./..."); err != nil {
		return err
	}
	r.say("webhook-gen init starts a project that builds")
	return nil
}

// command runs a command and returns its standard output; the error contains its standard error.
func (r release) command(dir string, env []string, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, &stdout, &stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String(), nil
}
