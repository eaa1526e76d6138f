// SPDX-License-Identifier: Apache-2.0

// Package moduleproxy makes a module proxy of files from the modules of a work tree.
package moduleproxy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Module is a module of a git work tree: the files that git tracks or would add, without the files of nested modules.
type Module struct {
	// Path is the module's path.
	Path string
	// GoMod is the content of its go.mod.
	GoMod []byte
	files []zip.File
}

// Read returns the module in a folder of a work tree, "." for its root. As in a module proxy, a module without a
// LICENSE gets the LICENSE of the root.
func Read(tree, folder string) (Module, error) {
	list, err := exec.Command("git", "-C", tree, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return Module{}, fmt.Errorf("listing the files of %s: %w", tree, err)
	}
	names := strings.Split(strings.TrimSpace(string(list)), "\n")
	modules := map[string]bool{}
	for _, name := range names {
		if path.Base(name) == "go.mod" {
			modules[path.Dir(name)] = true
		}
	}
	if !modules[folder] {
		return Module{}, fmt.Errorf("%s has no go.mod in %s", tree, folder)
	}
	var m Module
	for _, name := range names {
		of := path.Dir(name)
		for !modules[of] && of != "." {
			of = path.Dir(of)
		}
		onDisk := filepath.Join(tree, filepath.FromSlash(name))
		if _, err := os.Lstat(onDisk); err == nil && of == folder {
			m.files = append(m.files, file{strings.TrimPrefix(name, folder+"/"), onDisk})
		}
	}
	isLicence := func(f zip.File) bool { return f.Path() == "LICENSE" }
	if licence := filepath.Join(tree, "LICENSE"); !slices.ContainsFunc(m.files, isLicence) {
		if _, err := os.Lstat(licence); err == nil {
			m.files = append(m.files, file{"LICENSE", licence})
		}
	}
	slices.SortFunc(m.files, func(a, b zip.File) int { return cmp.Compare(a.Path(), b.Path()) })
	if m.GoMod, err = os.ReadFile(filepath.Join(tree, filepath.FromSlash(folder), "go.mod")); err != nil {
		return Module{}, err
	}
	m.Path = modfile.ModulePath(m.GoMod)
	return m, nil
}

// file is a file of a work tree.
type file struct{ path, onDisk string }

func (f file) Path() string                 { return f.path }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.onDisk) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.onDisk) }

// Version returns a pseudo-version that modules have together, and only with this content, so that a module cache never
// has a stale copy of it.
func Version(released time.Time, modules ...Module) (string, error) {
	hash := sha256.New()
	for _, m := range modules {
		for _, f := range m.files {
			content, err := os.ReadFile(f.(file).onDisk)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(hash, "%s %d\n", f.Path(), len(content))
			hash.Write(content)
		}
	}
	return module.PseudoVersion("v0", "", released, fmt.Sprintf("%x", hash.Sum(nil))[:12]), nil
}

// Publish adds the module to the proxy in a folder, as the given version. It requires the same version of a module that
// its go.mod replaces by a folder of the work tree.
func (m Module) Publish(proxy, version string, released time.Time) (err error) {
	scratch, err := os.MkdirTemp("", "publish")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := m.requireSiblings(version, filepath.Join(scratch, "go.mod")); err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, module.Version{Path: m.Path, Version: version}, m.files); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": released.Format(time.RFC3339)})
	if err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	folder := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	list := []byte(version + "\n")
	if module.IsPseudoVersion(version) {
		list = nil // as in a proxy, where @latest alone has it
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "list"), list, 0o644),
		os.WriteFile(filepath.Join(folder, "..", "@latest"), info, 0o644),
		os.WriteFile(filepath.Join(folder, version+".info"), info, 0o644),
		os.WriteFile(filepath.Join(folder, version+".mod"), m.GoMod, 0o644),
		os.WriteFile(filepath.Join(folder, version+".zip"), archive.Bytes(), 0o644),
	)
}

// requireSiblings writes go.mod as it is released to a file, which replaces the one in the work tree.
func (m *Module) requireSiblings(version, name string) error {
	f, err := modfile.Parse(name, m.GoMod, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(f.Replace) {
		if !modfile.IsDirectoryPath(r.New.Path) {
			continue
		}
		old := r.Old // which DropReplace empties
		if err := errors.Join(f.DropReplace(old.Path, old.Version), f.AddRequire(old.Path, version)); err != nil {
			return err
		}
	}
	f.Cleanup()
	if m.GoMod, err = f.Format(); err != nil {
		return err
	}
	m.files = slices.Clone(m.files)
	for i, of := range m.files {
		if of.Path() == "go.mod" {
			m.files[i] = file{"go.mod", name}
		}
	}
	return os.WriteFile(name, m.GoMod, 0o600)
}
