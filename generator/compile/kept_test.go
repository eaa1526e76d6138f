// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// convertProgram has the handler convert an Order on standard input, as an API server would, and compares the result
// with the functions.
const convertProgram = `package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
	webhookv1 "example.com/app/internal/webhook/v1"
)

func main() {
	object, _ := io.ReadAll(os.Stdin)
	review := fmt.Sprintf(` + "`" + `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"shop.example.com/%s","objects":[%s]}}` + "`" + `, os.Args[1], object)
	r := httptest.NewRequest(http.MethodPost, conversion.Path, bytes.NewReader([]byte(review)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	conversion.NewHandler(webhookv1.Conversions()).ServeHTTP(w, r)
	var answer struct {
		Response struct{ ConvertedObjects []json.RawMessage }
	}
	json.Unmarshal(w.Body.Bytes(), &answer)
	served := answer.Response.ConvertedObjects[0]

	if os.Args[1] == "v1" {
		compare(object, served, webhookv1.OrderFromHub)
	} else {
		compare(object, served, webhookv1.OrderToHub)
	}
	os.Stdout.Write(served)
}

func compare[S, D any](object, served []byte, convert func(context.Context, *S, *D) error) {
	var src S
	var want, got D
	json.Unmarshal(object, &src)
	json.Unmarshal(served, &got)
	if err := convert(context.Background(), &src, &want); err != nil || !reflect.DeepEqual(want, got) {
		fmt.Fprintf(os.Stderr, "%v: converted %+v, served %+v", err, want, got)
		os.Exit(1)
	}
}
`

