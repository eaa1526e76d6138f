// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// GraphFormats are the output formats of PrintGraph.
func GraphFormats() []string { return []string{"mermaid", "dot", "svg"} }

// PrintGraph draws the versions of each kind, the hub, and the fields that an annotation keeps between them.
func PrintGraph(w io.Writer, format string, docs []ConversionDoc) error {
	draw := map[string]func(*strings.Builder, []graphKind){"mermaid": drawMermaid, "dot": drawDot, "svg": drawSVG}[format]
	if draw == nil {
		return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(GraphFormats(), ", "))
	}
	var b strings.Builder
	draw(&b, graphKinds(docs))
	_, err := io.WriteString(w, b.String())
	return err
}

// graphKind is a kind with its hub and its spokes.
type graphKind struct {
	name, hub string
	spokes    []graphSpoke
}

// graphSpoke is a version with its lossy fields in each direction.
type graphSpoke struct {
	version        string
	toHub, fromHub []string
}

func graphKinds(docs []ConversionDoc) []graphKind {
	var kinds []graphKind
	for _, d := range docs {
		name := d.Kind + "." + d.Group
		i := slices.IndexFunc(kinds, func(k graphKind) bool { return k.name == name && k.hub == d.Hub })
		if i < 0 {
			i = len(kinds)
			kinds = append(kinds, graphKind{name: name, hub: d.Hub})
		}
		spoke := graphSpoke{version: d.Spoke}
		for _, f := range d.Fields {
			if f.Spoke != "" && (f.LostToHub != "" || f.Reason != "") {
				spoke.toHub = append(spoke.toHub, f.Spoke)
			}
			if f.Hub != "" && (f.LostFromHub != "" || f.Reason != "") {
				spoke.fromHub = append(spoke.fromHub, f.Hub)
			}
		}
		kinds[i].spokes = append(kinds[i].spokes, spoke)
	}
	slices.SortStableFunc(kinds, func(a, b graphKind) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.hub, b.hub))
	})
	return kinds
}

// label returns the text of an arrow: the lossy fields, or "lossless".
func label(fields []string, newline string) string {
	if len(fields) == 0 {
		return "lossless"
	}
	return strings.Join(fields, newline)
}

func drawMermaid(b *strings.Builder, kinds []graphKind) {
	b.WriteString("flowchart LR\n")
	for i, k := range kinds {
		fmt.Fprintf(b, "  subgraph k%d[\"%s\"]\n    hub%d([\"%s (hub)\"])\n", i, k.name, i, k.hub)
		for j, s := range k.spokes {
			fmt.Fprintf(b, "    s%d_%d[\"%s\"]\n", i, j, s.version)
			fmt.Fprintf(b, "    s%d_%d -- \"%s\" --> hub%d\n", i, j, label(s.toHub, "<br/>"), i)
			fmt.Fprintf(b, "    hub%d -- \"%s\" --> s%d_%d\n", i, label(s.fromHub, "<br/>"), i, j)
		}
		b.WriteString("  end\n")
	}
}

func drawDot(b *strings.Builder, kinds []graphKind) {
	b.WriteString("digraph conversions {\n  rankdir=LR\n  node [shape=box]\n")
	for _, k := range kinds {
		id := func(version string) string { return fmt.Sprintf("%q", k.name+"/"+version) }
		fmt.Fprintf(b, "  %s [label=%q, peripheries=2]\n", id(k.hub), k.name+"\n"+k.hub+" (hub)")
		for _, s := range k.spokes {
			fmt.Fprintf(b, "  %s [label=%q]\n", id(s.version), k.name+"\n"+s.version)
			fmt.Fprintf(b, "  %s -> %s [label=%q]\n", id(s.version), id(k.hub), label(s.toHub, "\n"))
			fmt.Fprintf(b, "  %s -> %s [label=%q]\n", id(k.hub), id(s.version), label(s.fromHub, "\n"))
		}
	}
	b.WriteString("}\n")
}

