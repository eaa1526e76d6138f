// SPDX-License-Identifier: Apache-2.0

package load

import (
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Text is a file with its content.
type Text struct {
	// Path is absolute.
	Path string
	// Content is nil if the file cannot be read.
	Content []byte
	// Err is the reason why the file cannot be read.
	Err error
	// Found is true if the caller named the file's folder, not the file itself.
	Found bool
}

// ReadText reads a file.
func ReadText(elements ...string) Text {
	t := Text{Path: filepath.FromSlash(filepath.Join(elements...))}
	t.Content, t.Err = regular.ReadFile(t.Path, regular.Manifest)
	return t
}

// Names returns the files in an absolute folder that match slash-separated patterns, sorted and without duplicates. A
// folder as a pattern matches the *.yaml and *.yml files directly in it. Patterns that are invalid or leave the
// folder match nothing.
func Names(folder string, patterns ...string) (names []string) {
	// An FS does not interpret pattern characters in the folder's own name.
	files := os.DirFS(folder) //nolint:forbidigo // it reads folders
	for _, pattern := range patterns {
		matched, _ := fs.Glob(files, path.Clean(pattern))
		if _, err := fs.Stat(files, path.Clean(pattern)); err == nil {
			matched = []string{path.Clean(pattern)} // its characters mean themselves
		}
		var found []string
		for _, name := range matched {
			entries, err := fs.ReadDir(files, name)
			if err != nil || isManifest(name) && name != path.Clean(pattern) { // a folder in place of a file is an error
				found = append(found, name)
				continue
			}
			for _, e := range entries {
				if ext := path.Ext(e.Name()); ext == ".yaml" || ext == ".yml" {
					found = append(found, path.Join(name, e.Name()))
				}
			}
		}
		for _, name := range found {
			names = append(names, filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Texts reads the files that Names returns.
func Texts(folder string, patterns ...string) (texts []Text) {
	for _, name := range Names(folder, patterns...) {
		texts = append(texts, ReadText(name))
	}
	return texts
}

// Manifests yields the *.yaml and *.yml files below an absolute folder, sorted by path. It skips unreadable files,
// and files and folders that skip accepts. rel is relative to the folder.
func Manifests(folder string, skip func(rel string, isDir bool) bool) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == folder || !d.IsDir() && !isManifest(path) {
				return nil //nolint:nilerr // as documented
			}
			rel, err := filepath.Rel(folder, path)
			switch {
			case err != nil:
				return err
			case skip(filepath.ToSlash(rel), d.IsDir()):
				if d.IsDir() {
					return filepath.SkipDir
				}
			case !d.IsDir():
				if t := ReadText(path); t.Err == nil && !yield(t) {
					return filepath.SkipAll
				}
			}
			return nil
		})
	}
}

// Arguments reads files, the *.yaml and *.yml files in folders, and standard input for "-". The files of a folder are
// those directly in it and in its parts: the components of a kustomization, crds and templates of a chart, and
// manifests of a bundle. In a folder with a kustomization, it omits the patches: a patch of a webhook configuration has
// its kind but only some of its fields.
func Arguments(paths []string, stdin io.Reader) (texts []Text, err error) {
	for _, path := range paths {
		t := Text{Path: path}
		if path == "-" {
			t.Path = "<stdin>"
			t.Content, t.Err = regular.ReadAll(stdin, regular.Manifest)
		} else if info, err := os.Stat(path); err == nil && info.IsDir() {
			for _, folder := range append([]string{path}, parts(path)...) {
				below, err := manifestsIn(folder)
				if err != nil {
					return nil, err
				}
				texts = append(texts, below...)
			}
			continue
		} else {
			t.Content, t.Err = regular.ReadArgument(path, regular.Manifest)
		}
		if t.Err != nil {
			return nil, t.Err
		}
		texts = append(texts, t)
	}
	return texts, nil
}

// manifestsIn reads the files of a folder for Arguments.
func manifestsIn(dir string) (texts []Text, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	patches := patchesOf(dir)
	for _, e := range entries {
		if e.IsDir() || !isManifest(e.Name()) || slices.Contains(patches, e.Name()) {
			continue
		}
		t := ReadText(dir, e.Name())
		if t.Found = true; t.Err != nil {
			return nil, t.Err
		}
		texts = append(texts, t)
	}
	return texts, nil
}

func isManifest(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml"
}

// parts returns the folders that belong to a folder by the conventions of Helm, OLM and kustomize.
func parts(dir string) (folders []string) {
	var names []string
	if regular.Exists(filepath.Join(dir, "Chart.yaml")) {
		names = append(names, "crds", "templates")
	}
	if regular.Exists(filepath.Join(dir, "metadata", "annotations.yaml")) {
		names = append(names, "manifests")
	}
	for _, k := range kustomizations(dir) {
		names = append(names, k.Components...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		// Components of other repositories are URLs, and no folders.
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			folders = append(folders, filepath.Join(dir, name))
		}
	}
	return folders
}

// kustomization has the fields of kustomize that name patches, in any current or former syntax, and components.
type kustomization struct {
	Components     []string
	Patches        []struct{ Path string }
	JSON6902       []struct{ Path string } `yaml:"patchesJson6902"`
	StrategicMerge []string                `yaml:"patchesStrategicMerge"`
}

// kustomizations returns a folder's kustomization, if it is valid.
func kustomizations(dir string) (all []kustomization) {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		var k kustomization
		if yaml.Unmarshal(ReadText(dir, name).Content, &k) == nil {
			all = append(all, k)
		}
	}
	return all
}

// patchesOf returns the files that the folder's kustomization uses as patches. An invalid kustomization has none.
func patchesOf(dir string) (files []string) {
	for _, k := range kustomizations(dir) {
		for _, p := range slices.Concat(k.Patches, k.JSON6902) {
			files = append(files, filepath.Clean(p.Path))
		}
		for _, p := range k.StrategicMerge {
			files = append(files, filepath.Clean(p))
		}
	}
	return files
}

// GoMod returns the go.mod of an absolute folder. It is empty if the file is missing or invalid, which Load reports.
func GoMod(dir string) *modfile.File {
	file, err := modfile.Parse("go.mod", ReadText(dir, "go.mod").Content, nil)
	if err != nil {
		return &modfile.File{}
	}
	return file
}
