// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Ratchet makes an error of a validator on UPDATE a warning, if the stored object has the same error. So objects that
// are older than a rule can still be updated, as long as an update adds no error (kubernetes/kubernetes#94060).
//
// The errors of the stored object are the errors of the same function for an update that changes nothing: by the same
// user, with the stored object as both objects. The function is called a second time only after it has denied.
//
// Field errors are the same if their path, type, value and message are, and the object's own value at the path, unless
// that is a list, a map or a struct. In the path, an element of a list has the members that [ListKeys] declares in
// place of its index. Forbidden and all errors other than field errors always deny: they may be about the user or the
// change, and not about the object.
//
// The last option of this name counts.
func Ratchet(on bool) Option { return func(h *Handler) { h.ratchet = on } }

// ratcheted returns the error that remains of err, with which f has denied r, and warns of the errors that the stored
// object has, too.
func ratcheted[T any](ctx context.Context, c *call, r *UpdateRequest[T], f func(context.Context, *UpdateRequest[T]) error, err error) error {
	if !ratchetable(err) {
		return err
	}
	all := leaves(err, nil)
	if !slices.ContainsFunc(all, isAboutObject) {
		return err
	}
	e := c.envelope
	e.found[objectPart] = e.found[oldObjectPart]
	same := &UpdateRequest[T]{Request: c.head, Object: new(T), Options: r.Options, shape: r.shape}
	same.envelope = &e
	defer func() { same.envelope = nil }()
	if e.content(objectPart, r.shape, reflect.ValueOf(same.Object)) != nil {
		return err
	}
	before := f(ctx, same)
	if !ratchetable(before) {
		return err // without the errors of the stored object, all errors are new
	}
	stored := map[fieldError]int{}
	for _, leaf := range leaves(before, nil) {
		if known, ok := fieldErrorOf(leaf, r.shape, reflect.ValueOf(same.Object)); ok {
			stored[known]++
		}
	}
	var known []string
	var rest field.ErrorList
	onlyFields := true
	for _, leaf := range all {
		key, ok := fieldErrorOf(leaf, r.shape, reflect.ValueOf(r.Object))
		if ok && stored[key] > 0 {
			stored[key]--
			known = append(known, "as before: "+leaf.Error())
			continue
		}
		invalid, isField := leaf.(*field.Error)
		onlyFields = onlyFields && isField
		rest = append(rest, invalid)
	}
	switch _, other := fieldErrors(err, nil); {
	case len(known) == 0, len(rest) > 0 && (other || !onlyFields):
		return err
	}
	r.Warn(known...)
	return rest.ToAggregate()
}

// ratchetable reports whether an error can be the same as another one: it is a denial without a status of its own.
func ratchetable(err error) bool {
	if err == nil || isFailure(err) {
		return false
	}
	_, settled := ownStatus(err)
	return !settled
}

// leaves appends the errors that err wraps, joins or aggregates, at any depth, or else err itself.
func leaves(err error, list []error) []error {
	if _, ok := err.(*field.Error); ok {
		return append(list, err)
	}
	reasons := causes(err)
	if len(reasons) == 0 {
		return append(list, err)
	}
	for _, reason := range reasons {
		list = leaves(reason, list)
	}
	return list
}

// fieldError identifies a field error among the errors of an object.
type fieldError struct {
	path, message string
	// value is the value in the error, and own the object's value at the path, if that has no members: an error may hide
	// its value.
	value, own string
}

// isAboutObject reports a field error that is about a value of the object.
func isAboutObject(err error) bool {
	e, ok := err.(*field.Error)
	return ok && e != nil && e.Type != field.ErrorTypeForbidden && e.Type != field.ErrorTypeInternal
}

// fieldErrorOf returns the identity of a field error of an object. It returns false for other errors, and for values
// that JSON cannot express.
func fieldErrorOf(err error, s *wire.Shape, object reflect.Value) (id fieldError, ok bool) {
	if !isAboutObject(err) {
		return id, false
	}
	e := err.(*field.Error)
	value, failed := json.Marshal(e.BadValue)
	id.value, id.message = string(value), string(e.Type)+": "+e.Detail
	id.path, id.own = stablePath(e.Field, s, object.Elem())
	return id, failed == nil
}

