// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"strings"
	"text/template"
)

// Execute fills in a template of Project, which it names without the folder's name. Go code comes out formatted.
func Execute(name string, data any) ([]byte, error) {
	text, err := Project.ReadFile(path.Join("project", name))
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
