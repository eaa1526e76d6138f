// SPDX-License-Identifier: Apache-2.0

// Command drawings writes the drawings of the manual: docs/drawings/*.svg.
//
//	go run ./hack/drawings
//
// A drawing is a list of boxes on a grid, and of arrows between them.
package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	for name, d := range drawings() {
		if err := os.WriteFile(filepath.Join("docs", "drawings", name), d.svg(), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "drawings:", err)
			os.Exit(1)
		}
	}
}

// drawing is a picture in text.
type drawing struct {
	// title and text are for readers who do not see the picture.
	title, text string
	boxes       []box
	arrows      []arrow
}

// box is a rectangle with a heading and lines below it. Its place is a column and a row of the grid.
type box struct {
	name        string
	column, row int
	lines       []string
	// ours says that webhook-gen is or writes what the box shows.
	ours bool
}

// arrow leads from one box to another one, in the same row or column.
type arrow struct{ from, to, label string }

// The measures of the grid, in pixels.
const (
	boxWidth, boxHeight = 190, 92
	gapX, gapY          = 74, 46
	margin              = 16
)

const style = `
text { font: 12px sans-serif; fill: #1f2328 }
.name { font-weight: bold; font-size: 13px }
.label { font-size: 11px; fill: #59636e }
rect { fill: #f6f8fa; stroke: #818b98 }
.ours { fill: #ddf4ff; stroke: #0969da }
path { stroke: #59636e; fill: none }
marker path { fill: #59636e }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.label { fill: #9198a1 }
rect { fill: #151b23; stroke: #656c76 }
.ours { fill: #0c2d6b; stroke: #4493f8 }
path { stroke: #9198a1 }
marker path { fill: #9198a1 }
}
`

// svg returns the picture.
func (d drawing) svg() []byte {
	columns, rows := 0, 0
	for _, b := range d.boxes {
		columns, rows = max(columns, b.column+1), max(rows, b.row+1)
	}
	width := 3*margin + columns*boxWidth + (columns-1)*gapX
	height := 2*margin + rows*boxHeight + (rows-1)*gapY
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title text">`+"\n", width, height, width, height)
	fmt.Fprintf(&s, "<title id=\"title\">%s</title>\n<desc id=\"text\">%s</desc>\n<style>%s</style>\n", html.EscapeString(d.title), html.EscapeString(d.text), style)
	s.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>` + "\n")
	for _, b := range d.boxes {
		b.draw(&s)
	}
	for _, a := range d.arrows {
		a.draw(&s, d.box(a.from), d.box(a.to))
	}
	s.WriteString("</svg>\n")
	return []byte(s.String())
}

func (d drawing) box(name string) box {
	for _, b := range d.boxes {
		if b.name == name {
			return b
		}
	}
	return box{}
}

// corner is the upper left corner.
func (b box) corner() (x, y int) {
	return margin + b.column*(boxWidth+gapX), margin + b.row*(boxHeight+gapY)
}

func (b box) draw(s *strings.Builder) {
	x, y := b.corner()
	class := ""
	if b.ours {
		class = ` class="ours"`
	}
	fmt.Fprintf(s, `<rect%s x="%d" y="%d" width="%d" height="%d" rx="6"/>`+"\n", class, x, y, boxWidth, boxHeight)
	fmt.Fprintf(s, `<text class="name" x="%d" y="%d">%s</text>`+"\n", x+12, y+24, html.EscapeString(b.name))
	for i, line := range b.lines {
		fmt.Fprintf(s, `<text x="%d" y="%d">%s</text>`+"\n", x+12, y+44+17*i, html.EscapeString(line))
	}
}

func (a arrow) draw(s *strings.Builder, from, to box) {
	x1, y1 := from.corner()
	x2, y2 := to.corner()
	var labelX, labelY int
	anchor := "middle"
	switch {
	case from.row == to.row && from.column < to.column:
		x1, y1, y2 = x1+boxWidth, y1+boxHeight/2, y2+boxHeight/2
		labelX, labelY = (x1+x2)/2, y1-8
	case from.row == to.row:
		y1, x2, y2 = y1+boxHeight/2, x2+boxWidth, y2+boxHeight/2
		labelX, labelY = (x1+x2)/2, y1-8
	case from.row < to.row:
		x1, y1, x2 = x1+boxWidth/2, y1+boxHeight, x2+boxWidth/2
		labelX, labelY, anchor = x1+8, (y1+y2)/2+4, "start"
	default:
		x1, x2, y2 = x1+boxWidth/2, x2+boxWidth/2, y2+boxHeight
		labelX, labelY, anchor = x1+8, (y1+y2)/2+4, "start"
	}
	fmt.Fprintf(s, `<path d="M%d %dL%d %d" marker-end="url(#tip)"/>`+"\n", x1, y1, x2, y2)
	if a.label != "" {
		fmt.Fprintf(s, `<text class="label" x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", labelX, labelY, anchor, html.EscapeString(a.label))
	}
}
