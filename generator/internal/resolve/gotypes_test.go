// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// hack/peers/modules sets this flag.
var peers = flag.Bool("peers", false, "compare the types of the modules that hack/peers require, too")

// TestAgreesWithGoTypes compares every exported type of these packages, and every type inside them, with go/types. It
// compares their members with those of encoding/json.
func TestAgreesWithGoTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the packages")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		module string   // a go.mod in this repository, below hack/peers for -peers
		paths  []string // nil for the imports of the package in the folder
	}{
		{"kubernetes", "go.mod", []string{
			"k8s.io/api/core/v1", "k8s.io/api/apps/v1", "k8s.io/api/autoscaling/v2", "k8s.io/apimachinery/pkg/apis/meta/v1",
		}},
		{"cluster-api", "hack/peers/go.mod", []string{
			"sigs.k8s.io/cluster-api/api/core/v1beta1", "sigs.k8s.io/cluster-api/api/core/v1beta2",
			"sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1", "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2",
			"sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1", "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2",
		}},
		{"karpenter", "hack/peers/karpenter/go.mod", []string{
			"sigs.k8s.io/karpenter/pkg/apis/v1", "sigs.k8s.io/karpenter/pkg/apis/v1beta1",
		}},
		{"cert-manager", "hack/peers/conversion/testdata/certmanager.mod", []string{
			"github.com/jetstack/cert-manager/pkg/apis/certmanager/v1", "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1alpha2",
			"github.com/jetstack/cert-manager/pkg/apis/acme/v1", "github.com/jetstack/cert-manager/pkg/apis/meta/v1",
		}},
		{"modules", "hack/peers/modules/go.mod", nil},
		{"standard library", "go.mod", []string{
			"time", "encoding/json", "net/url", "net/http", "go/ast", "sync/atomic", "iter", "reflect",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // time for a build without a cache
			defer cancel()
			dir := filepath.Dir(filepath.Join(root, tt.module))
			if isPeer := strings.HasPrefix(tt.module, "hack/"); isPeer && !*peers {
				t.Skip("only with -peers, which downloads and compiles other projects")
			} else if filepath.Base(tt.module) != "go.mod" {
				dir = copied(t, filepath.Join(root, tt.module))
			}
			paths := tt.paths
			if paths == nil {
				paths = strings.Fields(goList(ctx, t, dir, "-f", `{{join .Imports "\n"}}`))
			}
			result, problems := load.Load(ctx, load.Config{Dir: dir})
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			c := comparison{t: t, fset: token.NewFileSet(), seen: make(map[*Type]bool)}
			c.cgo = strings.Fields(goList(ctx, t, dir, append([]string{"-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}"}, paths...)...))
			compiled := compile(ctx, t, c.fset, dir, paths)
			r := New(ctx, result.Module)
			for _, importPath := range paths {
				p, err := compiled.Import(importPath)
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range p.Scope().Names() {
					object, ok := p.Scope().Lookup(name).(*types.TypeName)
					if !ok || !object.Exported() || isGeneric(object.Type()) {
						continue
					}
					got, err := r.Named(importPath, name)
					if err != nil {
						t.Error(err)
						continue
					}
					c.compare(importPath+"."+name, got, object.Type())
					c.constants(importPath+"."+name, r, got, object.Type(), compiled)
				}
			}
			c.identities()
			if c.structs < 20 || c.fields < 100 {
				t.Errorf("only %d structs and %d fields were compared", c.structs, c.fields)
			}
			t.Logf("%d structs, %d fields, %d types, %d constants", c.structs, c.fields, len(c.got), c.values)
		})
	}
}

