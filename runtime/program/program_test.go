// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// webhooks are a defaulter and a validator of ConfigMaps, and webhooks that scan cannot call.
func webhooks(handle func(string, http.Handler), _ ...admission.Option) error {
	handle("/validate", admission.Validating("validate.example.com", admission.ForKind("v1", "ConfigMap"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
			data := r.Object.Data
			switch {
			case !r.DryRun:
				return errors.New("not a dry run")
			case data["defaulted"] != "yes":
				return errors.New("the defaulter was not called")
			case data["do"] == "panic":
				panic("unexpected")
			case data["do"] == "exit":
				runtime.Goexit()
			case data["do"] == "hang":
				select {}
			case data["do"] == "fail":
				return admission.Failure(errors.New("the stock does not answer"))
			case data["do"] == "user":
				return errors.New(r.UserInfo.Username + " of " + strings.Join(r.UserInfo.Groups, ","))
			case data["do"] == "warn":
				r.Warn("do is deprecated")
			case data["do"] == "both":
				path := field.NewPath("data")
				return field.ErrorList{field.Required(path.Key("size"), "set a size"), field.Invalid(path.Key("do"), "both", "choose\x1b[2J one")}.ToAggregate()
			}
			return nil
		})))
	handle("/mutate", admission.Mutating("mutate.example.com", admission.ForKind("v1", "ConfigMap"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
			if r.Object.Name == "refused" {
				return errors.New("no defaults")
			}
			if r.Object.Data == nil {
				r.Object.Data = map[string]string{}
			}
			r.Object.Data["defaulted"] = "yes"
			return nil
		})))
	handle("/update", admission.Validating("update.example.com", admission.ForKind("v1", "ConfigMap"),
		admission.OnUpdate(func(context.Context, *admission.UpdateRequest[corev1.ConfigMap]) error { return errors.New("called") })))
	return nil
}

func configMap(name, do string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: shop}\ndata: {do: '" + do + "'}\n"
}

// scanned runs scan over a file with a text, and returns its exit code and its output.
func scanned(t *testing.T, text string, args ...string) (int, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	code, ran := run(t.Context(), append([]string{"scan", "-f", file}, args...), webhooks, nil, &out, &problems)
	if !ran {
		t.Fatal("scan is no command")
	}
	return code, strings.ReplaceAll(out.String()+problems.String(), filepath.Dir(file)+string(filepath.Separator), "")
}

// columns joins the columns of a table by |.
func columns(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		for strings.Contains(line, "   ") {
			line = strings.ReplaceAll(line, "   ", "  ")
		}
		lines[i] = strings.ReplaceAll(line, "  ", "|")
	}
	return strings.Join(lines, "\n")
}

