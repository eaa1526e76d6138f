// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
	"github.com/webhook-gen/webhook-gen/generator/internal/scenario"
)

// cookbook is the page.
func cookbook(all []recipe, plans map[string]inspect.ConversionDoc) string {
	var b strings.Builder
	b.WriteString(cookbookIntroduction)
	for i, r := range all {
		fmt.Fprintf(&b, "\n## %d. %s\n\n%s\n", i+1, r.title, r.prose)
		if r.spoke == "" {
			continue
		}
		for _, code := range []struct{ version, text string }{{"v1", r.spoke}, {"v2", r.hub}, {"by hand", r.hooks}} {
			if code.text != "" {
				fmt.Fprintf(&b, "\n```go\n// %s\n\n%s```\n", code.version, code.text)
			}
		}
		b.WriteString("\n" + lost(plans[r.folder]) + "\n")
	}
	return scenario.Wrapped(b.String())
}

// lost lists the fields that a plan reports as lost, in both directions.
func lost(doc inspect.ConversionDoc) string {
	var kept, dropped []string
	for _, f := range doc.Fields {
		switch {
		case f.By == "drop":
			dropped = append(dropped, "`"+f.Spoke+f.Hub+"`")
		case f.By == "custom" && f.Spoke != "":
			kept = append(kept, "- `"+f.Spoke+"`: what the functions do not give back")
		case f.LostToHub != "" || f.LostFromHub != "":
			for _, l := range []struct{ version, field, loss string }{{"v1", f.Spoke, f.LostToHub}, {"v2", f.Hub, f.LostFromHub}} {
				if l.loss != "" {
					kept = append(kept, fmt.Sprintf("- `%s` of %s: %s", l.field, l.version, l.loss))
				}
			}
		}
	}
	switch {
	case dropped != nil:
		return "Given up: " + strings.Join(dropped, ", ") + "."
	case kept != nil:
		return "The annotation keeps\n\n" + strings.Join(kept, "\n")
	}
	return "Nothing is lost."
}

const cookbookIntroduction = `# Cookbook of conversions

One entry for each kind of change between versions of real APIs: before, after, the marker, and the losses. v1 is the spoke and v2 the hub;
OrderSpec is the type of the field ` + "`spec`" + `, unless all of an Order is shown.

Values that the other version cannot express are not lost: an annotation keeps them until the object returns ([conversions.md](conversions.md)).
Every entry is a test: its code is generated, compiled and held to the invariants of the package ` + "`conversiontest`" + `.
` + "`go test ./generator/compile -run TestCookbookPage -update`" + ` writes this page from ` + "`generator/testdata/cookbook`" + `.
`
