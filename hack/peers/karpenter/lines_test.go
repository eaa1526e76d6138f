// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLines checks the counts in docs/guides/conversions.md: of code by hand, it counts lines with Go code; of
// generated code, all lines.
func TestLines(t *testing.T) {
	dir := module(t)
	karpenter := strings.TrimSpace(run(t, dir, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/karpenter"))
	theirs, err := filepath.Glob(filepath.Join(karpenter, "pkg", "apis", "v1*", "*_conversion.go"))
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, file := range theirs {
		before += linesOfCode(t, file)
	}
	ours := filepath.Join(dir, "karpenter", "v1beta1")
	markers := bytes.Count(read(t, filepath.Join(ours, "doc.go")), []byte("// +webhook"))
	generated := bytes.Count(read(t, filepath.Join(ours, "zz_generated.conversion.go")), []byte("\n"))
	byHand := linesOfCode(t, filepath.Join(ours, "cluster.go"))
	t.Logf("%d lines with markers, %d by hand, %d generated; karpenter: %d by hand", markers, byHand, generated, before)
	if before == 0 || markers+byHand > before/2 {
		t.Error("markers and hooks save less than half of the lines")
	}
}

// linesOfCode counts the lines that have Go code on them.
func linesOfCode(t *testing.T, path string) int {
	t.Helper()
	text := read(t, path)
	file := token.NewFileSet().AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		lines[file.Line(pos)] = true
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
