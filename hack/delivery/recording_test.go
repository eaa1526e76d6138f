// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/drawings/minutes.cast")

// The recording of the first minutes, as asciicast v2, and what svg-term makes of it for README.md.
const (
	recording = "../../docs/drawings/minutes.cast"
	drawn     = "../../docs/drawings/minutes.svg"
)

// rule is the validator that the recording shows in an editor.
const rule = `// ValidateCreate denies an Order without a SKU.
func (w *OrderWebhook) ValidateCreate(_ context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	if r.Object.Name == "nothing" {
		return field.Invalid(field.NewPath("metadata", "name"), r.Object.Name, "what shall we ship?")
	}
	return nil
}
`

// TestRecording plays the first minutes in a terminal, without the reader's pauses, and compares them with the
// recording in docs.
func TestRecording(t *testing.T) {
	t.Parallel()
	p := project{t, buildDelivery(t), publish(t), t.TempDir()}
	// As its users have it: a release.
	output(t, root, nil, "go", "build", "-ldflags", "-X main.released="+p.version, "-o", p.webhookGen, "./cmd/webhook-gen")
	c := &cast{}
	c.print(map[string]any{"version": 2, "width": 112, "height": 32, "title": "webhook-gen: the first minutes"})
	for _, command := range []string{
		"webhook-gen init --module example.com/shop",
		"webhook-gen create api --group shop --version v1 --kind Order",
		"webhook-gen create webhook --group shop --version v1 --kind Order --validating --operations create",
		"vi internal/webhook/v1/order_webhook.go",
		"go test ./...",
		"sed -i s/create/creat/ api/v1/order_types.go",
		"webhook-gen",
	} {
		c.types(command)
		if file, ok := strings.CutPrefix(command, "vi "); ok {
			p.edit(file)
			c.prints(rule)
			continue
		}
		shell := exec.Command("bash", "-c", command+" 2>&1")
		shell.Dir, shell.Env = p.dir, p.path()
		out, err := shell.CombinedOutput()
		if failed := err != nil; failed != (command == "webhook-gen") { // the last one has a mistake to report
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		c.prints(string(out))
	}
	c.types("")
	if *update {
		if err := os.WriteFile(recording, c.text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), c.text.String()); diff != "" {
		t.Errorf("make recording records it anew (-recorded +now)\n%s", diff)
	}
	picture, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("<!-- %x -->", sha256.Sum256(want)); !bytes.Contains(picture, []byte(sum)) {
		t.Errorf("%s is not drawn from %s: make recording draws it", filepath.Base(drawn), filepath.Base(recording))
	}
}

// edit writes the rule into a new validator.
func (p project) edit(file string) {
	p.Helper()
	text := p.read(file)
	begin := strings.Index(text, "// ValidateCreate")
	if begin < 0 {
		p.Fatalf("no method to edit:\n%s", text)
	}
	p.write(file, text[:begin]+rule)
	const imports = "import (\n"
	p.replace(file, imports, imports+"\t\"k8s.io/apimachinery/pkg/util/validation/field\"\n")
}

// cast is a recording that grows.
type cast struct {
	text bytes.Buffer
	time float64 // seconds
}

// print adds a line of the format: the header, or an event.
func (c *cast) print(line any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	c.text.Write(append(text, '\n'))
}

// shows adds output after a pause.
func (c *cast) shows(pause float64, text string) {
	c.time += pause
	c.print([]any{json.Number(fmt.Sprintf("%.2f", c.time)), "o", text})
}

// types adds a prompt and a command behind it.
func (c *cast) types(command string) {
	c.shows(1, "\x1b[32m$\x1b[0m ")
	for word := range strings.SplitAfterSeq(command, " ") {
		c.shows(0.15, "\x1b[1m"+word+"\x1b[0m")
	}
	c.shows(0.4, "\r\n")
}

// prints adds what a command prints, in a few steps as a terminal has it.
func (c *cast) prints(text string) {
	// The times of go test, and its downloads on a machine without the modules.
	text = regexp.MustCompile(`\t([0-9.]+s|\(cached\))\n`).ReplaceAllString(text, "\t0.1s\n")
	text = regexp.MustCompile(`(?m)^go: downloading .*\n`).ReplaceAllString(text, "")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\t", "    "), "\n", "\r\n")
	c.shows(0.5, text)
	c.time += 1 + 0.08*float64(min(strings.Count(text, "\n"), 25)) // to read it
}
