// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"runtime"
	"testing"
	"time"
)

func TestDeadline(t *testing.T) {
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
	defer cancel()
	soon := func() *deadline { return &deadline{parent: parent, at: time.Now().Add(20 * time.Millisecond)} }

	t.Run("passes", func(t *testing.T) {
		d := soon()
		if d.Err() != nil || d.Value(key{}) != "v" {
			t.Errorf("%v, %v", d.Err(), d.Value(key{}))
		}
		<-d.Done()
		if d.Err() != context.DeadlineExceeded || context.Cause(d) != context.DeadlineExceeded {
			t.Error(d.Err())
		}
	})
	t.Run("has passed before anybody waits", func(t *testing.T) {
		d := &deadline{parent: parent, at: time.Now().Add(-time.Second)}
		if d.Err() != context.DeadlineExceeded {
			t.Error(d.Err())
		}
	})
	t.Run("ends before anybody waits", func(t *testing.T) {
		d := soon()
		d.end()
		if <-d.Done(); d.Err() != context.Canceled {
			t.Error(d.Err())
		}
	})
	t.Run("ends while a derived context waits", func(t *testing.T) {
		d := &deadline{parent: parent, at: time.Now().Add(time.Hour)}
		goroutines := runtime.NumGoroutine()
		derived, cancel := context.WithTimeout(d, time.Minute)
		defer cancel()
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%d goroutines to wait with", n-goroutines)
		}
		d.end()
		if <-derived.Done(); derived.Err() != context.Canceled {
			t.Error(derived.Err())
		}
	})
	t.Run("an earlier one of the parent", func(t *testing.T) {
		earlier, cancel := context.WithTimeout(parent, time.Millisecond)
		defer cancel()
		d := &deadline{parent: earlier, at: time.Now().Add(time.Hour)}
		want, _ := earlier.Deadline()
		if got, ok := d.Deadline(); got != want || !ok {
			t.Errorf("%v, want %v", got, want)
		}
		<-d.Done()
	})
	t.Run("the parent ends", func(t *testing.T) {
		d := soon()
		done := d.Done()
		cancel()
		if <-done; d.Err() != context.Canceled {
			t.Error(d.Err())
		}
	})
}