func TestFiles(t *testing.T) {
	text := strings.Join([]string{
		configMap("good", ""),
		configMap("both", "both"),
		configMap("warned", "warn"),
		configMap("failing", "fail"),
		configMap("refused", "both"),
		"# a comment\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n",
		"resources: [a.yaml]\n",
		"{{ if .Values }}\n",
		"[]\n",
		`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "item"}, "data": {"do": "both", "number": 1}}]}`,
	}, "---\n")
	code, got := scanned(t, text)
	want := `OUTCOME|KIND|OBJECT|WEBHOOK|FIELD|MESSAGE
denied|ConfigMap.v1|objects.yaml:6 shop/both|validate.example.com|data[size]|Required value: set a size
denied|ConfigMap.v1|objects.yaml:6 shop/both|validate.example.com|data[do]|Invalid value: "both": choose` + "\uFFFD" + `[2J one
warning|ConfigMap.v1|objects.yaml:11 shop/warned|validate.example.com|-|do is deprecated
failed|ConfigMap.v1|objects.yaml:16 shop/failing|validate.example.com|-|webhook validate.example.com: the stock does not answer
denied|ConfigMap.v1|objects.yaml:21 shop/refused|mutate.example.com|-|no defaults
`
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		if !strings.Contains(columns(got), line) {
			t.Errorf("there is no line\n%s", line)
		}
	}
	for _, part := range []string{"objects.yaml:34 ", "objects.yaml:36 ", "objects.yaml:38 item",
		"not scanned: webhook update.example.com: it is not called when an object is created",
		"not scanned: objects.yaml:32: a document without apiVersion and kind is not an object",
		"not scanned: 1 of v1 Secret: no webhook is called when one is created", "objects scanned: 6, findings: 8"} {
		if !strings.Contains(got, part) {
			t.Errorf("there is no %q", part)
		}
	}
	if code != exitFindings {
		t.Errorf("exit code %d", code)
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestJSON reads the report of a program, and finds in it the user of the requests.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "webhook-scan of system:authenticated"},
		{[]string{"--user", "jane", "--group", "a", "--group", "b"}, "jane of a,b,system:authenticated"},
	} {
		code, text := scanned(t, configMap("one", "user"), append(c.args, "--output", "json")...)
		var got report
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want := finding{Source: "objects.yaml:1", APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "one",
			Webhook: "validate.example.com", Outcome: denied, Code: 403, Message: c.want}
		if code != exitFindings || got.Objects != 1 || len(got.Findings) != 1 || got.Findings[0] != want || got.Problems == nil {
			t.Errorf("exit code %d\n%s", code, text)
		}
	}
}

