package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// peak samples the memory that Go has for its heap and returns the most it saw over what there was, when asked to stop.
func peak() (stop func() uint64) {
	debug.FreeOSMemory()
	in := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapSys - m.HeapReleased
	}
	before, most := in(), uint64(0)
	ended, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			most = max(most, in())
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(ended); <-sampled; return max(most, before) - before }
}

// TestMemoryFollowsWhatArrived has 150 connections that announce 128 MiB, and send 1.1 MB. The bytes that arrive are 165 MB.
func TestMemoryFollowsWhatArrived(t *testing.T) {
	s := serve(t, answer, func(s *site) {
		s.Handle(conversion.Path, conversion.NewHandler())
		s.MaxBytesInFlight = 128 << 20
	})
	sent := bytes.Repeat([]byte(" "), 1<<20+100<<10)
	stop := peak()
	var senders sync.WaitGroup
	for range 150 {
		connection := s.dial(t)
		connection.SetWriteDeadline(time.Now().Add(3 * time.Second)) // what the server does not take
		senders.Add(1)
		go func() {
			defer senders.Done()
			fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", conversion.Path, 128<<20)
			connection.Write(sent)
		}()
	}
	senders.Wait()
	if got := s.answers(t, 20); got != 20 {
		t.Errorf("%d of 20 calls were answered", got)
	}
	if got := stop(); got > 128<<20 {
		t.Errorf("the heap grew by %d MiB", got>>20)
	} else {
		t.Logf("the heap grew by %d MiB", got>>20)
	}
}

var _ = io.EOF
var _ = http.StatusOK
