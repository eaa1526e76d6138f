package render

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// sharedPackage emits a package that a project's generated code shares, and those below it, once for
// the project: the files below templates without their own tests, under our header.
func sharedPackage(from embed.FS, p *model.Project, o Options) ([]output.File, error) {
	var files []output.File
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := from.ReadFile(name)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte(templates.Path), []byte(path.Join(p.Module.Path, o.Handlers)))
		files = append(files, output.File{
			Path:    filepath.Join(p.Module.Dir, filepath.FromSlash(o.Handlers), filepath.FromSlash(path.Dir(name)), "zz_generated."+path.Base(name)),
			Content: append([]byte(output.GoHeader+"\n\n"), text...),
			Owner:   output.Generated,
		})
		return nil
	})
	return files, err
}
