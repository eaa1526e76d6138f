// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// deliveredCRD is a CRD from controller-gen.
type deliveredCRD struct {
	// file is the name of its file in CRDBases.
	file string
	// name is the object's name.
	name    string
	content map[string]any
	// conversion is nil if no webhook converts the kind.
	conversion *Definition
}

// versions returns the versions in the CRD's spec.
func (c deliveredCRD) versions() (all []map[string]any) {
	spec, _ := c.content["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		if v, ok := v.(map[string]any); ok {
			all = append(all, v)
		}
	}
	return all
}

// isUnconverted reports whether neither a webhook of the project nor the file converts the kind. The conversion is then
// None, API servers' default.
func (c deliveredCRD) isUnconverted() bool {
	spec, _ := c.content["spec"].(map[string]any)
	return c.conversion == nil && c.name != "" && spec != nil && spec["conversion"] == nil
}

// hasChoice reports whether the CRD has several versions and a webhook that converts them.
func (c deliveredCRD) hasChoice() bool { return c.conversion != nil && len(c.versions()) > 1 }

// readCRDs reads the CRDs and finds the conversion of each.
func (d *deliverer) readCRDs() {
	converted := Definitions(d.project)
	for _, f := range d.options.Delivery.CRDs {
		c := deliveredCRD{file: f.Name}
		if err := yaml.Unmarshal(f.Content, &c.content); err != nil {
			d.err = cmp.Or(d.err, fmt.Errorf("%s/%s: %w", CRDBases, f.Name, err))
		}
		metadata, _ := c.content["metadata"].(map[string]any)
		c.name, _ = metadata["name"].(string)
		if i := slices.IndexFunc(converted, func(d *Definition) bool { return d.Name == c.name }); i >= 0 {
			c.conversion = converted[i]
		}
		d.crds = append(d.crds, c)
	}
}

// migrated returns the resources of the definitions whose versions a webhook converts.
func (d *deliverer) migrated() []migrated {
	var all []migrated
	for _, c := range d.crds {
		if plural, group, ok := strings.Cut(c.name, "."); ok && c.conversion != nil {
			all = append(all, migrated{group, plural})
		}
	}
	return all
}
