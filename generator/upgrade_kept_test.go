package generator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// convertProgram converts an Order on standard input.
const convertProgram = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	v1 "example.com/app/api/v1"
	v2 "example.com/app/api/v2"
	webhookv1 "example.com/app/internal/webhook/v1"
)

func main() {
	var spoke v1.Order
	var hub v2.Order
	var text []byte
	read := json.NewDecoder(os.Stdin).Decode
	if os.Args[1] == "v1" {
		read(&hub)
		webhookv1.OrderFromHub(context.Background(), &hub, &spoke)
		text, _ = json.Marshal(spoke)
	} else {
		read(&spoke)
		webhookv1.OrderToHub(context.Background(), &spoke, &hub)
		text, _ = json.Marshal(hub.Spec)
	}
	fmt.Println(string(text))
}
`

// TestKeptIsNotLookedAt does with generated code what G26 says: what the old servers keep on an object that is stored as v1, they put back, and the
// new ones, whose conversion loses nothing, do not.
func TestKeptIsNotLookedAt(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/upgrade/g26_kept.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for _, state := range []string{"old", "new"} {
		dir := filepath.Join(t.TempDir(), state)
		for _, f := range archive.Files {
			if of, name, _ := strings.Cut(f.Name, "/"); of == state || of == "all" {
				writeFile(t, filepath.Join(dir, name), string(f.Data))
			}
		}
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26.0\n\n"+requirementsOf(t))
		writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
		writeFile(t, filepath.Join(dir, "main.go"), convertProgram)
		result := Generate(t.Context(), Config{Dir: dir, Outputs: []string{"conversions"}})
		if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
			t.Fatal(failed)
		}
		programs[state] = filepath.Join(dir, "convert")
		build := exec.Command("go", "build", "-o", programs[state], ".")
		build.Dir = dir
		build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", state, err, out)
		}
	}
	convert := func(state, to, object string) string {
		c := exec.Command(programs[state], to)
		c.Stdin = strings.NewReader(object)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	stored := convert("old", "v1", `{"metadata": {"name": "order"}, "spec": {"size": 3, "colour": "red"}}`)
	for state, want := range map[string]string{"old": `{"size":3,"colour":"red"}`, "new": `{"size":3}`} {
		if got := convert(state, "v2", stored); got != want {
			t.Errorf("%s servers make %s of %s, want %s", state, got, stored, want)
		}
	}
}
