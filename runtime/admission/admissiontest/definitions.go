// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
	"github.com/webhook-gen/webhook-gen/runtime/internal/structural"
)

// definition is a version of a CustomResourceDefinition. A nil one changes nothing and accepts everything.
type definition struct {
	schema     *structural.Schema
	namespaced bool
}

// definitionsIn reads the definitions in YAML files, in folders and in what globs match.
func definitionsIn(t testing.TB, patterns []string) map[schema.GroupVersionKind]*definition {
	t.Helper()
	found := map[schema.GroupVersionKind]*definition{}
	var roots []string
	for _, pattern := range patterns {
		matched, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatalf("the definitions: %s: %v", pattern, err)
		}
		roots = append(roots, matched...)
	}
	for _, root := range roots {
		err := eachYAML(root, func(_ string, text []byte) error {
			for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text)); ; {
				var d struct {
					Kind string `json:"kind"`
					Spec struct {
						Group string `json:"group"`
						Scope string `json:"scope"`
						Names struct {
							Kind string `json:"kind"`
						} `json:"names"`
						Versions []struct {
							Name   string `json:"name"`
							Schema struct {
								Root *structural.Schema `json:"openAPIV3Schema"`
							} `json:"schema"`
						} `json:"versions"`
					} `json:"spec"`
				}
				if err := decoder.Decode(&d); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return nil // a file with templates
				}
				if d.Kind != "CustomResourceDefinition" {
					continue
				}
				for _, v := range d.Spec.Versions {
					if v.Schema.Root == nil {
						continue // a patch
					}
					found[schema.GroupVersionKind{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}] =
						&definition{schema: v.Schema.Root, namespaced: d.Spec.Scope != "Cluster"}
				}
			}
		})
		if err != nil {
			t.Fatalf("the definitions: %v", err)
		}
	}
	return found
}

// decoded returns an object as an API server has it before it calls webhooks: without members that the schema lacks,
// with defaults and with the namespace of the request.
func (d *definition) decoded(object json.RawMessage) json.RawMessage {
	if d == nil || object == nil {
		return object
	}
	return edited(object, func(members map[string]any) {
		d.schema.Prune(members)
		d.schema.SetDefaults(members)
		meta, ok := members["metadata"].(map[string]any)
		if !ok {
			return
		}
		if namespace, _ := meta["namespace"].(string); !d.namespaced {
			delete(meta, "namespace")
		} else if namespace == "" {
			meta["namespace"] = "default"
		}
	})
}

// unknown returns the paths of an object's fields that are not in the schema, sorted.
func (d *definition) unknown(object json.RawMessage) []string {
	written, err := failure.Decode(object)
	if err != nil {
		return nil
	}
	var fields []string
	edited(object, func(members map[string]any) {
		d.schema.Prune(members)
		fields = lost(written, members, "")
	})
	slices.Sort(fields)
	return fields
}

// lost returns the paths of members that are only in the first of two values. Nulls do not count.
func lost(before, after any, path string) (paths []string) {
	switch before := before.(type) {
	case map[string]any:
		after, _ := after.(map[string]any)
		for name, member := range before {
			here := strings.TrimPrefix(path+"."+name, ".")
			if other, ok := after[name]; ok {
				paths = append(paths, lost(member, other, here)...)
			} else if member != nil {
				paths = append(paths, here)
			}
		}
	case []any:
		after, _ := after.([]any)
		for i := range min(len(before), len(after)) {
			paths = append(paths, lost(before[i], after[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return paths
}

// repaired returns an object that is filled at random with values that the schema accepts, where it can.
func (d *definition) repaired(object json.RawMessage, seed uint64) json.RawMessage {
	if d == nil {
		return object
	}
	return edited(object, func(members map[string]any) {
		d.schema.Prune(members)
		d.schema.Repair(members, rand.New(rand.NewPCG(seed, 1)))
	})
}

// accepts reports whether an API server accepts an object by its schema, after mutating webhooks and before validating
// ones. The rules in CEL are left out.
func (d *definition) accepts(object json.RawMessage) bool {
	if d == nil || object == nil {
		return true
	}
	value, err := failure.Decode(object)
	members, ok := value.(map[string]any)
	return err == nil && ok && d.schema.Validate(members) == nil
}
