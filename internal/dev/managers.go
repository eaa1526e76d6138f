// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fields is a set of fields in the form of managedFields: a member for each field, with the fields below it. A set
// without members is a field as a whole.
type fields map[string]fields

// givenBack returns the managers of an object without dev, and gives each of its fields back to the managers that it
// had before. Other changes of managers since then stay.
func givenBack(now, before []metav1.ManagedFieldsEntry) ([]metav1.ManagedFieldsEntry, error) {
	var taken fields
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range now {
		if entry.Manager != fieldManager {
			kept = append(kept, entry)
			continue
		}
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		taken = union(taken, set)
	}
	for _, entry := range before {
		if entry.Manager == fieldManager {
			continue
		}
		was, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		back := intersection(was, taken)
		if len(back) == 0 {
			continue
		}
		i := slices.IndexFunc(kept, func(e metav1.ManagedFieldsEntry) bool {
			return e.Manager == entry.Manager && e.Operation == entry.Operation && e.APIVersion == entry.APIVersion && e.Subresource == entry.Subresource
		})
		if i < 0 {
			kept = append(kept, entry)
			i = len(kept) - 1
		} else {
			has, err := fieldsOf(kept[i])
			if err != nil {
				return nil, err
			}
			back = union(has, back)
		}
		text, err := json.Marshal(back)
		if err != nil {
			return nil, err
		}
		kept[i].FieldsV1 = metav1.NewFieldsV1(string(text))
	}
	if len(kept) == 0 {
		// An empty list means that nothing is said, and an empty entry that there are no managers.
		kept = []metav1.ManagedFieldsEntry{{}}
	}
	return kept, nil
}

func fieldsOf(e metav1.ManagedFieldsEntry) (fields, error) {
	var set fields
	if e.FieldsV1 == nil {
		return set, nil
	}
	err := json.Unmarshal(e.FieldsV1.GetRawBytes(), &set)
	return set, err
}

func union(a, b fields) fields {
	if a == nil {
		return b
	}
	all := maps.Clone(a)
	for key, below := range b {
		all[key] = union(all[key], below)
	}
	return all
}

// intersection returns the fields that are in both sets. A field as a whole in one set includes the fields below it in
// the other one.
func intersection(a, b fields) fields {
	both := fields{}
	for key, below := range a {
		other, ok := b[key]
		if ok && len(below) > 0 && len(other) > 0 {
			below = intersection(below, other)
			ok = len(below) > 0
		}
		if ok {
			both[key] = below
		}
	}
	return both
}

// ownedByOthers reports that somebody besides dev has set fields of an object's spec, or fields that cannot be read.
func ownedByOthers(o object) bool {
	return slices.ContainsFunc(o.ManagedFields, func(entry metav1.ManagedFieldsEntry) bool {
		set, err := fieldsOf(entry)
		_, spec := set["f:spec"]
		return entry.Manager != fieldManager && entry.Subresource == "" && (spec || err != nil)
	})
}
