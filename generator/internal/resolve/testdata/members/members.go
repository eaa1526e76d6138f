// Package members holds structs whose members encoding/json chooses by its finer rules.
package members

// Plain has a field for every way to write a tag.
type Plain struct {
	Untagged   string
	Named      string `json:"named"`
	Options    string `json:",omitempty"`
	Left       string `json:"-"`
	Dash       string `json:"-,"`
	Invalid    string `json:"a\"b"`
	Odd        string `json:"a.b/c d"`
	Letters    string `json:"größe"`
	unexported string
	Several    string `yaml:"other" json:"several"`
	A, B       string
}

// Deep inlines over two levels, once through a pointer.
type Deep struct {
	Middle
	Top string `json:"top"`
}

// Middle stands between.
type Middle struct {
	*Bottom `json:",inline"`
	Name    string `json:"name"`
}

// Bottom has a name that Middle hides.
type Bottom struct {
	Name  string `json:"name"`
	Depth string `json:"depth"`
}

// Conflict inlines two structs that have a name in common, so that neither is encoded.
type Conflict struct {
	Left
	Right
}

// Left has Same untagged.
type Left struct {
	Same    string `json:"same"`
	Tagged  string `json:"tagged"`
	Untaged string
}

// Right has Same too.
type Right struct {
	Same    string `json:"same"`
	tagged  string
	Another string `json:"Untaged"`
}

// Hidden shows that a conflict on one level hides what is deeper.
type Hidden struct {
	Conflict
	Lower
}

// Lower brings the name in conflict again, one level below.
type Lower struct{ Lowest }

// Lowest is two levels below Hidden.
type Lowest struct {
	Same string `json:"same"`
}

// Twice inlines one struct on two ways.
type Twice struct {
	ViaA
	ViaB
}

// ViaA is one.
type ViaA struct{ Shared }

// ViaB is the other.
type ViaB struct{ Shared }

// Shared comes twice.
type Shared struct {
	Doubled string `json:"doubled"`
}

// Embeds embeds with a name, a type that is no struct, and an unexported struct.
type Embeds struct {
	Bottom `json:"bottom"`
	Text
	text
	lower
	Generic[string]
}

// Loop inlines itself.
type Loop struct {
	*Loop
	Last string
}

// Text is no struct.
type Text string

type text string

type lower struct {
	FromLower string `json:"fromLower"`
	hidden    string
}

// Generic is inlined under its own name.
type Generic[T any] struct {
	Item T `json:"item"`
}
