package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	kjson "k8s.io/apimachinery/pkg/util/json"
)

// route leads from one version of a kind to another one.
type route struct {
	// typed converts the text of an object.
	typed func(ctx context.Context, object []byte) ([]byte, error)
	same  Same
}

// typed has a function on Go types convert texts, which are read as API servers read them.
func typed[S, D any](f func(context.Context, *S, *D) error) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, object []byte) (converted []byte, err error) {
		// The code of others runs in here, that of their types included.
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
		var src S
		if err := kjson.Unmarshal(object, &src); err != nil {
			return nil, err
		}
		var dst D
		if err := f(ctx, &src, &dst); err != nil {
			return nil, err
		}
		return json.Marshal(&dst)
	}
}

// PanicError is a panic of a conversion.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// convert converts the text of an object. What is the same in both versions does not take part.
func (r route) convert(ctx context.Context, object []byte) ([]byte, error) {
	converted, err := r.typed(ctx, r.cut(object))
	if err != nil {
		return nil, err
	}
	return r.join(converted, object)
}

// cut is the text of an object less what is the same.
func (r route) cut(object []byte) []byte {
	o := objectWriter{out: append(make([]byte, 0, len(object)), '{')}
	_, hidden := r.same.of(metadata)
	for m := range members(object) {
		if m.is("metadata") && hidden {
			o.key(m.key)
			o.out = cutMetadata(o.out, m.value)
			continue
		}
		r.same.cut(&o, m)
	}
	return append(o.out, '}')
}

// join is the text of a converted object with what is the same put back from the object that it was.
func (r route) join(converted, object []byte) (joined []byte, err error) {
	o := objectWriter{out: append(make([]byte, 0, len(object)+len(converted)), '{')}
	for m := range members(converted) {
		if m.is("apiVersion") || m.is("kind") {
			o.member(m)
		}
	}
	_, hidden := r.same.of(metadata)
	o.key(metadata.key)
	if o.out, err = joinMetadata(o.out, valueOf(converted, "metadata"), valueOf(object, "metadata"), hidden); err != nil {
		return nil, err
	}
	for m := range members(converted) {
		if !isCommon(unquoted(m.key)) {
			r.same.join(&o, m, object)
		}
	}
	for m := range members(object) {
		if !isCommon(unquoted(m.key)) {
			r.same.restore(&o, m, converted)
		}
	}
	return append(o.out, '}'), nil
}
