// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"maps"
	"strings"
)

// auditKeyLimit is the longest key of an audit annotation: it is the name part of a qualified name.
const auditKeyLimit = 63

// AuditAnnotation adds an annotation to the audit event of the user's request, at level Metadata and above. The API
// server prefixes the key with the webhook's name and a slash. If a key is given twice, the last value counts.
//
// The API server drops a key that is not a valid qualified name, and only logs that (AddAnnotationWithLevel in
// k8s.io/apiserver/pkg/admission). So the key is made to fit: characters other than letters, digits, '-', '_' and '.'
// become '-', '-', '_' and '.' are trimmed from both ends, and the key is cut after 63 characters. If nothing is left,
// the key is "annotation".
func (r *Request) AuditAnnotation(key, value string) {
	if r.annotations == nil {
		r.annotations = make(map[string]string)
	}
	r.annotations[auditKey(key)] = value
}

// AuditAnnotations returns the annotations added so far, as the API server will get them.
func (r *Request) AuditAnnotations() map[string]string { return maps.Clone(r.annotations) }

func auditKey(key string) string {
	key = strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.':
			return c
		}
		return '-'
	}, key)
	key = strings.TrimLeft(key, "-_.")
	key = strings.TrimRight(key[:min(len(key), auditKeyLimit)], "-_.")
	if key == "" {
		return "annotation"
	}
	return key
}
