// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// Conversion is a spoke of a kind and its hub, with the functions between them. See [Between].
type Conversion struct {
	kind           schema.GroupKind
	spoke, hub     string // versions
	toHub, fromHub *route
	stored         bool // objects are stored in the spoke's version
}

// Between makes the conversion of a kind between two versions of a group. Members that are the same in both versions
// are not decoded, so the functions do not see them. The functions are called concurrently.
func Between[S, H any, PS Object[S], PH Object[H]](group, kind, spoke, hub string, toHub func(context.Context, *S, *H) error, fromHub func(context.Context, *H, *S) error, same Same) Conversion {
	of := schema.GroupKind{Group: group, Kind: kind}
	return Conversion{kind: of, spoke: spoke, hub: hub, toHub: newRoute(of.WithVersion(hub), toHub, same), fromHub: newRoute(of.WithVersion(spoke), fromHub, same)}
}

// Stored returns the conversion, with its spoke's version as the stored version of the kind. Otherwise objects are
// stored in the hub's version. Objects of the stored version come from reads, which do not fail because of values in
// one object. Objects of other versions come from writes.
func (c Conversion) Stored() Conversion {
	c.stored = true
	return c
}

// Serve adds conversions to a handler. Spokes of the same hub convert into each other through it.
func Serve(conversions ...Conversion) Option {
	return func(h *Handler) {
		for _, c := range conversions {
			h.kinds.add(c)
		}
	}
}

// kinds has the versions of each served kind.
type kinds map[schema.GroupKind]*versions

// versions has the versions of one kind, and the routes between them.
type versions struct {
	routes map[leg]*route
	hubs   []string
	// stored is the version in which objects are stored, if it is not the hub.
	stored string
}

// isStored reports whether objects are stored in a version.
func (v *versions) isStored(version string) bool {
	if v.stored != "" {
		return version == v.stored
	}
	return slices.Contains(v.hubs, version)
}

// leg is a direct way between two versions.
type leg struct{ from, to string }

func (k kinds) add(c Conversion) {
	v := k[c.kind]
	if v == nil {
		v = &versions{routes: map[leg]*route{}}
		k[c.kind] = v
	}
	v.routes[leg{c.spoke, c.hub}], v.routes[leg{c.hub, c.spoke}] = c.toHub, c.fromHub
	if !slices.Contains(v.hubs, c.hub) {
		v.hubs = append(v.hubs, c.hub)
	}
	if c.stored {
		v.stored = c.spoke
	}
}

// Versions returns the versions of a kind that the handler converts, sorted; nil for another kind.
func (h *Handler) Versions(kind schema.GroupKind) []string {
	if v := h.kinds[kind]; v != nil {
		return v.names()
	}
	return nil
}

// Kinds returns the kinds that the handler converts, sorted.
func (h *Handler) Kinds() []schema.GroupKind {
	return slices.SortedFunc(maps.Keys(h.kinds), func(a, b schema.GroupKind) int {
		return strings.Compare(a.String(), b.String())
	})
}

// names returns the names of the versions in order.
func (v *versions) names() []string {
	names := map[string]bool{}
	for l := range v.routes {
		names[l.from] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// convert converts an object with this header to the desired version, and passes the text of the result to use. The
// text is valid only until use returns.
func (k kinds) convert(ctx context.Context, o object, is header, desired string, omitted *settings.Omissions, use func(text []byte)) error {
	if is.apiVersion == desired {
		use(o.text)
		return nil
	}
	from, err := schema.ParseGroupVersion(is.apiVersion)
	if err != nil {
		return err
	}
	to, err := schema.ParseGroupVersion(desired)
	if err != nil {
		return err
	}
	if from.Group != to.Group {
		return errors.New("an object stays in its group")
	}
	v, ok := k[schema.GroupKind{Group: from.Group, Kind: is.kind}]
	if !ok {
		return errors.New("no conversion of this kind is served: give the handler the Conversions of its package")
	}
	if v.isStored(from.Version) {
		with := settings.Of(ctx)
		with.Omitted = omitted
		ctx = settings.With(ctx, with)
	}
	if r, ok := v.routes[leg{from.Version, to.Version}]; ok {
		return r.text(ctx, o, omitted, use)
	}
	for _, hub := range v.hubs {
		there, ok := v.routes[leg{from.Version, hub}]
		onwards, ok2 := v.routes[leg{hub, to.Version}]
		if ok && ok2 {
			var stop []byte
			if err := there.text(ctx, o, omitted, func(text []byte) { stop = bytes.Clone(text) }); err != nil {
				return err
			}
			return onwards.text(ctx, objectOf(stop), omitted, use)
		}
	}
	return fmt.Errorf("there is no way between these versions, but between %s", strings.Join(v.names(), ", "))
}

// target returns the kind and the version if conversions to the version are served. It returns only the kind if
// conversions to other versions of the kind are served.
func (k kinds) target(is header, desired string) (schema.GroupKind, string) {
	gv, _ := schema.ParseGroupVersion(desired) // a version that cannot be parsed is unknown
	kind := schema.GroupKind{Group: gv.Group, Kind: is.kind}
	v, ok := k[kind]
	switch {
	case !ok:
		return schema.GroupKind{}, ""
	case !slices.Contains(v.names(), gv.Version):
		return kind, ""
	}
	return kind, gv.Version
}
