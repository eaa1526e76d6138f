package conversion

import (
	"cmp"
	"fmt"
)

// header is what tells an object from others.
type header struct{ apiVersion, kind, namespace, name string }

// read reads the header from the text of an object.
func (h *header) read(object []byte) error {
	if !isObject(object) {
		return fmt.Errorf("%s stands where an object belongs", kindOf(object))
	}
	for m := range members(object) {
		var err error
		switch {
		case m.is("apiVersion"):
			h.apiVersion, err = stringOf(m.value)
		case m.is("kind"):
			h.kind, err = stringOf(m.value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.key, err)
		}
	}
	if h.apiVersion == "" || h.kind == "" {
		return fmt.Errorf("it has no apiVersion or kind")
	}
	return nil
}

// naming is the header with the name, which is read only for messages.
func (h header) naming(object []byte) header {
	meta := valueOf(object, "metadata")
	h.namespace, _ = stringOf(valueOf(meta, "namespace"))
	h.name, _ = stringOf(valueOf(meta, "name"))
	if h.name == "" {
		h.name, _ = stringOf(valueOf(meta, "generateName"))
	}
	return h
}

// String names the object as far as it is known.
func (h header) String() string {
	name := h.name
	if h.namespace != "" {
		name = h.namespace + "/" + name
	}
	return fmt.Sprintf("%s %s of %s", cmp.Or(h.kind, "an object"), cmp.Or(name, "without a name"), cmp.Or(h.apiVersion, "no version"))
}
