// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// patience is the time after which a run prints to a terminal that it goes on.
const patience = time.Second

// progress does the work. If that takes longer than patience and w is a terminal, a
// line there counts the seconds and is wiped away at the end.
func progress(ctx context.Context, w io.Writer, config engine.Config, work func(context.Context, engine.Config) engine.Result) engine.Result {
	if !isTerminal(w) {
		return work(ctx, config)
	}
	done := make(chan engine.Result, 1)
	go func() { done <- work(ctx, config) }()
	began := time.Now()
	tick := time.NewTicker(patience)
	defer tick.Stop()
	shown := false
	for {
		select {
		case result := <-done:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return result
		case <-tick.C:
			fmt.Fprintf(w, "\rwebhook-gen: reading packages, %ds", int(time.Since(began).Seconds()))
			shown = true
		}
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
