package conversion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotation is where an object carries what other versions of it said and its own cannot.
const Annotation = "webhook-gen.github.io/conversion"

// maxAnnotations is the total size of keys and values that the API server accepts
// (k8s.io/apimachinery/pkg/api/validation, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

// stash is the annotation's content: by version, the changes that lead from what the conversion
// into that version makes to what the version really said.
type stash map[string][]change

// Object is a pointer to an API type.
type Object[T any] interface {
	*T
	metav1.Object
}

// Keep writes down on an object what the version it comes from said and does not get back: said is
// the object as it was in that version, returned what converting the object back to it gives.
//
// Nothing is kept on an object without a name, which is a part of one, as server-side apply
// converts it. An object whose annotations would become larger than the API server accepts is an error.
func Keep(on metav1.Object, version string, said, returned any, schema Schema) error {
	if on.GetName() == "" && on.GetGenerateName() == "" {
		return nil
	}
	changes, err := lost(said, returned, schema)
	if err != nil {
		return err
	}
	kept := read(on)
	if len(changes) == 0 && kept == nil {
		return nil
	}
	if kept == nil {
		kept = stash{}
	}
	kept[version] = changes
	return kept.write(on)
}

// lost are the changes that lead from what returned to what was said.
func lost(said, returned any, schema Schema) ([]change, error) {
	if alike(said, returned) {
		return nil, nil // as is usual, and told in a small part of the time that JSON takes
	}
	want, err := fields(said)
	if err != nil {
		return nil, err
	}
	base, err := fields(returned)
	if err != nil {
		return nil, err
	}
	return difference(base, want, schema)
}

// alike reports whether two objects of a type are equal but for what every version has alike.
func alike(said, returned any) bool {
	x, y := reflect.ValueOf(said).Elem(), reflect.ValueOf(returned).Elem()
	for i := range x.NumField() {
		switch f := x.Type().Field(i); {
		case !f.IsExported(), f.Type == reflect.TypeFor[metav1.TypeMeta](), f.Type == reflect.TypeFor[metav1.ObjectMeta]():
		default:
			if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
				return false
			}
		}
	}
	return true
}

// Restore carries out on an object what was kept of its version, and forgets it.
//
// A stash that cannot be read, or that does not fit the type, is dropped: it is not the user's,
// and no reason to refuse an object.
func Restore[T any, P Object[T]](object P, version string) error {
	kept := read(object)
	changes, ok := kept[version]
	if !ok {
		if kept == nil {
			return nil
		}
		return kept.write(object)
	}
	delete(kept, version)
	if err := kept.write(object); err != nil {
		return err
	}
	live, err := decoded(object)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if len(c.At) > 0 && !isCommon(c.At[0].v) {
			live = c.apply(live, c.At)
		}
	}
	text, err := json.Marshal(live)
	if err != nil {
		return err
	}
	var restored T
	if json.Unmarshal(text, &restored) == nil {
		*object = restored
	}
	return nil
}

// read returns the stash, empty for one that is broken, nil where there is none.
func read(object metav1.Object) stash {
	text, ok := object.GetAnnotations()[Annotation]
	if !ok {
		return nil
	}
	kept := stash{}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	if decoder.Decode(&kept) != nil || kept == nil {
		return stash{}
	}
	return kept
}

// write puts the stash into the object's annotations, or takes an empty one out of them. The map is
// replaced, because the one that is there may be somebody else's too.
func (s stash) write(object metav1.Object) error {
	annotations := map[string]string{}
	size := 0
	for key, value := range object.GetAnnotations() {
		if key != Annotation {
			annotations[key] = value
			size += len(key) + len(value)
		}
	}
	for version, changes := range s {
		if len(changes) == 0 {
			delete(s, version)
		}
	}
	if len(s) > 0 {
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if size += len(Annotation) + len(text); size > maxAnnotations {
			return fmt.Errorf("%s: what this version cannot say takes %d bytes, with which the annotations are larger than the %d that the API server accepts",
				nameOf(object), len(text), maxAnnotations)
		}
		annotations[Annotation] = string(text)
	}
	if len(annotations) == 0 {
		annotations = nil
	}
	object.SetAnnotations(annotations)
	return nil
}

func nameOf(object metav1.Object) string {
	name := object.GetName()
	if name == "" {
		name = object.GetGenerateName()
	}
	if namespace := object.GetNamespace(); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// fields are an object's members as JSON has them, less those that every version has alike.
func fields(object any) (map[string]any, error) {
	text, err := sent(object)
	if err != nil {
		return nil, err
	}
	members, err := parsed(text)
	if err != nil {
		return nil, err
	}
	all, ok := members.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is not an object in JSON", object)
	}
	for name := range all {
		if isCommon(name) {
			delete(all, name)
		}
	}
	return all, nil
}

// sent is an object in JSON as it says it when it has arrived somewhere. A struct with omitzero that holds nothing
// but an empty list is written as an empty object, which is read as a zero struct and not written again.
func sent(object any) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil || !bytes.Contains(text, []byte("{}")) {
		return text, err
	}
	arrived := reflect.New(reflect.TypeOf(object).Elem()).Interface()
	if err := json.Unmarshal(text, arrived); err != nil {
		return nil, err
	}
	return json.Marshal(arrived)
}

// isCommon reports the members that every version has alike, in any case of letters that JSON is read in.
func isCommon(member any) bool {
	name, ok := member.(string)
	return ok && (strings.EqualFold(name, "apiVersion") || strings.EqualFold(name, "kind") || strings.EqualFold(name, "metadata"))
}

// decoded is a value as JSON has it, with numbers as they are written.
func decoded(object any) (any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return parsed(text)
}

// parsed is JSON with numbers as they are written.
func parsed(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}