// copied returns a module's folder with the requirements of testdata/NAME.mod.
func copied(t testing.TB, file string) string {
	t.Helper()
	runtime, err := filepath.Abs("../../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	dir := writeArchive(t, "-- m.go --\npackage m\n")
	for _, extension := range []string{".mod", ".sum"} {
		text, err := os.ReadFile(strings.TrimSuffix(file, ".mod") + extension)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("../../../runtime"), []byte(runtime))
		if err := os.WriteFile(filepath.Join(dir, "go"+extension), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// compile compiles packages with the go command and returns an importer of their export data.
func compile(ctx context.Context, t *testing.T, fset *token.FileSet, dir string, paths []string) types.Importer {
	out := goList(ctx, t, dir, append([]string{"-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, paths...)...)
	files := make(map[string]string)
	for line := range strings.Lines(out) {
		importPath, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[importPath] = file
	}
	return importer.ForCompiler(fset, "gc", func(importPath string) (io.ReadCloser, error) { return os.Open(files[importPath]) })
}

// goList runs go list, without the network unless -peers is set.
func goList(ctx context.Context, t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-mod=readonly")
	if !*peers {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	return string(out)
}

func isGeneric(t types.Type) bool {
	g, ok := t.(interface{ TypeParams() *types.TypeParamList })
	return ok && g.TypeParams().Len() > 0
}

// comparison compares types with go/types.
type comparison struct {
	t               *testing.T
	fset            *token.FileSet
	seen            map[*Type]bool
	got             []*Type // the types compared
	want            []types.Type
	structs, fields int
	cgo             []string // packages with cgo: it rewrites their lines, and their constants are C's
	values          int      // of constants
}

func (c *comparison) compare(path string, got *Type, want types.Type) {
	if c.seen[got] {
		return
	}
	c.seen[got] = true
	if err := got.Err(); err != nil {
		c.t.Errorf("%s: %v", path, err)
		return
	}
	want = types.Unalias(want)
	if named, ok := want.(*types.Named); ok && strings.HasPrefix(named.Obj().Name(), "_Ctype_") {
		c.equal(path, "kind", got.Kind(), Opaque)
		return
	} else if ok {
		c.named(path, got, named)
	} else if basic, ok := want.(*types.Basic); !ok {
		c.equal(path, "name", got.Name, "")
	} else if basic.Kind() != types.UnsafePointer {
		c.equal(path, "name", got.Name, types.Typ[basic.Kind()].Name())
	}
	c.got, c.want = append(c.got, got), append(c.want, want)
	kind := Opaque
	switch u := want.Underlying().(type) {
	case *types.Basic:
		if u.Kind() != types.UnsafePointer {
			kind = Basic
			c.equal(path, "basic type", got.Basic(), types.Typ[u.Kind()].Name())
		}
	case *types.Interface:
		kind = Interface
	case *types.Pointer:
		kind = Pointer
		c.compare("*"+path, got.Elem(), u.Elem())
	case *types.Slice:
		kind = Slice
		c.compare(path+"[]", got.Elem(), u.Elem())
	case *types.Array:
		kind = Array
		if length := got.underlying().length.exact; !strings.Contains(length, ".sizeof") || len(c.cgo) == 0 {
			c.equal(path, "length", length, fmt.Sprint(u.Len()))
		}
		c.compare(path+"[]", got.Elem(), u.Elem())
	case *types.Map:
		kind = Map
		c.compare(path+"[key]", got.Key(), u.Key())
		c.compare(path+"[]", got.Elem(), u.Elem())
	case *types.Struct:
		kind = Struct
		c.structure(path, got, u)
	}
	c.equal(path, "kind", got.Kind(), kind)
}

func (c *comparison) named(path string, got *Type, want *types.Named) {
	object := want.Obj()
	if object.Pkg() == nil {
		c.equal(path, "package", got.Package, "")
	} else {
		c.equal(path, "package", got.Package, object.Pkg().Path())
		if !slices.Contains(c.cgo, object.Pkg().Path()) {
			c.equal(path, "line", got.Range.Pos.Line, c.fset.Position(object.Pos()).Line)
		}
	}
	c.equal(path, "name", got.Name, object.Name())
	// In other modules, generators do not see generated methods.
	if object.Pkg() != nil && mayBeStandard(object.Pkg().Path()) && got.AST != nil {
		var methods []string
		if _, ok := want.Underlying().(*types.Interface); !ok {
			for m := range want.Methods() {
				methods = append(methods, m.Name())
				c.equal(path, "method "+m.Name(), got.HasMethod(m.Name()), true)
			}
		}
		slices.Sort(methods)
		if diff := cmp.Diff(methods, methodsOf(got)); diff != "" {
			c.t.Errorf("%s: methods (-go/types +resolve):\n%s", path, diff)
		}
	}
	if _, ok := want.Underlying().(*types.Struct); ok && got.AST != nil {
		set := types.NewMethodSet(types.NewPointer(want))
		for _, method := range []string{"MarshalJSON", "MarshalText"} {
			c.equal(path, "promoted "+method, got.HasPromoted(method), set.Lookup(object.Pkg(), method) != nil)
		}
	}
	if c.equal(path, "number of type arguments", len(got.Args), want.TypeArgs().Len()) {
		for i, arg := range got.Args {
			c.compare(path+"[T]", arg, want.TypeArgs().At(i))
		}
	}
}

func (c *comparison) structure(path string, got *Type, want *types.Struct) {
	c.structs++
	fields := got.Fields()
	if !c.equal(path, "number of fields", len(fields), want.NumFields()) {
		return
	}
	for i, f := range fields {
		c.fields++
		w := want.Field(i)
		at := path + "." + w.Name()
		c.equal(at, "name", f.Name, w.Name())
		c.equal(at, "embedded", f.Embedded, w.Embedded())
		c.equal(at, "exported", f.Exported, w.Exported())
		c.equal(at, "tag", string(f.Tag), want.Tag(i))
		if pkg := w.Pkg(); f.Name != "_" && (pkg == nil || !slices.Contains(c.cgo, pkg.Path())) {
			c.equal(at, "line", f.Range.Pos.Line, c.fset.Position(w.Pos()).Line)
		}
		if f.Exported && !f.Embedded {
			c.member(at, f)
		}
		c.compare(at, f.Type, w.Type())
	}
}

// member compares a field's JSON tag with the member that encoding/json writes for a field with this name and tag.
func (c *comparison) member(at string, f *Field) {
	v := reflect.New(reflect.StructOf([]reflect.StructField{{Name: f.Name, Type: reflect.TypeFor[int](), Tag: f.Tag}})).Elem()
	c.equal(at, "encoded when zero", f.JSON != "" && !f.OmitEmpty && !f.OmitZero, len(c.encode(v)) > 0)
	v.Field(0).SetInt(1)
	name, quoted := "", false
	for member, value := range c.encode(v) {
		name, quoted = member, string(value) == `"1"`
	}
	c.equal(at, "JSON name", f.JSON, name)
	c.equal(at, "string option", f.String, quoted)
}

func (c *comparison) encode(v reflect.Value) map[string]json.RawMessage {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		c.t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		c.t.Fatal(err)
	}
	return members
}

// constants compares an enumeration with the package's constants of its type.
func (c *comparison) constants(path string, r *Resolver, got *Type, of types.Type, compiled types.Importer) {
	values := make(map[string]string)
	named, ok := types.Unalias(of).(*types.Named)
	if basic, isBasic := of.Underlying().(*types.Basic); ok && isBasic && basic.Kind() == types.String {
		p, err := compiled.Import(named.Obj().Pkg().Path())
		if err != nil {
			c.t.Fatal(err)
		}
		scope := p.Scope()
		for _, name := range scope.Names() {
			if object, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(object.Type(), of) {
				values[name] = constant.StringVal(object.Val())
			}
		}
	}
	found := r.sortedConstants(got)
	for _, one := range found {
		c.values++
		value := constant.StringVal(r.constantValue(got.at.scope, one))
		if want, ok := values[one.name.Name]; !ok || value != want {
			c.t.Errorf("%s: constant %s is %q, want %q", path, one.name.Name, value, want)
		}
	}
	c.equal(path, "number of constants", len(r.Constants(got)), len(values))
}

// identities compares Identical with types.Identical for each pair of types.
func (c *comparison) identities() {
	for i, a := range c.got {
		for j, b := range c.got[:i] {
			if got, want := Identical(a, b), types.Identical(c.want[i], c.want[j]); got != want {
				c.t.Errorf("%s and %s are identical: %v, want %v", a, b, got, want)
			}
		}
	}
}

func (c *comparison) equal(path, what string, got, want any) bool {
	if got != want {
		c.t.Errorf("%s: %s is %v, want %v", path, what, got, want)
	}
	return got == want
}
