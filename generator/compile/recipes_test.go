// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"regexp"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// TestEveryConverterHasARecipe checks that the cookbook shows each converter.
func TestEveryConverterHasARecipe(t *testing.T) {
	used := map[string]bool{}
	for _, r := range recipes(t) {
		for _, m := range regexp.MustCompile(`as: "([^"]*)"`).FindAllStringSubmatch(r.spoke+r.hub, -1) {
			for _, converter := range strings.Split(m[1], ";") {
				name, _, _ := strings.Cut(converter, ":")
				used[name] = true
			}
		}
	}
	for _, c := range model.Converters() {
		if !used[c.Name] {
			t.Errorf("no recipe in generator/testdata/cookbook has the converter %s", c.Name)
		}
	}
}
