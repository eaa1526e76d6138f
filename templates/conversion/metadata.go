package conversion

// metadata is the key of what every object has.
var metadata = member{key: []byte(`"metadata"`)}

// cutMetadata appends what a conversion has to know of metadata that are the same in both versions: the name, by which it tells
// whole objects from parts, and the annotation that it keeps.
func cutMetadata(out, text []byte) []byte {
	o := objectWriter{out: append(out, '{')}
	for m := range members(text) {
		switch {
		case m.is("name"), m.is("generateName"), m.is("namespace"):
			o.member(m)
		case m.is("annotations"):
			for a := range members(m.value) {
				if a.is(Annotation) {
					below := o.open(m.key)
					below.member(a)
					o.close(below)
				}
			}
		}
	}
	return append(o.out, '}')
}

// joinMetadata appends the metadata of a converted object: those that it had before, but for labels and annotations, the only ones
// that the API server takes (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, restoreObjectMeta). Where the conversion
// has not seen them either, only the annotation that it keeps is taken from it.
func joinMetadata(out, converted, object []byte, hidden bool) ([]byte, error) {
	o := objectWriter{out: append(out, '{')}
	if !hidden {
		for m := range members(object) {
			if !m.is("labels") && !m.is("annotations") {
				o.member(m)
			}
		}
		for m := range members(converted) {
			if m.is("labels") || m.is("annotations") {
				o.member(m)
			}
		}
		return append(o.out, '}'), nil
	}
	kept := valueOf(valueOf(converted, "annotations"), Annotation)
	annotated := false
	for m := range members(object) {
		if !m.is("annotations") {
			o.member(m)
			continue
		}
		annotated = true
		if err := joinAnnotations(&o, m, kept); err != nil {
			return nil, err
		}
	}
	if !annotated && kept != nil {
		if err := joinAnnotations(&o, member{[]byte(`"annotations"`), []byte("{}")}, kept); err != nil {
			return nil, err
		}
	}
	return append(o.out, '}'), nil
}

// joinAnnotations writes the annotations of an object with what a conversion keeps in ours, which may be nothing.
func joinAnnotations(o *objectWriter, annotations member, kept []byte) error {
	before, had, size := *o, false, 0
	below := o.open(annotations.key)
	for a := range members(annotations.value) {
		if a.is(Annotation) {
			had = true
			continue
		}
		below.member(a)
		if kept != nil {
			size += len(unquoted(a.key)) + len(unquoted(a.value))
		}
	}
	switch {
	case kept != nil:
		below.member(member{appendString(nil, Annotation), kept})
		if text := unquoted(kept); size+len(Annotation)+len(text) > maxAnnotations {
			return tooLargeStash(len(text))
		}
	case !had:
		*o = before
		o.member(annotations)
		return nil
	case !below.any:
		*o = before
		return nil
	}
	o.close(below)
	return nil
}
