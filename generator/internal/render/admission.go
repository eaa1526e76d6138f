package render

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// admission emits the package that a project's handlers share, once for the project: the files of
// templates/admission without their tests, under our header.
func admission(p *model.Project, o Options) ([]output.File, error) {
	names, err := fs.Glob(templates.Admission, "admission/*.go")
	if err != nil {
		return nil, err
	}
	var files []output.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := templates.Admission.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, output.File{
			Path:    filepath.Join(p.Module.Dir, filepath.FromSlash(o.Handlers), "admission", "zz_generated."+path.Base(name)),
			Content: bytes.Join([][]byte{[]byte(output.GoHeader + "\n\n"), text}, nil),
			Owner:   output.Generated,
		})
	}
	return files, nil
}