// TestKept runs generated code through the steps of rule G26. Old servers keep a value in the annotation of an object
// that is stored as v1. New servers, whose v1 has a member for the value, ignore the annotation: it is not signed, so
// anybody may have written it.
func TestKept(t *testing.T) {
	skipIfShort(t)
	w := newWorkspace(t)
	states := map[string]string{"old": "g26_kept", "new": "g26_kept", "one": "g26_kept_one", "default": "g26_kept_default"}
	for module, scenario := range states {
		state := "new"
		if module == "old" {
			state = "old"
		}
		addConverter(t, w, module, scenario, state)
	}
	bin := filepath.Join(w.root, "bin") + string(filepath.Separator)
	if out, err := w.goCommand("build", "-o", bin, "example.com/old", "example.com/new", "example.com/one", "example.com/default"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	oldServers := converter(t, bin+"old")
	stored := oldServers("v1", `{"apiVersion":"shop.example.com/v2","kind":"Order","metadata":{"name":"order"},"spec":{"size":3,"colour":"red"}}`)
	if got := specOf(t, oldServers("v2", stored)); got != `{"colour":"red","size":3}` {
		t.Fatalf("old servers make %s of %s", got, stored)
	}
	edited := strings.Replace(stored, `"size":3`, `"size":3,"colour":"blue"`, 1)
	for module, want := range map[string]struct{ read, again string }{
		"new":     {`{"size":3}`, `{"size":3}`}, // no keys: anybody may have written the annotation
		"one":     {`{"size":3}`, `{"size":3}`},
		"default": {`{"colour":"grey","size":3}`, `{"size":3}`},
	} {
		t.Run(states[module], func(t *testing.T) {
			servers := converter(t, bin+module)
			if got := specOf(t, servers("v2", edited)); got != `{"colour":"blue","size":3}` {
				t.Errorf("new servers make %s of %s", got, edited)
			}
			read := servers("v2", stored)
			if got := specOf(t, read); got != want.read {
				t.Errorf("new servers make %s of %s, want %s", got, stored, want.read)
			}
			again := servers("v1", read)
			if got := specOf(t, again); got != want.again {
				t.Errorf("new servers store %s of %s, want %s", got, read, want.again)
			}
			if got := specOf(t, servers("v2", again)); got != want.read {
				t.Errorf("new servers make %s of %s, want %s", got, again, want.read)
			}
		})
	}
}

// TestReads runs generated code on an object with the annotation of a hand-written conversion. The handler copies equal
// members as text, and the annotation must go all the same.
func TestReads(t *testing.T) {
	skipIfShort(t)
	w := newWorkspace(t)
	archive := txtar.Parse([]byte(`
-- api/v1/types.go --
// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +webhook:conversion:spoke(reads: "example.com/conversion-data")
type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec OrderSpec ` + "`json:\"spec,omitempty\"`" + `
}

type OrderSpec struct {
	Size int32 ` + "`json:\"size,omitempty\"`" + `
}
-- api/v2/types.go --
// +groupName=shop.example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +webhook:conversion:hub
type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec OrderSpec ` + "`json:\"spec,omitempty\"`" + `
}

type OrderSpec struct {
	Size   int32  ` + "`json:\"size,omitempty\"`" + `
	Colour string ` + "`json:\"colour,omitempty\"`" + `
}
-- go.mod --
module example.com/app

go 1.26.0

require k8s.io/apimachinery v0.37.2
`))
	addModule(t, w, "reads", archive.Files)
	bin := filepath.Join(w.root, "bin") + string(filepath.Separator)
	if out, err := w.goCommand("build", "-o", bin, "example.com/reads"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	servers := converter(t, bin+"reads")
	stored := `{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":"order","annotations":{"example.com/conversion-data":"{\"apiVersion\":\"shop.example.com/v2\",\"kind\":\"Order\",\"spec\":{\"size\":3,\"colour\":\"red\"}}"}},"spec":{"size":3}}`
	read := servers("v2", stored)
	if got := specOf(t, read); got != `{"colour":"red","size":3}` {
		t.Errorf("the servers make %s of %s", got, stored)
	}
	again := servers("v1", read)
	if got := servers("v2", again); got != read {
		t.Errorf("the servers make %s of %s, want %s", got, again, read)
	}
	for _, object := range []string{read, again} {
		if strings.Contains(object, "conversion-data") {
			t.Errorf("%s has the old annotation", object)
		}
	}
	if got := specOf(t, servers("v2", strings.Replace(again, `"size":3`, `"size":4`, 1))); got != `{"colour":"red","size":4}` {
		t.Errorf("the servers make %s of another size", got)
	}
}

// addConverter adds a module that converts as the servers of a state of a scenario do.
func addConverter(t *testing.T, w *workspace, module, scenario, state string) {
	t.Helper()
	archive, err := txtar.ParseFile("../testdata/upgrade/" + scenario + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	var files []txtar.File
	for _, f := range archive.Files {
		if of, name, _ := strings.Cut(f.Name, "/"); of == state || of == "all" {
			files = append(files, txtar.File{Name: name, Data: f.Data})
		}
	}
	addModule(t, w, module, files)
}

// addModule adds a module of these files with the program, and generates its conversions.
func addModule(t *testing.T, w *workspace, module string, files []txtar.File) {
	t.Helper()
	dir, _ := w.add(module, append(files, txtar.File{Name: "main.go", Data: []byte(convertProgram)}))
	result := engine.Generate(t.Context(), engine.Config{Dir: dir, Outputs: []string{"conversions"}})
	if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
		t.Fatal(failed)
	}
	w.use(module)
}

// converter returns a function that has a program convert an object to a version.
func converter(t *testing.T, program string) func(to, object string) string {
	return func(to, object string) string {
		c := exec.Command(program, to)
		c.Stdin = strings.NewReader(object)
		out, err := c.Output()
		if err != nil {
			exit, _ := err.(*exec.ExitError)
			t.Fatalf("%s to %s: %v: %s", object, to, err, exit.Stderr)
		}
		return string(out)
	}
}

// specOf is the spec of an object, with members in order.
func specOf(t *testing.T, object string) string {
	t.Helper()
	var o struct{ Spec map[string]any }
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		t.Fatalf("%v: %s", err, object)
	}
	text, err := json.Marshal(o.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
