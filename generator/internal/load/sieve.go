// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"errors"
	"io"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// sieve reads files and lets those pass that hold one of its words. It reads through one
// buffer of fixed size, so that files that do not pass, however large, cost no memory. A
// sieve serves one goroutine.
type sieve struct {
	words   [][]byte
	overlay Overlay // texts that replace files
	buffer  []byte
	overlap int // what a word may need of the chunk before
}

func newSieve(words []string, overlay Overlay) *sieve {
	const chunk = 64 << 10 // most source files are smaller
	s := &sieve{overlay: overlay}
	for _, w := range words {
		s.words = append(s.words, []byte(w))
		s.overlap = max(s.overlap, len(w)-1)
	}
	s.buffer = make([]byte, s.overlap+chunk)
	return s
}

// passes reports whether the text holds one of the words.
func (s *sieve) passes(text []byte) bool {
	for _, w := range s.words {
		if bytes.Contains(text, w) {
			return true
		}
	}
	return false
}

// read returns the text of a file that passes, and nil for one that does not.
func (s *sieve) read(path string) ([]byte, error) {
	if text, ok := s.overlay[path]; ok && text != nil {
		if !s.passes(text) {
			return nil, nil
		}
		return text, nil
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for kept, first := 0, true; ; first = false {
		n, err := io.ReadFull(f, s.buffer[kept:])
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return nil, err
		}
		text := s.buffer[:kept+n]
		switch {
		case s.passes(text) && first && end:
			return bytes.Clone(text), nil
		case s.passes(text):
			return regular.ReadFile(path)
		case end:
			return nil, nil
		}
		kept = copy(s.buffer, text[len(text)-s.overlap:])
	}
}

// head returns the beginning of a file: enough for a licence and a generator's header. It
// is good until the sieve is next used.
func (s *sieve) head(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := io.ReadFull(f, s.buffer[:8<<10])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return s.buffer[:n], err
}
