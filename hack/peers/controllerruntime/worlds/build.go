// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/packages"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// module is the path of the module that has all worlds of a batch.
const module = "example.com/worlds"

// patience is how long a call of webhook-gen may take: it takes a tenth of a second.
const patience = 10 * time.Second

// made is a world with its generated conversions.
type made struct {
	*world
	lines    map[string]map[int]int // by version: the id of the field on each line
	findings []finding
	plan     []fieldPlan
	broken   string // why there are no conversions: a class
	detail   string
	// definition is controller-gen's, and schemas are its schemas by version: nil if controller-gen makes none.
	definition *apiextensionsv1.CustomResourceDefinition
	schemas    map[string]*schemaOf
}

// finding is a diagnostic of webhook-gen.
type finding struct {
	File, Severity, Rule, Message, Hint string
	Line                                int
}

// fieldPlan is the output of webhook-gen explain conversion for a field.
type fieldPlan struct {
	Spoke, Hub, By, LostToHub, LostFromHub string
}

// workshop makes worlds.
type workshop struct {
	dir        string // of the module
	webhookGen string
	root       string // of this repository
}

// newWorkshop builds webhook-gen and prepares a folder for modules.
func newWorkshop(ctx context.Context, dir string) (*workshop, error) {
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		return nil, err
	}
	w := &workshop{dir: dir, webhookGen: os.Getenv("WEBHOOK_GEN"), root: root}
	if w.webhookGen != "" {
		return w, nil
	}
	w.webhookGen = filepath.Join(dir, "webhook-gen")
	_, _, err = w.command(ctx, root, "go", "build", "-o", w.webhookGen, "./cmd/webhook-gen")
	return w, err
}

// command runs a command and returns what it prints.
func (w *workshop) command(ctx context.Context, dir, name string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, &errors)
	}
	return string(out), errors.String(), err
}

// batch is a program with the conversions of several worlds.
type batch struct {
	dir    string
	worlds []*made
	server *converter
}