// The measures of the SVG, in pixels.
const (
	svgWidth  = 960
	svgLine   = 16
	svgBoxW   = 160
	svgBoxH   = 40
	svgMargin = 24
)

// drawSVG draws the spokes of a kind on the left, one below the other. The hub is on the right, as high as all spokes
// together. The arrows between them are labelled with the fields kept in the annotation. If no field is kept, one arrow
// represents both directions.
func drawSVG(b *strings.Builder, kinds []graphKind) {
	const left, right, middle = svgMargin + svgBoxW, svgWidth - svgMargin - svgBoxW, svgWidth / 2
	var d svgDrawing
	y := svgMargin
	for _, k := range kinds {
		d.text(svgMargin, y+svgLine, "kind", k.name)
		y += 2*svgLine + svgLine/2
		top, bottom := 0, 0
		for i, s := range k.spokes {
			if i > 0 {
				y += svgLine
			}
			line := y + max(len(s.toHub)*svgLine+svgLine/2, svgBoxH/2)
			if len(s.toHub)+len(s.fromHub) == 0 {
				d.text(middle, line-svgLine/2, "lossless", "lossless")
				d.line(left, line+2, right, line+2, "both")
				y = line + svgBoxH/2
			} else {
				d.fields(middle, line-svgLine/2-(max(len(s.toHub), 1)-1)*svgLine, s.toHub)
				d.line(left, line-2, right, line-2, "one")
				d.line(right, line+6, left, line+6, "one")
				d.fields(middle, line+svgLine+svgLine/2, s.fromHub)
				y = line + max((len(s.fromHub)+1)*svgLine, svgBoxH/2)
			}
			d.box(svgMargin, line-svgBoxH/2+2, svgBoxH, "spoke", s.version)
			if i == 0 {
				top = line - svgBoxH/2 + 2
			}
			bottom = line + svgBoxH/2 + 2
		}
		d.box(right, top, bottom-top, "hub", k.hub+" (hub)")
		y += 2 * svgLine
	}
	d.text(svgMargin, y, "note", "The names on an arrow are fields that the other version cannot represent in full: an annotation keeps them, unless they are given up.")
	y += svgLine
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">
  <style>
    rect{fill:#fff;stroke:#333}.paper{stroke:none}.hub{stroke-width:3}line{stroke:#333}.one,.both{marker-end:url(#arrow)}.both{marker-start:url(#back)}
    text{fill:#222;text-anchor:middle}.kind,.note{text-anchor:start}.kind{font-weight:bold}.lossless,.note{fill:#777}
  </style>
  <defs>
    <marker id="arrow" markerWidth="8" markerHeight="8" refX="9" refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#333"/></marker>
    <marker id="back" markerWidth="8" markerHeight="8" refX="-1" refY="4" orient="auto"><path d="M8,0 L0,4 L8,8 z" fill="#333"/></marker>
  </defs>
  <rect class="paper" width="100%%" height="100%%"/>
%s</svg>
`, svgWidth, y, d.String())
}

// svgDrawing is the content of an SVG.
type svgDrawing struct{ strings.Builder }

func (d *svgDrawing) text(x, y int, class, s string) {
	fmt.Fprintf(d, `  <text class=%q x="%d" y="%d">`, class, x, y)
	_ = xml.EscapeText(d, []byte(s)) // a strings.Builder takes everything
	d.WriteString("</text>\n")
}

// fields writes the fields of one direction, from a line downwards.
func (d *svgDrawing) fields(x, y int, fields []string) {
	if len(fields) == 0 {
		d.text(x, y, "lossless", "lossless")
	}
	for i, field := range fields {
		d.text(x, y+i*svgLine, "field", field)
	}
}

func (d *svgDrawing) line(x1, y1, x2, y2 int, class string) {
	fmt.Fprintf(d, "  <line class=%q x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", class, x1, y1, x2, y2)
}

func (d *svgDrawing) box(x, y, height int, class, s string) {
	fmt.Fprintf(d, "  <rect class=%q x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", class, x, y, svgBoxW, height)
	d.text(x+svgBoxW/2, y+height/2+5, "version", s)
}
