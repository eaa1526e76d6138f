// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// difference is a place where a stanza differs from the wanted one.
type difference struct {
	node       *yamlv3.Node
	path       string // below spec.conversion
	have, want string // JSON; empty if the value is missing
}

func (d difference) String() string {
	switch {
	case d.have == "":
		return fmt.Sprintf("has no %s: the markers set %s", d.path, d.want)
	case d.want == "":
		return fmt.Sprintf("its %s is %s: the markers set none", d.path, d.have)
	}
	return fmt.Sprintf("its %s is %s: the markers set %s", d.path, d.have, d.want)
}

// difference returns the first difference of the definition's stanza from the wanted one. It ignores an additional
// caBundle, which cert-manager or the user sets. A stanza by hand may leave out the default port.
func (d *definition) difference(stanza []byte, byHand bool) (difference, bool) {
	var want map[string]any
	if err := yaml.Unmarshal(stanza, &want); err != nil {
		return difference{}, false // the stanza is generated, so it is valid YAML
	}
	path := []string{"clientConfig", "service", "port"}
	if port, _, _ := unstructured.NestedFieldNoCopy(want, append([]string{"webhook"}, path...)...); byHand && port == float64(443) &&
		yamltext.Lookup(d.Value, "webhook", path...).Value == nil {
		unstructured.RemoveNestedField(want, append([]string{"webhook"}, path...)...)
	}
	return differ(d.Key, d.Value, want, "")
}

// differ finds the first place where a value differs from the wanted one.
func differ(key, value *yamlv3.Node, want any, path string) (difference, bool) {
	members, isMap := want.(map[string]any)
	if !isMap || value == nil || value.Kind != yamlv3.MappingNode {
		have, want := shown(value), text(want)
		return difference{key, path, have, want}, have != want
	}
	for name, have := range yamltext.Entries(value) {
		below := strings.TrimPrefix(path+"."+name.Value, ".")
		wanted, known := members[name.Value]
		if !known && below != "webhook.clientConfig.caBundle" {
			return difference{name, below, shown(have), ""}, true
		}
		if found, differs := differ(name, have, wanted, below); known && differs {
			return found, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if yamltext.Lookup(value, name).Value == nil {
			return difference{key, strings.TrimPrefix(path+"."+name, "."), "", text(members[name])}, true
		}
	}
	return difference{}, false
}

// shown returns a value of the file as JSON.
func shown(value *yamlv3.Node) string {
	var v any
	if value == nil || value.Decode(&v) != nil {
		return ""
	}
	return text(v)
}

func text(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v) // YAML without an equivalent in JSON
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
