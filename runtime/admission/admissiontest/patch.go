// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// applyPatch applies a JSON patch strictly by RFC 6902. An API server is more lenient in places, but it gives the same
// result for each patch that passes here.
func applyPatch(object, patch []byte) ([]byte, error) {
	document, err := failure.Decode(object)
	if err != nil {
		return nil, err
	}
	var operations []operation
	if err := json.Unmarshal(patch, &operations); err != nil {
		return nil, err
	}
	for i, o := range operations {
		if document, err = o.apply(document); err != nil {
			return nil, fmt.Errorf("operation %d, %s %s: %w", i, o.Op, o.Path, err)
		}
	}
	return json.Marshal(document)
}

// operation is one operation of a JSON patch.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from"`
	Value json.RawMessage `json:"value"`
}

func (o operation) apply(document any) (any, error) {
	path, err := pointer(o.Path)
	if err != nil {
		return nil, err
	}
	switch o.Op {
	case "remove":
		document, _, err = edit(document, path, remove, nil)
		return document, err
	case "move", "copy":
		from, err := pointer(o.From)
		if err != nil {
			return nil, err
		}
		action := read
		if o.Op == "move" {
			action = remove
		}
		document, value, err := edit(document, from, action, nil)
		if err != nil {
			return nil, fmt.Errorf("from %s: %w", o.From, err)
		}
		if value, err = clone(value); err != nil {
			return nil, err
		}
		document, _, err = edit(document, path, add, value)
		return document, err
	}
	if o.Value == nil {
		return nil, errors.New("it has no value")
	}
	value, err := failure.Decode(o.Value)
	if err != nil {
		return nil, err
	}
	switch o.Op {
	case "add":
		document, _, err = edit(document, path, add, value)
	case "replace":
		document, _, err = edit(document, path, replace, value)
	case "test":
		var got any
		if document, got, err = edit(document, path, read, nil); err == nil && !reflect.DeepEqual(got, value) {
			err = errors.New("the value is another one")
		}
	default:
		err = errors.New("there is no such operation")
	}
	return document, err
}

// pointer splits a JSON pointer (RFC 6901) into its members.
func pointer(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	if path[0] != '/' {
		return nil, errors.New("a path begins with /")
	}
	members := strings.Split(path[1:], "/")
	for i, member := range members {
		members[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(member)
	}
	return members, nil
}

// action is the operation of edit at the end of a path.
type action int

const (
	read action = iota
	add
	replace
	remove
)

// edit returns the node after an action at a path below it, and the former value at the path.
func edit(node any, path []string, do action, value any) (after, before any, err error) {
	if len(path) == 0 {
		if do == read {
			return node, node, nil
		}
		return value, node, nil
	}
	member, last := path[0], len(path) == 1
	switch node := node.(type) {
	case map[string]any:
		child, ok := node[member]
		if !ok && !(last && do == add) {
			return nil, nil, fmt.Errorf("there is no %q", member)
		}
		if last && do == remove {
			delete(node, member)
			return node, child, nil
		}
		node[member], before, err = edit(child, path[1:], do, value)
		return node, before, err
	case []any:
		length := len(node)
		if last && do == add {
			length++ // an element may be added behind the last one
		}
		index := len(node)
		if member != "-" || !last || do != add {
			if index, err = strconv.Atoi(member); err != nil || index < 0 || index >= length || strconv.Itoa(index) != member {
				return nil, nil, fmt.Errorf("there is no element %q in a list of %d", member, len(node))
			}
		}
		switch {
		case last && do == add:
			return slices.Insert(node, index, value), nil, nil
		case last && do == remove:
			before = node[index]
			return slices.Delete(node, index, index+1), before, nil
		}
		node[index], before, err = edit(node[index], path[1:], do, value)
		return node, before, err
	}
	return nil, nil, fmt.Errorf("%q is looked for in a value that is neither an object nor a list", member)
}

// clone copies a JSON value, so that a copy and its source can be edited apart.
func clone(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return failure.Decode(data)
}
