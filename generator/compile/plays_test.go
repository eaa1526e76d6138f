// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// TestPlays generates conversions from pairs of versions and plays the clients of both. Each file in testdata/plays has
// the types of v1 and of v2, which is stored, and steps:
//
//	v1 writes OBJECT   a client of v1 replaces the object
//	v1 merges OBJECT   a client of v1 reads the object, applies a merge patch, and writes it back
//	v1 reads OBJECT    a client of v1 reads the object: this, apart from its metadata
func TestPlays(t *testing.T) {
	skipIfShort(t)
	files, err := filepath.Glob("testdata/plays/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no plays: %v", err)
	}
	w := newWorkspace(t)
	dir, _ := w.add("app", nil)
	var imports, plays strings.Builder
	for i, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := recipe{folder: fmt.Sprintf("p%02d", i)}
		steps := ""
		for _, f := range archive.Files {
			switch f.Name {
			case "v1.go":
				r.spoke = string(f.Data)
			case "v2.go":
				r.hub = string(f.Data)
			case "steps":
				steps = string(f.Data)
			default:
				t.Fatalf("%s: a play has no file %s", file, f.Name)
			}
		}
		r.write(t, dir)
		fmt.Fprintf(&imports, "\t%[1]s \"example.com/app/internal/webhook/%[1]s/v1\"\n", r.folder)
		fmt.Fprintf(&plays, "\tt.Run(%q, func(t *testing.T) { play(t, %s.Conversions(), %[2]q, %q) })\n", filepath.Base(file), r.folder, steps)
	}
	result := engine.Generate(context.Background(), engine.Config{Dir: dir})
	if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
		t.Fatal(failed)
	}
	writeFile(t, filepath.Join(dir, "plays_test.go"), strings.NewReplacer("IMPORTS", imports.String(), "PLAYS", plays.String()).Replace(playsTest))
	w.use("app")
	if out, err := w.goCommand("test", "-vet=off", "example.com/app"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const playsTest = `package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
IMPORTS)

func TestPlays(t *testing.T) {
PLAYS}

func play(t *testing.T, kinds conversion.Option, folder, steps string) {
	handler := conversion.NewHandler(kinds)
	convert := func(object map[string]any, version string) map[string]any {
		t.Helper()
		if object["apiVersion"] == folder+".example.com/"+version {
			return object
		}
		text, _ := json.Marshal(object)
		review := fmt.Sprintf(` + "`" + `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"%s.example.com/%s","objects":[%s]}}` + "`" + `, folder, version, text)
		r := httptest.NewRequest(http.MethodPost, conversion.Path, bytes.NewReader([]byte(review)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var answer struct {
			Response struct {
				ConvertedObjects []map[string]any
				Result           any
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Response.ConvertedObjects) != 1 {
			t.Fatalf("%s to %s: %v: %s", text, version, err, w.Body)
		}
		return answer.Response.ConvertedObjects[0]
	}
	var stored map[string]any
	for _, step := range strings.Split(strings.TrimSpace(steps), "\n") {
		words := strings.SplitN(step, " ", 3)
		var object map[string]any
		if err := json.Unmarshal([]byte(words[2]), &object); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		switch words[1] {
		case "writes":
			object["apiVersion"], object["kind"], object["metadata"] = folder+".example.com/"+words[0], "Order", map[string]any{"name": "order"}
			stored = convert(object, "v2")
		case "merges":
			stored = convert(merge(convert(stored, words[0]), object), "v2")
		case "reads":
			got, _ := json.Marshal(convert(stored, words[0]))
			var read map[string]any
			json.Unmarshal(got, &read)
			delete(read, "apiVersion")
			delete(read, "kind")
			delete(read, "metadata")
			if !reflect.DeepEqual(read, object) {
				all, _ := json.Marshal(stored)
				t.Errorf("%s: got %s of %s", step, got, all)
			}
		default:
			t.Fatalf("no step %s", step)
		}
	}
}

func merge(object, patch map[string]any) map[string]any {
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		before, wasObject := object[name].(map[string]any)
		switch {
		case value == nil:
			delete(object, name)
		case isObject && wasObject:
			object[name] = merge(before, inner)
		default:
			object[name] = value
		}
	}
	return object
}
`