// stablePath returns a field path of an object with the keys of an element in place of its index, in lists that declare
// keys: spec.items[sku="tea"].quantity. Elements of sets have their value. The path stays the same from the first step
// that the object does not have. It also returns the value at the path as JSON, if the value has no members.
func stablePath(path string, s *wire.Shape, v reflect.Value) (stable, value string) {
	var out strings.Builder
	var in *wire.Member // the list that v is
	for path != "" {
		if path[0] == '.' {
			out.WriteByte('.')
			path = path[1:]
			continue
		}
		if s, v = s.PointedAt(v); !v.IsValid() {
			return out.String() + path, ""
		}
		var step int
		var known string
		switch s.Kind {
		case wire.Structure:
			if step = strings.IndexAny(path, ".["); step < 0 {
				step = len(path)
			}
			i, ok := s.Index[path[:step]]
			if !ok {
				return out.String() + path, ""
			}
			in, known = &s.Fields[i], path[:step]
			if v, ok = in.In(v); !ok {
				return out.String() + path, ""
			}
			s = in.Shape
		case wire.List:
			step = strings.IndexByte(path, ']') + 1
			if path[0] != '[' || step == 0 {
				return out.String() + path, ""
			}
			i, err := strconv.Atoi(path[1 : step-1])
			if err != nil || i < 0 || i >= v.Len() {
				return out.String() + path, ""
			}
			s, v = s.Elem, v.Index(i)
			if known = path[:step]; in != nil {
				known = elementName(in, s, v, known)
			}
			in = nil
		case wire.Dict:
			step = keyEnd(path, v)
			if step == 0 {
				return out.String() + path, ""
			}
			key := reflect.New(v.Type().Key()).Elem()
			key.SetString(path[1 : step-1])
			s, v, known, in = s.Elem, v.MapIndex(key), path[:step], nil
		default:
			return out.String() + path, ""
		}
		out.WriteString(known)
		path = path[step:]
	}
	return out.String(), ownValue(s, v)
}

// ownValue returns a value as JSON; empty for a value with members, and for none.
func ownValue(s *wire.Shape, v reflect.Value) string {
	if s, v = s.PointedAt(v); !v.IsValid() || slices.Contains([]wire.Kind{wire.Structure, wire.List, wire.Dict, wire.Dynamic}, s.Kind) {
		return ""
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(text)
}

// elementName returns the step of a path to an element of a list: its keys, its value in a set, or else its index.
func elementName(list *wire.Member, s *wire.Shape, v reflect.Value, index string) string {
	if list.Set {
		if text, err := json.Marshal(v.Interface()); err == nil {
			return "[" + string(text) + "]"
		}
		return index
	}
	s, v = s.PointedAt(v)
	if !v.IsValid() || s.Kind != wire.Structure || len(list.ListKeys) == 0 || !s.HasAll(list.ListKeys) {
		return index
	}
	var keys []string
	for _, name := range list.ListKeys {
		key, ok := s.Fields[s.Index[name]].In(v)
		if !ok {
			return index
		}
		text, err := json.Marshal(key.Interface())
		if err != nil {
			return index
		}
		keys = append(keys, name+"="+string(text))
	}
	return "[" + strings.Join(keys, ",") + "]"
}

// keyBrackets is the number of closing brackets that a key may contain. Users choose keys, and each bracket costs a
// lookup.
const keyBrackets = 16

// keyEnd returns the end of the step to an entry of a map: [key], where the key may contain brackets. It is 0 without
// such an entry.
func keyEnd(path string, m reflect.Value) int {
	if path[0] != '[' {
		return 0
	}
	brackets := 0
	for end := 1; end < len(path) && brackets <= keyBrackets; end++ {
		if path[end] != ']' {
			continue
		}
		brackets++
		key := reflect.New(m.Type().Key()).Elem()
		key.SetString(path[1:end])
		if m.MapIndex(key).IsValid() {
			return end + 1
		}
	}
	return 0
}