// TestHostile scans objects that make validators panic, end their goroutine or never return, and objects that are too
// large or nest too deep. Each is a finding, and the good object after it is scanned.
func TestHostile(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"panic":     {configMap("bad", "panic"), "denied"},
		"goexit":    {configMap("bad", "exit"), "denied"},
		"hang":      {configMap("bad", "hang"), "and the code is still running"},
		"too large": {configMap("bad", strings.Repeat("x", admission.DefaultBodyLimit)), "denied"},
		"wrong":     {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndata: 1\n", "denied"},
		"no object": {"apiVersion: v1\nkind: ConfigMap\nmetadata: bad\n", "failed"},
		"duplicate": {"apiVersion: v1\nkind: ConfigMap\nkind: ConfigMap\n", "failed"},
		"deep":      {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndeep: " + strings.Repeat("[", 20000) + "\n", "failed"},
		"deep JSON": {`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bad"}, "deep": ` +
			strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + "}\n", ""},
		"aliases": {"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n" +
			"g: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			code, got := scanned(t, c.text+"---\n"+configMap("good", "warn"), "--timeout", "300ms")
			if c.want != "" && (code != exitFindings || !strings.Contains(got, c.want)) || !strings.Contains(got, "shop/good") {
				t.Errorf("exit code %d\n%.2000s", code, got)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		text string
		args []string
		code int
		want string
	}{
		{configMap("good", ""), nil, exitClean, "objects scanned: 1, findings: 0"},
		{configMap("good", "warn"), nil, exitClean, "do is deprecated"},
		{configMap("good", "warn"), []string{"--strict"}, exitFindings, "do is deprecated"},
		{"apiVersion: v1\nkind: Secret\n", nil, exitProblem, "no object of a kind"},
		{configMap("good", ""), []string{"--help"}, exitClean, "-kubeconfig file"},
		{configMap("good", ""), []string{"-f", "missing.yaml"}, exitProblem, "missing.yaml"},
		{configMap("good", ""), []string{"other.yaml"}, exitProblem, "write -f other.yaml"},
		{configMap("good", ""), []string{"--output", "xml"}, exitProblem, "use table or json"},
		{configMap("good", ""), []string{"--timeout", "0s"}, exitProblem, "use a longer one"},
		{configMap("good", ""), []string{"--namespace", "shop"}, exitProblem, "use one of the two"},
		{configMap("good", ""), []string{"--group", "a"}, exitProblem, "--group needs --user"},
		{configMap("good", ""), []string{"--unknown"}, exitProblem, "run scan --help"},
	} {
		code, got := scanned(t, c.text, c.args...)
		if code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("%q: exit code %d\n%s", c.args, code, got)
		}
	}
}

// TestOtherArguments leaves the arguments of the server to the program.
func TestOtherArguments(t *testing.T) {
	register := func(func(string, http.Handler), ...admission.Option) error {
		t.Error("the webhooks are made")
		return nil
	}
	for _, args := range [][]string{nil, {"--address", ":9443"}, {"serve"}, {"--scan"}} {
		if code, ran := Run(t.Context(), args, register); ran || code != 0 {
			t.Errorf("%q ran with exit code %d", args, code)
		}
	}
}

// TestRegistration ends with 2 where scan cannot call the webhooks.
func TestRegistration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(configMap("good", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, register := range map[string]Register{
		"Webhooks.Order is nil": func(func(string, http.Handler), ...admission.Option) error {
			return errors.New("Webhooks.Order is nil")
		},
		"problem: the handler of /other is http.HandlerFunc": func(handle func(string, http.Handler), _ ...admission.Option) error {
			handle("/other", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			return webhooks(handle)
		},
		"webhook any.example.com: its handler does not name its kinds": func(handle func(string, http.Handler), _ ...admission.Option) error {
			handle("/any", admission.Validating("any.example.com", admission.OnCreate(
				func(context.Context, *admission.CreateRequest[corev1.ConfigMap]) error { return nil })))
			return nil
		},
	} {
		var out bytes.Buffer
		if code, _ := run(t.Context(), []string{"scan", "-f", file}, register, nil, &out, &out); code != exitProblem || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d\n%s", want, code, &out)
		}
	}
}

// TestFolders reads YAML and JSON of folders, and files of any name.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	for name, do := range map[string]string{"a.yaml": "warn", "sub/b.yml": "warn", "sub/c.json": "warn", "sub/d.txt": "warn", "other": "warn"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(configMap("one", do)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	run(t.Context(), []string{"scan", "-f", dir, "-f", filepath.Join(dir, "other")}, webhooks, nil, &out, &out)
	if !strings.Contains(out.String(), "objects scanned: 4,") || strings.Contains(out.String(), "d.txt") {
		t.Error(out.String())
	}
}

// TestCreated compares a stored object with the one that its user created.
func TestCreated(t *testing.T) {
	stored := func() *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{
				"name": "one", "namespace": "shop", "labels": map[string]any{"a": "b"}, "finalizers": []any{"example.com/f"},
				"uid": "u", "resourceVersion": "1", "generation": int64(1), "creationTimestamp": "2024-01-01T00:00:00Z",
				"managedFields": []any{}, "selfLink": "/", "deletionTimestamp": "2024-01-01T00:00:00Z", "deletionGracePeriodSeconds": int64(0),
			},
			"spec": map[string]any{"large": int64(9007199254740993)}, "status": map[string]any{"ready": true},
		}}
	}
	kind := metav1.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Order"}
	gvr := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "orders"}
	const want = `{"apiVersion":"example.com/v1","kind":"Order",` +
		`"metadata":{"finalizers":["example.com/f"],"labels":{"a":"b"},"name":"one","namespace":"shop"},"spec":{"large":9007199254740993}`
	for dropStatus, end := range map[bool]string{true: "}", false: `,"status":{"ready":true}}`} {
		o, err := created(stored(), kind, gvr, dropStatus)
		if err != nil || string(o.text) != want+end || o.namespace != "shop" || o.name != "one" {
			t.Errorf("%v\n%s", err, o.text)
		}
	}
}

// TestProgress draws the bar on a terminal alone, and removes it.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	bar := progress{out: &out}
	bar.show("orders\n", 250, 1000)
	bar.show("orders", 251, 1000) // too soon
	bar.clear()
	bar.clear()
	if want := "\r\x1b[K[=======                       ] 250/1000 orders \r\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if newProgress(file).out != nil || newProgress(&out).out != nil {
		t.Error("a file gets a bar")
	}
}
