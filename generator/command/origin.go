// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

// build describes how this program was built.
type build struct {
	info     *debug.BuildInfo // nil if the go command recorded nothing
	released string           // the version that the linker set
	compiled string           // path of this file as the compiler had it
}

func thisBuild(released string) build {
	info, _ := debug.ReadBuildInfo()
	_, file, _, _ := runtime.Caller(0)
	return build{info, released, file}
}

// origin returns where the program comes from. It is released if build info has a checksum of its module, if the
// linker set a version, or if it was compiled below a vendor folder. A version alone does not make a release: the go
// command stamps a local build with the tag of its work tree.
func (b build) origin() project.Origin {
	if b.released != "" {
		if !semver.IsValid(b.released) {
			return project.Origin{Err: fmt.Errorf("this webhook-gen was linked with main.released=%s, which is not a version such as v0.1.0", b.released)}
		}
		return project.Origin{Version: b.released}
	}
	var main debug.Module
	if b.info != nil && b.info.Main.Path == project.ToolModule {
		main = b.info.Main
	}
	switch {
	case main.Replace != nil && main.Replace.Version != "" && main.Replace.Version != "(devel)":
		return project.Origin{Version: main.Version, Fork: module.Version{Path: main.Replace.Path, Version: main.Replace.Version}}
	case main.Replace != nil && filepath.IsAbs(main.Replace.Path):
		return workTree(main.Replace.Path)
	case main.Replace == nil && (main.Sum != "" || b.vendored() && semver.IsValid(main.Version)):
		return project.Origin{Version: main.Version}
	}
	const file = "/generator/command/origin.go"
	source, ok := strings.CutSuffix(filepath.ToSlash(b.compiled), file)
	if dir := filepath.FromSlash(source); ok && filepath.IsAbs(dir) {
		return workTree(dir)
	}
	return project.Origin{Err: errors.New("this webhook-gen was built from a work tree with -trimpath, so it does not know the folder: pass --source DIR")}
}

// vendored reports whether the program was compiled below a vendor folder. With -trimpath, the path of a dependency
// has its version.
func (b build) vendored() bool {
	compiled := path.Clean(filepath.ToSlash(b.compiled))
	return strings.Contains(compiled, "/vendor/"+project.ToolModule+"/") || strings.HasPrefix(compiled, project.ToolModule+"@")
}

// workTree returns the work tree that the program was built from.
func workTree(dir string) project.Origin {
	origin, err := project.WorkTree(dir)
	if err != nil {
		err = fmt.Errorf("the source of this webhook-gen is gone: %w: pass --source DIR", err)
	}
	return project.Origin{Version: origin.Version, Dir: origin.Dir, Err: err}
}

// version is one line: the version and the go command's or, of a build from a work tree, the revision and the folder.
func (b build) version() string {
	devel := "devel"
	if b.info != nil {
		for _, s := range b.info.Settings {
			if s.Key == "vcs.revision" {
				devel += " " + s.Value
			}
		}
	}
	o := b.origin()
	version, source := o.Version, ""
	switch {
	case o.Fork.Path != "":
		source = ", replaced by " + o.Fork.String()
	case o.Dir != "":
		version, source = devel, ", built from "+o.Dir
	case o.Err != nil:
		version, source = devel, ", source unknown: "+o.Err.Error()
	}
	return "webhook-gen " + version + " " + runtime.Version() + source
}
