package generator

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// GraphFormats are the forms in which PrintGraph can write.
func GraphFormats() []string { return []string{"mermaid", "dot", "svg"} }

// PrintGraph draws the versions of each kind, the hub, and which fields an annotation has to keep
// on the way between them.
func PrintGraph(w io.Writer, format string, docs []ConversionDoc) error {
	var b strings.Builder
	switch kinds := graphKinds(docs); format {
	case "mermaid":
		drawMermaid(&b, kinds)
	case "dot":
		drawDot(&b, kinds)
	case "svg":
		drawSVG(&b, kinds)
	default:
		return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(GraphFormats(), ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// graphKind is a kind with its hub in the middle and its spokes around.
type graphKind struct {
	name, hub string
	spokes    []graphSpoke
}

// graphSpoke is a version with the fields that are not lossless in each direction.
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

// label is what stands on an arrow: the fields, or that there are none.
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

// drawSVG puts the spokes of a kind on the left, one below the other, and the hub on the right;
// between them, the arrows with what is kept in the annotation on each.
func drawSVG(b *strings.Builder, kinds []graphKind) {
	var body strings.Builder
	text := func(x, y int, anchor, s string) {
		fmt.Fprintf(&body, `  <text x="%d" y="%d" text-anchor="%s">`, x, y, anchor)
		_ = xml.EscapeText(&body, []byte(s)) // a strings.Builder takes everything
		body.WriteString("</text>\n")
	}
	box := func(x, y int, s, class string) {
		fmt.Fprintf(&body, "  <rect class=%q x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", class, x, y, svgBoxW, svgBoxH)
		text(x+svgBoxW/2, y+svgBoxH/2+5, "middle", s)
	}
	arrow := func(x1, y1, x2, y2 int) {
		fmt.Fprintf(&body, "  <line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" marker-end=\"url(#arrow)\"/>\n", x1, y1, x2, y2)
	}
	const left, right = svgMargin + svgBoxW, svgWidth - svgMargin - svgBoxW
	y := svgMargin
	for _, k := range kinds {
		text(svgMargin, y+svgLine, "start", k.name)
		y += 2 * svgLine
		for _, s := range k.spokes {
			above, under := strings.Split(label(s.toHub, "\n"), "\n"), strings.Split(label(s.fromHub, "\n"), "\n")
			for i, field := range above {
				text(svgWidth/2, y+(i+1)*svgLine, "middle", field)
			}
			line := y + len(above)*svgLine + svgLine/2
			arrow(left, line, right, line)
			arrow(right, line+svgLine/2, left, line+svgLine/2)
			for i, field := range under {
				text(svgWidth/2, line+(i+2)*svgLine, "middle", field)
			}
			box(svgMargin, line-svgBoxH/2+svgLine/4, s.version, "spoke")
			box(right, line-svgBoxH/2+svgLine/4, k.hub+" (hub)", "hub")
			y = line + max(len(under)+2, 3)*svgLine
		}
		y += svgLine
	}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">
  <style>rect{fill:#fff;stroke:#333}.hub{stroke-width:3}line{stroke:#333}</style>
  <defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#333"/></marker></defs>
%s</svg>
`, svgWidth, y, body.String())
}
