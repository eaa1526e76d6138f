// SPDX-License-Identifier: Apache-2.0

// Package failure writes the failures of generated tests: at a position of the user's, with objects as YAML and
// differences as paths.
package failure

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// Position is a line of a file. The zero value is no position.
type Position struct {
	File string
	Line int
}

// String returns the position as the go command prints it: the name of a file in the working directory, and the path
// in its module of any other file.
func (p Position) String() string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", shown(p.File), p.Line)
}

// shown returns the shortest name of a file. With -trimpath, files of programs begin with an import path.
func shown(file string) string {
	dir, err := os.Getwd()
	if err != nil {
		return file
	}
	base := filepath.Base(file)
	if !filepath.IsAbs(file) && !strings.HasPrefix(file, ".") {
		if _, err := os.Stat(base); err == nil && filepath.Base(filepath.Dir(file)) == filepath.Base(dir) {
			return base
		}
		return file
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if filepath.Dir(file) == dir {
		return base
	}
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
			continue
		}
		if path, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(path, "..") {
			return filepath.ToSlash(path)
		}
		break
	}
	return file
}

// OfFunc returns the position of a function; none if the value is no function of a source file.
func OfFunc(function any) Position {
	v := reflect.ValueOf(function)
	if v.Kind() != reflect.Func || v.IsNil() {
		return Position{}
	}
	f := runtime.FuncForPC(v.Pointer())
	if f == nil {
		return Position{}
	}
	file, line := f.FileLine(f.Entry())
	if strings.HasPrefix(file, "<") { // a method that an embedded value has
		return Position{}
	}
	return Position{file, line}
}

// OfMethod returns the position of the method of a value; none if there is no such method.
func OfMethod(value any, name string) Position {
	if value == nil {
		return Position{}
	}
	t := reflect.TypeOf(value)
	types := []reflect.Type{t}
	if t.Kind() == reflect.Pointer {
		types = append(types, t.Elem()) // a pointer has wrappers of the methods of values
	}
	for _, t := range types {
		method, ok := t.MethodByName(name)
		if !ok {
			continue
		}
		if at := OfFunc(method.Func.Interface()); at.File != "" {
			return at
		}
	}
	return Position{}
}

// Report fails a test with a message at a position. Without a position, it is the line of the test that called.
func Report(t testing.TB, at Position, message string) {
	t.Helper()
	if at.File == "" {
		t.Errorf("%s", message)
		return
	}
	// From Go 1.25 on, a test can write without the position of the call. Other implementations of testing.TB may
	// embed a test, and override Error.
	if test, ok := t.(*testing.T); ok {
		if writer, ok := any(test).(interface{ Output() io.Writer }); ok {
			lines := strings.Split(strings.TrimRight(message, "\n"), "\n")
			if _, err := fmt.Fprintf(writer.Output(), "%s: %s\n", at, strings.Join(lines, "\n    ")); err == nil {
				t.Fail()
				return
			}
		}
	}
	t.Errorf("%s: %s", at, message)
}

// TB is a test that fails at a position.
type TB struct {
	testing.TB
	At Position
}

// Error is Errorf with the operands of fmt.Sprintln.
func (t TB) Error(args ...any) {
	t.Helper()
	Report(t.TB, t.At, fmt.Sprintln(args...))
}

// Errorf reports a failure at the position.
func (t TB) Errorf(format string, args ...any) {
	t.Helper()
	Report(t.TB, t.At, fmt.Sprintf(format, args...))
}

// Fatal is Error, and ends the test.
func (t TB) Fatal(args ...any) {
	t.Helper()
	t.Error(args...)
	t.FailNow()
}

// Fatalf is Errorf, and ends the test.
func (t TB) Fatalf(format string, args ...any) {
	t.Helper()
	t.Errorf(format, args...)
	t.FailNow()
}
