// Package methods holds structs that promote methods of what they embed, or do not.
package methods

// Own has the method itself.
type Own struct{}

// MarshalText is the method.
func (Own) MarshalText() ([]byte, error) { return nil, nil }

// Other has it for a pointer.
type Other struct{}

// MarshalText is the method.
func (*Other) MarshalText() ([]byte, error) { return nil, nil }

// Middle embeds a pointer.
type Middle struct{ *Own }

// Deep is two levels above the method.
type Deep struct {
	Middle
	Text string
}

// Ambiguous embeds two that have it.
type Ambiguous struct {
	Own
	Other
}

// Nearer has one at a lesser depth than the other.
type Nearer struct {
	Other
	Middle
}

// Above embeds what is ambiguous.
type Above struct{ Ambiguous }

// Overrides has its own in place of two.
type Overrides struct {
	Own
	Other
}

// MarshalText is the method.
func (Overrides) MarshalText() ([]byte, error) { return nil, nil }

// Named does not embed.
type Named struct{ Field Own }

// Loop embeds itself.
type Loop struct{ *Loop }
