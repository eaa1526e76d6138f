// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"path"
	"regexp"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// plainWord matches texts that neither YAML, Helm, make nor a shell takes for more than a text. YAML may take one for
// true or a number.
var plainWord = regexp.MustCompile(`^[A-Za-z./][A-Za-z0-9._/-]*$`)

// Word returns a text as a scalar of YAML on one line. In templates it is the function word.
func Word(text string) string {
	var read any
	if err := yaml.Unmarshal([]byte(text), &read); plainWord.MatchString(text) && err == nil && read == text {
		return text
	}
	return Quoted(text)
}

// Quoted returns a text as a JSON string, which is a YAML string. In templates it is the function quoted.
func Quoted(text string) string {
	quoted, _ := json.Marshal(text) // any text has a JSON string
	return string(quoted)
}

// Literal escapes the actions of Helm's templates in a text. In templates it is the function literal.
func Literal(text string) string { return strings.ReplaceAll(text, "{{", "{{ `{{` }}") }

// Execute fills in a template of Project, which it names without the folder's name. Go code comes out formatted.
func Execute(name string, data any) ([]byte, error) {
	text, err := Project.ReadFile(path.Join("project", name))
	if err != nil {
		return nil, err
	}
	parts, err := Project.ReadFile("project/delivery/chart/parts.tmpl")
	if err != nil {
		return nil, err
	}
	functions := template.FuncMap{"word": Word, "quoted": Quoted, "literal": Literal}
	t, err := template.New(name).Delims("[[", "]]").Option("missingkey=error").Funcs(functions).Parse(string(text))
	if err != nil {
		return nil, err
	}
	if _, err := t.New("parts").Parse(string(parts)); err != nil {
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
