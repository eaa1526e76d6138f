// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// sieve reads files and lets those pass that hold one of its words, or a misspelt one. A misspelt word begins with a
// plus sign, or has another sign before it and a further word behind its colon. Files with a merge conflict pass, too,
// so that it is reported. A sieve reads through one buffer of fixed size. Files that do not pass, however large, cost
// no memory. It serves one goroutine.
type sieve struct {
	words   [][]byte
	overlay Overlay // texts that replace files
	buffer  []byte
	overlap int // what a word may need of the chunk before
}

func newSieve(words []string, overlay Overlay) *sieve {
	s := &sieve{overlay: overlay}
	for _, w := range words {
		s.words = append(s.words, []byte(w))
		s.overlap = max(s.overlap, len(w)-1+room)
	}
	return s
}

// chunk is the length of the text that is read at once. Most source files are smaller.
const chunk = 64 << 10

// open opens a file to read through the buffer.
func (s *sieve) open(path string) (*os.File, error) {
	if s.buffer == nil {
		s.buffer = make([]byte, s.overlap+chunk)
	}
	return regular.Open(path, regular.Source)
}

// room is how many bytes longer than a marker a misspelt one may be.
const room = 8

// passes reports whether the text holds one of the words, or a misspelt marker among them.
func (s *sieve) passes(text []byte) bool {
	if slices.ContainsFunc(s.words, func(w []byte) bool { return bytes.Contains(text, w) }) || bytes.Contains(text, []byte("\n<<<<<<< ")) {
		return true
	}
	for _, w := range s.words {
		if name, ok := bytes.CutPrefix(w, []byte("+")); ok && len(name) > 0 && named(text, name) {
			return true
		}
	}
	for rest := text; ; {
		i := bytes.IndexByte(rest, '+')
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
		for _, w := range s.words {
			if name, ok := bytes.CutPrefix(w, []byte("+")); ok && resembles(rest, name) {
				return true
			}
		}
	}
}

// named reports whether a text has a marker's name with a colon and a further word, whatever the sign before it.
func named(text, name []byte) bool {
	for {
		i := bytes.Index(text, name)
		if i < 0 {
			return false
		}
		text = text[i+len(name):]
		if rest, ok := bytes.CutPrefix(text, []byte(":")); ok && len(rest) > 0 && unicode.IsLetter(rune(rest[0])) {
			return true
		}
	}
}

// resembles reports whether each word of a marker's name, which colons separate, has its likeness at the beginning of a
// text. Blanks may be before them.
func resembles(text, name []byte) bool {
	text = bytes.TrimLeft(text[:min(len(text), len(name)+room)], " \u00a0")
	for first := true; ; first = false {
		want, further, more := bytes.Cut(name, []byte(":"))
		if !first {
			if len(text) == 0 || !bytes.ContainsRune([]byte(":= \t"), rune(text[0])) {
				return false
			}
			text = text[1:]
		}
		end := len(text) - len(bytes.TrimLeftFunc(text, unicode.IsLetter))
		if !diag.Resembles(string(text[:end]), string(want)) {
			return false
		}
		if !more {
			return true
		}
		text, name = text[end:], further
	}
}

// read returns the text of a file that passes, and nil for one that does not.
func (s *sieve) read(path string) ([]byte, error) {
	if text, ok := s.overlay[path]; ok && text != nil {
		if !s.passes(text) {
			return nil, nil
		}
		return text, nil
	}
	f, err := s.open(path)
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
			return regular.ReadFile(path, regular.Source)
		case end:
			return nil, nil
		}
		kept = copy(s.buffer, text[len(text)-s.overlap:])
	}
}

// head returns the beginning of a file: enough for a licence and a generator's header. It
// is good until the sieve is next used.
func (s *sieve) head(path string) ([]byte, error) {
	f, err := s.open(path)
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
