// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// patience is the time after which a run prints to a terminal that it goes on.
const patience = time.Second

// progress does the work. If that takes longer than patience and w is a terminal, a line there counts the seconds.
// It is wiped away at the end.
func progress[T any](w io.Writer, work func() T) T {
	if !isTerminal(w) {
		return work()
	}
	done := make(chan T, 1)
	go func() { done <- work() }()
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

// hasColours reports whether w is a terminal whose user has not turned colours off: https://no-color.org.
func hasColours(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows"
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
