// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// fileUser is the user who creates objects of files.
func fileUser(s *settings) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{
		Username: cmp.Or(s.user, "webhook-scan"),
		Groups:   append(slices.Clone(s.groups), "system:authenticated"),
	}
}

// files scans the objects of files and folders.
func (s *scanner) files(ctx context.Context, names []string) error {
	found, err := manifests(names)
	if err != nil {
		return err
	}
	unhandled := map[metav1.GroupVersionKind]int{}
	kinds := s.kinds()
	for i, name := range found {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s.progress.show("files", int64(i), int64(len(found)))
		for _, d := range documents(text) {
			source := fmt.Sprintf("%s:%d", name, d.line)
			all, err := d.objects(source)
			if err != nil {
				s.report.add(finding{Source: source, Outcome: failed, Message: err.Error()})
			}
			for _, o := range all {
				if err := ctx.Err(); err != nil {
					return err
				}
				switch {
				case o.kind.Kind == "" || o.kind.Version == "":
					s.report.skip(o.source, "a document without apiVersion and kind is not an object")
				case !slices.Contains(kinds, o.kind):
					unhandled[o.kind]++
				default:
					s.report.Objects++
					s.report.add(s.scan(ctx, o)...)
				}
			}
		}
	}
	for _, kind := range slices.SortedFunc(maps.Keys(unhandled), func(a, b metav1.GroupVersionKind) int {
		return cmp.Or(cmp.Compare(apiVersion(a), apiVersion(b)), cmp.Compare(a.Kind, b.Kind))
	}) {
		s.report.skip(fmt.Sprintf("%d of %s %s", unhandled[kind], apiVersion(kind), kind.Kind), "no webhook is called when one is created")
	}
	if s.report.Objects == 0 {
		s.report.problem("the files contain no object of a kind that a webhook of this program is called for")
	}
	return nil
}

// manifests returns the named files, and the files of YAML and JSON in the named folders, sorted.
func manifests(names []string) ([]string, error) {
	var all []string
	for _, name := range names {
		err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if extension := filepath.Ext(path); path == name || slices.Contains([]string{".yaml", ".yml", ".json"}, extension) {
				all = append(all, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// document is one document of a YAML file.
type document struct {
	line int // the line where it begins
	text []byte
}

// documents splits a YAML file at the lines that begin with ---.
func documents(text []byte) []document {
	all := []document{{line: 1}}
	line := 0
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		line++
		last := &all[len(all)-1]
		if rest, ok := bytes.CutPrefix(lines.Bytes(), []byte("---")); ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r') {
			all = append(all, document{line: line + 1, text: append(slices.Clone(rest), '\n')})
			continue
		}
		last.text = append(append(last.text, lines.Bytes()...), '\n')
	}
	return all
}

// objects returns the objects of a document: none if it is empty, and the items of a List.
func (d document) objects(source string) (all []object, err error) {
	defer func() {
		if v := recover(); v != nil {
			all, err = nil, fmt.Errorf("the document cannot be read: panic: %v", v)
		}
	}()
	text, err := yaml.YAMLToJSONStrict(d.text)
	if err != nil {
		return nil, fmt.Errorf("the document cannot be read: %w", err)
	}
	return objects(source, text)
}

func objects(source string, text []byte) ([]object, error) {
	switch text = bytes.TrimSpace(text); {
	case string(text) == "null":
		return nil, nil
	case !bytes.HasPrefix(text, []byte("{")):
		return nil, errors.New("the document is not an object")
	}
	var head struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("the document is not an object: %w", err)
	}
	if head.APIVersion == "v1" && head.Kind == "List" {
		var all []object
		for _, item := range head.Items {
			of, err := objects(source, item)
			all = append(all, of...)
			if err != nil {
				return all, err
			}
		}
		return all, nil
	}
	gv, err := schema.ParseGroupVersion(head.APIVersion)
	if err != nil {
		return nil, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(gv.WithKind(head.Kind))
	return []object{{
		source:    source,
		kind:      metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: head.Kind},
		resource:  metav1.GroupVersionResource(resource),
		namespace: head.Metadata.Namespace,
		name:      head.Metadata.Name,
		text:      text,
	}}, nil
}
