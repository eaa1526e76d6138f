// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// endless is an input without an end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte(" "), len(p)))
	e.read += int64(len(p))
	return len(p), nil
}

// TestEvaluateReadsSoMuch gives explain evaluate an endless input, and a small one.
func TestEvaluateReadsSoMuch(t *testing.T) {
	p := newHostile(t, nil)
	var out bytes.Buffer
	in := &endless{}
	args := []string{"explain", "evaluate", "-C", p.dir}
	if code := run(t.Context(), args, streams{in: in, out: &out, err: &out}); code != exitTrouble || !strings.Contains(out.String(), "too large") {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
	if most := 2 * int64(regular.Manifest); in.read > most {
		t.Errorf("it has read %d bytes", in.read)
	}
	out.Reset()
	if code := run(t.Context(), args, streams{in: strings.NewReader(`{"requests": []}`), out: &out, err: &out}); code != 0 {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
