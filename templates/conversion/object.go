package conversion

import (
	"errors"
	"fmt"
	"iter"
)

// entry is a member of an object as it is written: its name with the quotes and escapes, and its value.
type entry struct{ key, value []byte }

// is reports whether the member has this name.
func (e entry) is(name string) bool {
	if string(e.key[1:len(e.key)-1]) == name {
		return true
	}
	return !isPlain(e.key) && e.name() == name
}

func (e entry) name() string { return string(text(e.key, span{0, len(e.key)})) }

// entries are the members of an object, which is well-formed, in their order. Of any other value there are none.
func entries(object []byte) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		if !isObject(object) {
			return
		}
		for i := space(object, 1); object[i] != '}'; {
			key := i
			i = skipString(object, i)
			value := space(object, space(object, i)+len(":"))
			end := skip(object, value)
			if !yield(entry{object[key:i], object[value:end]}) {
				return
			}
			if i = space(object, end); object[i] == ',' {
				i = space(object, i+1)
			}
		}
	}
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// valueOf is the value of an object's member; nil where there is none, or null.
func valueOf(object []byte, name string) []byte {
	for e := range entries(object) {
		if e.is(name) && !isNull(e.value, 0) {
			return e.value
		}
	}
	return nil
}

// stringOf is what a string says, and an error for any other value. Null and no value are no string.
func stringOf(value []byte) (string, error) {
	switch {
	case value == nil || isNull(value, 0):
		return "", nil
	case value[0] != '"':
		return "", fmt.Errorf("%s cannot be read as string", found(value[0]))
	}
	return string(text(value, span{0, len(value)})), nil
}

// header is what tells an object from others.
type header struct{ apiVersion, kind, namespace, name string }

// read reads version and kind from the text of an object.
func (h *header) read(object []byte) error {
	switch {
	case isNull(object, 0):
		return errors.New("it is null")
	case !isObject(object):
		return fmt.Errorf("%s cannot be read as object", found(object[0]))
	}
	for e := range entries(object) {
		var err error
		switch {
		case e.is("apiVersion"):
			h.apiVersion, err = stringOf(e.value)
		case e.is("kind"):
			h.kind, err = stringOf(e.value)
		default:
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.name(), err)
		}
		if h.apiVersion != "" && h.kind != "" {
			return nil // an API server writes them first
		}
	}
	return errors.New("it has no apiVersion or no kind")
}

// naming is the header with the name, which is read only for messages.
func (h header) naming(object []byte) header {
	metadata := valueOf(object, "metadata")
	h.namespace, _ = stringOf(valueOf(metadata, "namespace"))
	h.name, _ = stringOf(valueOf(metadata, "name"))
	if h.name == "" {
		h.name, _ = stringOf(valueOf(metadata, "generateName"))
	}
	return h
}

// String names the object as far as it is known.
func (h header) String() string {
	kind, name, version := "an object", "without a name", "no version"
	if h.kind != "" {
		kind = h.kind
	}
	if h.name != "" {
		name = h.name
		if h.namespace != "" {
			name = h.namespace + "/" + name
		}
	}
	if h.apiVersion != "" {
		version = h.apiVersion
	}
	return kind + " " + name + " of " + version
}
