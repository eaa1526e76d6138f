// SPDX-License-Identifier: Apache-2.0

package wire

import "fmt"

// Unique checks that no object within the value at src[i] has a duplicate key, and returns the offset behind the value.
// It is called before types decode themselves, because they cannot detect duplicates.
func Unique(src []byte, i int) (int, error) {
	switch src[i] {
	case '[':
		if i = Space(src, i+1); src[i] == ']' {
			return i + 1, nil
		}
		for {
			var err error
			if i, err = Unique(src, i); err != nil {
				return i, err
			}
			if i = Space(src, i); src[i] == ']' {
				return i + 1, nil
			}
			i = Space(src, i+1)
		}
	case '{':
		if i = Space(src, i+1); src[i] == '}' {
			return i + 1, nil
		}
		var seen keys
		for {
			key := Span{i, SkipString(src, i)}
			if text := Text(src, key); !seen.add(text) {
				return i, Duplicate(text)
			}
			i = Space(src, Space(src, key.End)+1)
			var err error
			if i, err = Unique(src, i); err != nil {
				return i, err
			}
			if i = Space(src, i); src[i] == '}' {
				return i + 1, nil
			}
			i = Space(src, i+1)
		}
	}
	return Skip(src, i), nil
}

// Duplicate returns the error of a duplicate key.
func Duplicate(key []byte) error {
	if len(key) > longKey {
		key = append(key[:longKey:longKey], "…"...)
	}
	return fmt.Errorf("the key %q stands twice in one object", key)
}

// keys is the set of the keys of one object. Most objects have few, and comparing a few is quicker than hashing them.
type keys struct {
	few  [16][]byte
	n    int
	many map[string]struct{}
}

// add adds a key. It returns false if the set already has the key.
func (k *keys) add(key []byte) bool {
	if k.many != nil {
		if _, ok := k.many[string(key)]; ok {
			return false
		}
		k.many[string(key)] = struct{}{}
		return true
	}
	for _, other := range k.few[:k.n] {
		if string(other) == string(key) {
			return false
		}
	}
	if k.n < len(k.few) {
		k.few[k.n] = key
		k.n++
		return true
	}
	k.many = make(map[string]struct{}, 2*len(k.few))
	for _, other := range k.few {
		k.many[string(other)] = struct{}{}
	}
	k.many[string(key)] = struct{}{}
	return true
}