// make generates the conversions of worlds and starts a program with them. Worlds for which webhook-gen or the compiler
// fails are in the batch, too, with their class in broken.
func (w *workshop) make(ctx context.Context, name string, all []*world) (*batch, error) {
	b := &batch{dir: filepath.Join(w.dir, name)}
	if err := w.modFile(b.dir, module); err != nil {
		return nil, err
	}
	b.worlds = make([]*made, len(all))
	var group sync.WaitGroup
	errs := make([]error, len(all))
	turns := make(chan bool, 2)
	for i, world := range all {
		group.Go(func() {
			turns <- true
			defer func() { <-turns }()
			b.worlds[i], errs[i] = w.generate(ctx, b.dir, world)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := w.definitions(b); err != nil {
		return nil, err
	}
	return b, w.compile(ctx, b)
}

// modFile writes the module file of this module's versions under another path.
func (w *workshop) modFile(dir, path string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	from := filepath.Join(w.root, "hack", "peers", "controllerruntime")
	text, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "controllerruntime\n")
	rest = strings.ReplaceAll(rest, "=> ../../..", "=> "+w.root)
	sums, err := os.ReadFile(filepath.Join(from, "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+path+"\n"+rest), 0o644), os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
}

// generate writes the types of a world and runs webhook-gen on them, in a module of their own. The module then becomes
// a part of the batch's.
func (w *workshop) generate(ctx context.Context, root string, world *world) (*made, error) {
	m := &made{world: world, lines: map[string]map[int]int{}}
	dir := filepath.Join(root, world.name)
	for _, v := range world.versions {
		text, lines := world.source(v)
		m.lines[v.name] = lines
		if err := write(filepath.Join(dir, "api", v.name, "types.go"), text); err != nil {
			return nil, err
		}
	}
	if len(world.hooks) > 0 {
		if err := write(filepath.Join(dir, "webhook", world.versions[0].name, "hand.go"), world.hand()); err != nil {
			return nil, err
		}
	}
	if err := write(filepath.Join(dir, "webhook-gen.yaml"), "version: 1\nhandlers:\n  path: webhook\n"); err != nil {
		return nil, err
	}
	if err := w.modFile(dir, module+"/"+world.name); err != nil {
		return nil, err
	}
	defer os.Remove(filepath.Join(dir, "go.sum"))
	defer os.Remove(filepath.Join(dir, "go.mod"))
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, found, err := w.command(limited, dir, w.webhookGen, "generate", "--outputs", "conversions,tests", "--format", "json")
	exit := (*exec.ExitError)(nil)
	switch {
	case limited.Err() != nil:
		m.broken = "endless planning"
		return m, ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() > 1 || strings.Contains(fmt.Sprint(err), "goroutine "):
		m.broken, m.detail = "crash", fmt.Sprint(err)
		return m, nil
	case err != nil && !errors.As(err, &exit):
		return nil, err
	}
	if at := strings.Index(found, "[\n"); at >= 0 {
		if err := json.NewDecoder(strings.NewReader(found[at:])).Decode(&m.findings); err != nil {
			return nil, fmt.Errorf("the findings of %s: %w\n%s", world.name, err, found)
		}
	}
	for _, f := range m.findings {
		if f.Severity == "error" {
			m.broken, m.detail = "refused", f.Rule+" "+f.Message+"\n"+f.Hint
			return m, nil
		}
	}
	if _, err := os.Stat(m.conversions(root, world.versions[0])); err != nil {
		m.broken, m.detail = "nothing written", fmt.Sprint(m.findings)
		return m, nil
	}
	out, _, err := w.command(limited, dir, w.webhookGen, "explain", "conversion", "--format", "json")
	if err != nil {
		m.broken, m.detail = "crash", err.Error()
		return m, ctx.Err()
	}
	again, _, err := w.command(limited, dir, w.webhookGen, "generate", "--outputs", "conversions,tests", "--dry-run")
	if err != nil || again != "" {
		m.broken, m.detail = "two runs differ", fmt.Sprint(again, err)
		return m, ctx.Err()
	}
	var docs []struct{ Fields []fieldPlan }
	if err := json.Unmarshal([]byte(out), &docs); err != nil {
		return nil, fmt.Errorf("the plan of %s: %w\n%s", world.name, err, out)
	}
	for _, d := range docs {
		m.plan = append(m.plan, d.Fields...)
	}
	return m, nil
}

// conversions returns the path of the generated file for a spoke.
func (m *made) conversions(root string, spoke *version) string {
	return filepath.Join(root, m.name, "webhook", spoke.name, "zz_generated.conversion.go")
}

// definitions makes the definitions of all worlds with one call of controller-gen's loader.
func (w *workshop) definitions(b *batch) error {
	var patterns []string
	for _, m := range b.worlds {
		if m.broken == "" {
			patterns = append(patterns, "./"+m.name+"/api/...")
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: b.dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")}, patterns...)
	if err != nil {
		return err
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return err
	}
	parser := &crd.Parser{Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}}}
	crd.AddKnownTypes(parser)
	for _, root := range roots {
		parser.NeedPackage(root)
	}
	without := 0
	for _, m := range b.worlds {
		if m.broken != "" {
			continue
		}
		kind := schema.GroupKind{Group: m.name + ".example.com", Kind: "Order"}
		parser.NeedCRDFor(kind, &without)
		definition := parser.CustomResourceDefinitions[kind]
		crd.FixTopLevelMetadata(definition)
		var problems []string
		for _, root := range roots {
			if strings.Contains(root.PkgPath, "/"+m.name+"/") {
				for _, e := range root.Errors {
					problems = append(problems, e.Error())
				}
			}
		}
		if len(problems) > 0 {
			m.broken, m.detail = "no definition", strings.Join(problems, "\n")
			continue
		}
		if err := m.read(&definition); err != nil {
			m.broken, m.detail = "invalid definition", err.Error()
		}
	}
	return nil
}

// read keeps the schemas of a definition.
func (m *made) read(definition *apiextensionsv1.CustomResourceDefinition) error {
	m.definition, m.schemas = definition, map[string]*schemaOf{}
	for _, v := range m.versions {
		s, err := newSchema(definition, v.name)
		if err != nil {
			return err
		}
		m.schemas[v.name] = s
	}
	return nil
}

// compile builds a program with the conversions of all worlds that have some.
func (w *workshop) compile(ctx context.Context, b *batch) error {
	for range 5 {
		var imports, options strings.Builder
		some := false
		for _, m := range b.worlds {
			if m.broken != "" {
				continue
			}
			for _, v := range m.versions[:len(m.versions)-1] {
				some = true
				fmt.Fprintf(&imports, "\t%s%s %q\n", m.name, v.name, module+"/"+m.name+"/webhook/"+v.name)
				converter := m.name + v.name
				if len(m.hooks) > 0 {
					converter += ".NewConverter(" + converter + ".Hand{})"
				}
				fmt.Fprintf(&options, "\t\t%s.Conversions(),\n", converter)
			}
		}
		if !some {
			return nil
		}
		if err := write(filepath.Join(b.dir, "serve", "main.go"), fmt.Sprintf(program, imports.String(), options.String())); err != nil {
			return err
		}
		binary := filepath.Join(b.dir, "serve", "serve")
		_, _, err := w.command(ctx, b.dir, "go", "build", "-o", binary, "./serve")
		if err == nil {
			b.server, err = startConverter(binary)
			return err
		}
		before := len(b.broken())
		for _, m := range b.worlds {
			if at := strings.Index(err.Error(), m.name+"/webhook"); at >= 0 && m.broken == "" {
				m.broken, m.detail = "does not compile", err.Error()
			}
		}
		if len(b.broken()) == before {
			return err
		}
	}
	return fmt.Errorf("some worlds do not compile: %s", b.broken()[0].detail)
}

// broken returns the worlds without conversions.
func (b *batch) broken() []*made {
	return slices.DeleteFunc(slices.Clone(b.worlds), func(m *made) bool { return m.broken == "" })
}

// program answers conversion reviews, one a line.
const program = `package main

import (
	"bufio"
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
%s)

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	h := conversion.NewHandler(conversion.Parallel(1),
%s	)
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		r := httptest.NewRequest(http.MethodPost, conversion.Path, bytes.NewReader(line))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		out.Write(bytes.ReplaceAll(w.Body.Bytes(), []byte("\n"), nil))
		out.WriteByte('\n')
		out.Flush()
	}
}
`

// converter is a running program.
type converter struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	trace *bytes.Buffer
	mutex sync.Mutex
	// stopped is whether the program has ended.
	stopped bool
}

func startConverter(binary string) (*converter, error) {
	c := &converter{cmd: exec.Command(binary), trace: &bytes.Buffer{}}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stderr, c.in, c.out = c.trace, in, bufio.NewReaderSize(out, 1<<20)
	return c, c.cmd.Start()
}

// stop ends the program.
func (c *converter) stop() error {
	if c == nil {
		return nil
	}
	if c.stopped {
		return nil
	}
	c.stopped = true
	return errors.Join(c.in.Close(), c.cmd.Wait())
}

// errRefused is the answer of a webhook that converts nothing.
var errRefused = errors.New("refused")

// convert converts an object to another version.
func (c *converter) convert(object map[string]any, apiVersion string) (map[string]any, error) {
	review := map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": map[string]any{"uid": "1", "desiredAPIVersion": apiVersion, "objects": []any{object}}}
	body, err := json.Marshal(review)
	if err != nil {
		return nil, err
	}
	line, err := c.answer(body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Response struct {
			Result           struct{ Status, Message string }
			ConvertedObjects []json.RawMessage
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, line)
	}
	if answer.Response.Result.Status != "Success" || len(answer.Response.ConvertedObjects) != 1 {
		return nil, fmt.Errorf("%w: %s", errRefused, answer.Response.Result.Message)
	}
	return decode(answer.Response.ConvertedObjects[0])
}

// answer answers a review, which is one line.
func (c *converter) answer(review []byte) ([]byte, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, err := c.in.Write(append(review, '\n')); err != nil {
		return nil, fmt.Errorf("the program ended: %w\n%s", err, c.trace)
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the program ended: %w\n%s", err, c.trace)
	}
	return line, nil
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
