// SPDX-License-Identifier: Apache-2.0

package failure

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Frame is a call of a function of the user's.
type Frame struct {
	Position
	// Function is the name of the function, with its package: "v1.(*OrderWebhook).ValidateCreate".
	Function string
}

// String returns the position and the function.
func (f Frame) String() string { return fmt.Sprintf("%s %s", f.Position, f.Function) }

// mostFrames is the number of calls that are shown of a panic.
const mostFrames = 5

// Frames returns the innermost calls of a stack that debug.Stack returned after a panic, up to the call by this module.
// It leaves out the calls of Go's own packages and of generated files.
func Frames(stack string) []Frame {
	frames := allFrames(stack)
	return frames[:min(len(frames), mostFrames)]
}

// UserFrame returns the innermost call that is not in a dependency, or else the innermost call of all.
func UserFrame(stack string) (f Frame, ok bool) {
	frames := allFrames(stack)
	if len(frames) == 0 {
		return Frame{}, false
	}
	i := slices.IndexFunc(frames, func(f Frame) bool { return !dependency(f.Position.File) })
	return frames[max(i, 0)], true
}

// dependency reports whether a file is in the module cache or below vendor. With -trimpath, a file of a dependency
// begins with its module and version.
func dependency(file string) bool {
	file = filepath.ToSlash(file)
	isTrimmed := !strings.HasPrefix(file, "/") && !strings.Contains(file, ":")
	return strings.Contains(file, "/pkg/mod/") || strings.Contains(file, "/vendor/") || isTrimmed && strings.Contains(file, "@v")
}

// allFrames is Frames without a limit.
func allFrames(stack string) []Frame {
	if _, panicked, ok := strings.Cut(stack, "\npanic("); ok {
		_, stack, _ = strings.Cut(panicked, "\n")
	}
	var frames []Frame
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines); i++ {
		place, below := strings.CutPrefix(lines[i+1], "\t")
		if !below {
			continue
		}
		function := lines[i]
		if strings.HasPrefix(function, "created by ") {
			break
		}
		if open := strings.LastIndex(function, "("); open > 0 {
			function = function[:open] // the arguments
		}
		place, _, _ = strings.Cut(place, " +0x")
		file, line, _ := cutLast(place, ":")
		number, err := strconv.Atoi(line)
		switch {
		case own(function, file) && len(frames) > 0:
			return frames
		case err != nil || !users(function, file):
			continue
		}
		frames = append(frames, Frame{Position{file, number}, function[strings.LastIndex(function, "/")+1:]})
	}
	return frames
}

func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// module is the import path of the runtime.
const module = "github.com/webhook-gen/webhook-gen/runtime"

// own reports whether a function is one of the runtime, and not of its tests.
func own(function, file string) bool {
	return strings.HasPrefix(function, module+"/") && !strings.HasSuffix(file, "_test.go")
}

// users reports whether a function is neither of Go, nor of the runtime, nor generated.
func users(function, file string) bool {
	return !own(function, file) && !standard(file) && !strings.HasPrefix(path.Base(file), "zz_generated")
}

// standard reports whether a file is one of Go's packages. With -trimpath, files begin with an import path.
func standard(file string) bool {
	const known = "strings/builder.go"
	if root, ok := strings.CutSuffix(OfMethod(&strings.Builder{}, "Len").File, known); ok && root != "" {
		return strings.HasPrefix(file, root)
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" && strings.HasPrefix(file, info.Main.Path+"/") {
		return false
	}
	first, _, _ := strings.Cut(file, "/")
	return first != "" && !strings.Contains(first, ".") // no domain
}

// Calls records the position of the caller for Caller: skip is 0 for the function that calls Calls.
func Calls(skip int) []uintptr {
	const deepest = 12
	pcs := make([]uintptr, deepest)
	return pcs[:runtime.Callers(skip+2, pcs)]
}

// Caller returns the position of a recorded call: in the function with a name, or in a function literal of it. If that
// function is not in the record, it is the first position outside of the runtime.
func Caller(calls []uintptr, function string) Position {
	if len(calls) == 0 {
		return Position{}
	}
	var first Position
	frames := runtime.CallersFrames(calls)
	for {
		frame, more := frames.Next()
		at := Position{frame.File, frame.Line}
		if function != "" && (frame.Function == function || strings.HasPrefix(frame.Function, function+".func")) {
			return at
		}
		if first.File == "" && users(frame.Function, frame.File) {
			first = at
		}
		if !more {
			return first
		}
	}
}

// Function returns the name of the function that called: skip is 0 for the function that calls Function.
func Function(skip int) string {
	pc, _, _, _ := runtime.Caller(skip + 1)
	if f := runtime.FuncForPC(pc); f != nil {
		return f.Name()
	}
	return ""
}
