// SPDX-License-Identifier: Apache-2.0

package integrationtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// sample is an object that users would create.
type sample struct {
	*unstructured.Unstructured
	// position is the file, and the line on which its document begins.
	position string
	// denied are parts of the message with which it must be denied.
	denied []string
}

// isDenied reports whether the sample is in a folder named denied.
func (s sample) isDenied() bool {
	return slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(s.position)), "/"), "denied")
}

// samples reads the samples, in the order of their files' names.
func samples(t *testing.T, folders []string) []sample {
	var all []sample
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.FromSlash(folder), func(file string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" && filepath.Ext(file) != ".yml" {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			found, err := documents(file, string(text))
			all = append(all, found...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// documents reads the objects in a YAML file. It skips a document without a name, such as a kustomization, unless a
// comment calls it denied.
func documents(file, text string) ([]sample, error) {
	var all []sample
	var lines, denied []string
	begin, number := 1, 0
	end := func() error {
		s := sample{Unstructured: &unstructured.Unstructured{}, position: fmt.Sprintf("%s:%d", file, begin), denied: denied}
		if err := yaml.Unmarshal([]byte(strings.Join(lines, "")), &s.Object); err != nil {
			return fmt.Errorf("%s: %w", s.position, err)
		}
		switch isDenied := s.isDenied(); {
		case s.GetName() != "" && len(denied) > 0 && !isDenied:
			return fmt.Errorf("%s: it must be denied: move it to a folder named denied", s.position)
		case s.GetName() != "":
			all = append(all, s)
		case len(denied) > 0, isDenied && len(s.Object) > 0 && s.GetKind() != "Kustomization":
			return fmt.Errorf("%s: no object: it has no metadata.name", s.position)
		}
		lines, denied, begin = nil, nil, number+1
		return nil
	}
	for line := range strings.Lines(text) {
		number++
		if separator := strings.TrimRight(line, " \t\r\n"); separator == "---" || strings.HasPrefix(line, "--- ") {
			if err := end(); err != nil {
				return nil, err
			}
			continue
		}
		if comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			word, part, _ := strings.Cut(comment, ":")
			if part = strings.TrimSpace(part); strings.EqualFold(strings.TrimSpace(word), "denied") && part != "" {
				denied = append(denied, part)
			}
		}
		lines = append(lines, line)
	}
	return all, end()
}
