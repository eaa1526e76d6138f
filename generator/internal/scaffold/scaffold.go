// Package scaffold writes what a user goes on from: a project, the types of an API, a policy. These files
// are the user's from then on. It also puts markers on types and takes them off.
package scaffold

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"strings"
	"text/template"

	"github.com/webhook-gen/webhook-gen/templates"
)

// execute fills in a template of templates/project. Go code comes out formatted.
func execute(name string, data any) ([]byte, error) {
	text, err := templates.Project.ReadFile(path.Join("project", name))
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Delims("[[", "]]").Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".go.tmpl") {
		return out.Bytes(), nil
	}
	code, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return code, nil
}
