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

// sieve reads files and passes those with one of its words or a misspelt marker. A misspelt marker begins with a plus
// sign, or has another sign in its place and a word after its colon. Files with a merge conflict also pass, so that
// the conflict is reported. A sieve has one buffer of fixed size, so large files that do not pass need no memory. It
// is not safe for concurrent use.
type sieve struct {
	words   [][]byte
	overlay Overlay // texts that replace files
	buffer  []byte
	overlap int // bytes to keep from the previous chunk
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

// room is the maximal excess length of a misspelt marker in bytes.
const room = 8

// passes reports whether the text contains one of the words or a misspelt marker.
func (s *sieve) passes(text []byte) bool {
	if slices.ContainsFunc(s.words, func(w []byte) bool { return bytes.Contains(text, w) }) || bytes.Contains(text, []byte("\n<<<<<<< ")) {
		return true
	}
	for _, w := range s.words {
		if name, ok := bytes.CutPrefix(w, []byte("+")); ok && len(name) > 0 && hasMarkerName(text, name) {
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

// hasMarkerName reports whether a text contains a marker's name with a colon and a word after it.
func hasMarkerName(text, name []byte) bool {
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

// resembles reports whether a text begins with words that resemble those of a marker's name, which has colons between
// them. Blanks may precede them.
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

// read returns the text of a file that passes, or nil.
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

// head returns the beginning of a file, long enough for a licence and a generator's header. The bytes are valid until
// the next use of the sieve.
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
