// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// definitionsReport is what a command did with the CustomResourceDefinitions of a cluster. D is a definition in the
// output of --output json.
type definitionsReport[D interface{ failed() bool }] struct {
	Definitions []D       `json:"definitions"`
	Skipped     []skipped `json:"skipped"`
	Problems    []string  `json:"problems"`
}

func (r *definitionsReport[D]) skip(what, why string) {
	r.Skipped = append(r.Skipped, skipped{what, why})
}

// each calls a function for each name. Its errors are problems in the report, unless the context has ended.
func (r *definitionsReport[D]) each(ctx context.Context, names []string, do func(ctx context.Context, name string) error) error {
	for _, name := range names {
		err := do(ctx, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Problems = append(r.Problems, fmt.Sprintf("%s: %v", name, err))
		}
	}
	return nil
}

func (r *definitionsReport[D]) code() int {
	switch {
	case len(r.Problems) > 0:
		return exitProblem
	case slices.ContainsFunc(r.Definitions, D.failed):
		return exitFindings
	}
	return exitClean
}

// write writes the report as JSON, or the definitions as a table for people and then the rest. Text of objects and of
// other programs cannot control the terminal.
func (r *definitionsReport[D]) write(out io.Writer, format string, table func(io.Writer, []D) error) error {
	if format == "json" {
		whole := definitionsReport[D]{append([]D{}, r.Definitions...), append([]skipped{}, r.Skipped...), append([]string{}, r.Problems...)}
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(whole)
	}
	if len(r.Definitions) > 0 {
		if err := table(out, r.Definitions); err != nil {
			return err
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(out, "skipped: %s: %s\n", cell(s.What), cell(s.Why))
	}
	for _, p := range r.Problems {
		if _, err := fmt.Fprintf(out, "problem: %s\n", cell(p)); err != nil {
			return err
		}
	}
	return nil
}
