// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Places says where in the source fields of a webhook are set, by path: "clientConfig.service.path", "rules[0].scope".
type Places map[string]diag.Range

// Nearest is where a field is set, or else the nearest field around it, or else what is around them all.
func (p Places) Nearest(field string, around diag.Range) diag.Range {
	for field != "" {
		if at, ok := p[field]; ok {
			return at
		}
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return around
}

// Set records the position of a field, if it has one.
func (p Places) Set(field string, at diag.Range) {
	if at.IsValid() {
		p[field] = at
	}
}

// SetList records the positions of a list and of its elements.
func (p Places) SetList(field string, list diag.Sourced[[]string]) {
	p.Set(field, list.At)
	for i, at := range list.Each {
		p.Set(fmt.Sprintf("%s[%d]", field, i), at)
	}
}
