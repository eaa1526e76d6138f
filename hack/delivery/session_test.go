// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The definition of the cluster, as it was deployed, and the definition of the project, which has another version.
const (
	deployedCup = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: cups.shop.example.com
  annotations: {cert-manager.io/inject-ca-from: shop-system/serving}
spec:
  group: shop.example.com
  names: {kind: Cup, listKind: CupList, plural: cups, singular: cup}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {handles: {type: integer, maximum: 9007199254740993}}
`
	projectCup = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: cups.shop.example.com
spec:
  group: shop.example.com
  names: {kind: Cup, listKind: CupList, plural: cups, singular: cup}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
	cupDenied = "a cup needs a handle"
	cupName   = "cups.shop.example.com"
)

// sessions is a project with a validator, and a cluster.
type sessions struct {
	project
	cluster cluster
	address string
	// tmp is the folder of the sessions' temporary files.
	tmp string
}

// TestSessions ends `webhook-gen dev` in every way. After each, or after the command that it prints, the cluster is as
// it was, field managers included.
func TestSessions(t *testing.T) {
	c := startCluster(t)
	dir := everyCommand.in(t, "webhook-gen", "kubectl")
	at := func(name string) string { return filepath.Join(dir, name) }
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	p := project{T: t, tools: tools{webhookGen: at("webhook-gen"), kubectl: at("kubectl")}, dir: t.TempDir()}
	p.env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	p.run(p.webhookGen, "init", "--module", "example.com/shop", "--source", source)
	p.run(p.webhookGen, "create", "api", "--group", "shop", "--version", "v1", "--kind", "Cup")
	p.run(p.webhookGen, "create", "webhook", "--group", "shop", "--version", "v1", "--kind", "Cup", "--validating", "--operations", "create")
	code := "internal/webhook/v1/cup_webhook.go"
	text := p.read(code)
	start := strings.Index(text, ") ValidateCreate(")
	body, end := strings.Index(text[start:], "{\n"), strings.Index(text[start:], "\n}\n")
	if start < 0 || body < 0 || end < 0 {
		t.Fatalf("no ValidateCreate in\n%s", text)
	}
	signature := strings.Replace(text[start:start+body], "_ *admission", "r *admission", 1)
	p.write(code, strings.Replace(text[:start]+signature+"{\n\tif r.Object.Name == \"green\" {\n\t\treturn errors.New(\""+cupDenied+"\")\n\t}\n\treturn nil"+text[start+end:], "import (\n", "import (\n\t\"errors\"\n", 1))
	if err := os.MkdirAll(filepath.Join(p.dir, "config", "crd", "bases"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("config/crd/bases/shop.example.com_cups.yaml", projectCup)

	s := sessions{project: p, cluster: c, address: freeAddress(t), tmp: t.TempDir()}
	t.Run("a CRD that the cluster lacks", func(t *testing.T) { s.in(t).creates(t) })
	c.must(p, deployedCup, "apply")
	// The API server completes the status of a new definition before the comparison.
	c.must(p, "", "wait", "--for=condition=Established", "crd/"+cupName, "--timeout=30s")
	for _, end := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(end.String(), func(t *testing.T) {
			if signal.Ignored(end) {
				t.Skip("the tests run under nohup, and so does the session: it ignores the signal")
			}
			s.in(t).ends(t, end)
		})
	}
	t.Run("killed before the next session", func(t *testing.T) { s.in(t).next(t) })
	t.Run("killed before a restoration", func(t *testing.T) { s.in(t).restores(t) })
	t.Run("kubectl fails", func(t *testing.T) { s.in(t).fails(t) })
	t.Run("somebody else changes the CRD", func(t *testing.T) { s.in(t).shared(t) })
	t.Run("a second session", func(t *testing.T) { s.in(t).second(t) })
	t.Run("a cluster that is not local", func(t *testing.T) { s.in(t).remote(t) })
}

func (s sessions) in(t *testing.T) sessions {
	s.T = t
	return s
}

// running is a session.
type running struct {
	*exec.Cmd
	log lockedBuffer
}

// command is webhook-gen with the cluster's kubeconfig.
func (s sessions) command(args ...string) *running {
	r := &running{Cmd: exec.Command(s.webhookGen, args...)}
	r.Dir, r.Env, r.Stderr = s.dir, append(s.env, s.cluster.env[len(s.cluster.env)-1], "TMPDIR="+s.tmp), &r.log
	return r
}

// start starts a session and waits until the cluster calls it.
func (s sessions) start(t *testing.T, kubectl string) *running {
	t.Helper()
	r := s.command("dev", "--kubectl", kubectl, "--listen", s.address)
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.ProcessState == nil {
			r.Process.Kill()
			r.Wait()
		}
	})
	r.prints(t, "dev: serving on "+s.address)
	s.denies(t, cupDenied, r)
	return r
}

// prints waits for a text.
func (r *running) prints(t *testing.T, text string) {
	t.Helper()
	for range 300 {
		if strings.Contains(r.log.String(), text) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("dev does not print %q\n%s", text, r.log.String())
}

// end sends a signal and returns the exit code.
func (r *running) end(t *testing.T, signal os.Signal) int {
	t.Helper()
	if err := r.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(3*time.Minute, func() { r.Process.Kill() }).Stop()
	r.Wait()
	return r.ProcessState.ExitCode()
}

// denies waits until a new Cup is denied with a message.
func (s sessions) denies(t *testing.T, message string, r *running) {
	t.Helper()
	var err error
	for range 100 {
		if _, err = s.cluster.kubectl(s.project, "apiVersion: shop.example.com/v1\nkind: Cup\nmetadata: {name: green, namespace: default}\n", "create", "--dry-run=server"); err != nil && strings.Contains(err.Error(), message) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("not denied with %q: %v\n%s", message, err, r.log.String())
}

// state is what the cluster has: the configurations, and the definition without the members that count writes.
func (s sessions) state() map[string]any {
	s.Helper()
	state := map[string]any{}
	for _, resource := range []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations", "crd"} {
		var list struct{ Items []map[string]any }
		if err := json.Unmarshal([]byte(s.cluster.must(s.project, "", "get", resource, "-o", "json", "--show-managed-fields")), &list); err != nil {
			s.Fatal(err)
		}
		for _, o := range list.Items {
			meta := o["metadata"].(map[string]any)
			delete(meta, "resourceVersion")
			delete(meta, "generation")
			state[fmt.Sprint(resource, "/", meta["name"])] = o
		}
	}
	return state
}

// as compares the cluster with a former state.
func (s sessions) as(before map[string]any, r *running) {
	s.Helper()
	if diff := cmp.Diff(before, s.state()); diff != "" {
		s.Errorf("the cluster (-before +after):\n%s\n%s", diff, r.log.String())
	}
}

// creates has a session create the definition. Each call has its line, and the definition goes with its objects.
func (s sessions) creates(t *testing.T) {
	before := s.state()
	r := s.start(t, s.kubectl)
	line := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d CREATE cups\.shop\.example\.com default/green \(dry run\), validate\.cups\.v1\.shop\.example\.com: denied 403: .*` + cupDenied + ` [\d.]+(µs|ms|s)$`)
	if !line.MatchString(r.log.String()) {
		t.Errorf("no line like %s in\n%s", line, r.log.String())
	}
	s.cluster.must(s.project, "apiVersion: shop.example.com/v1\nkind: Cup\nmetadata: {name: white, namespace: default}\n", "create")
	r.prints(t, " CREATE cups.shop.example.com default/white, validate.cups.v1.shop.example.com: allowed ")
	if code := r.end(t, os.Interrupt); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if want := "dev: removed 1 webhook configuration, removed 1 CRD, with it 1 cups\n"; !strings.Contains(r.log.String(), want) {
		t.Errorf("dev does not print %q\n%s", want, r.log.String())
	}
	s.as(before, r)
}

// ends has a session end by a signal. The cluster was changed until then, and the temporary files are gone.
func (s sessions) ends(t *testing.T, signal os.Signal) {
	before := s.state()
	r := s.start(t, s.kubectl)
	if versions := s.cluster.must(s.project, "", "get", "crd", cupName, "-o", "jsonpath={.spec.versions[*].name} {.status.storedVersions[*]}"); versions != "v1 v2 v1" {
		t.Errorf("the definition of the project has versions v1 and v2, and stores v1: %s", versions)
	}
	if code := r.end(t, signal); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if want := "dev: removed 1 webhook configuration, restored 1 CRD\n"; !strings.Contains(r.log.String(), want) {
		t.Errorf("dev does not print %q\n%s", want, r.log.String())
	}
	s.as(before, r)
	s.leavesNoFile(t)
}

// kill kills a session. Its program ends soon, and the cluster stays blocked.
func (s sessions) kill(t *testing.T, r *running) {
	t.Helper()
	r.end(t, os.Kill)
	s.leavesNoFile(t) // the supervisor removes the folder after the program has ended
	s.denies(t, "connection refused", r)
	if runtime.GOOS != "linux" {
		return
	}
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if program, err := os.Readlink(link); err == nil && strings.HasPrefix(program, s.tmp) {
			t.Errorf("%s still runs", program)
		}
	}
}

func (s sessions) leavesNoFile(t *testing.T) {
	t.Helper()
	var left []os.DirEntry
	for range 200 {
		var err error
		if left, err = os.ReadDir(s.tmp); err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("left behind: %v", left)
}

// next has a session restore what a killed one left, and then serve.
func (s sessions) next(t *testing.T) {
	before := s.state()
	s.kill(t, s.start(t, s.kubectl))
	r := s.start(t, s.kubectl)
	r.prints(t, "dev: restoring what an ended session has left: dev of example.com/shop on ")
	r.prints(t, "dev: removed 1 webhook configuration, restored 1 CRD\n")
	if code := r.end(t, os.Interrupt); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.as(before, r)
}

// restores has --restore do it, outside the project.
func (s sessions) restores(t *testing.T) {
	before := s.state()
	s.kill(t, s.start(t, s.kubectl))
	r := s.command("dev", "--restore", "--kubectl", s.kubectl)
	r.Dir = t.TempDir()
	if err := r.Run(); err != nil || !strings.HasSuffix(r.log.String(), "dev: removed 1 webhook configuration, restored 1 CRD\n") {
		t.Errorf("%v\n%s", err, r.log.String())
	}
	s.as(before, r)
	again := s.command("dev", "--restore", "--kubectl", s.kubectl)
	if err := again.Run(); err != nil || !strings.Contains(again.log.String(), "nothing to restore") {
		t.Errorf("%v\n%s", err, again.log.String())
	}
}

// fails has kubectl fail at the end, for one kind of call and for all. The message has what stays, and a command that
// restores it.
func (s sessions) fails(t *testing.T) {
	for _, calls := range []string{"delete|patch", "patch", "*"} {
		t.Run(calls, func(t *testing.T) {
			s := s.in(t)
			before := s.state()
			broken, script := filepath.Join(t.TempDir(), "broken"), filepath.Join(t.TempDir(), "kubectl")
			text := fmt.Sprintf("#!/bin/sh\nif [ -e %s ]; then case $3 in %s) echo the network is down >&2; exit 7;; esac; fi\nexec %s \"$@\"\n", broken, calls, s.kubectl)
			if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			r := s.start(t, script)
			if err := os.WriteFile(broken, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if code := r.end(t, os.Interrupt); code != 2 {
				t.Errorf("exit code %d", code)
			}
			log := r.log.String()
			if strings.Contains(log, "dev: removed") || !strings.Contains(log, "the network is down") || !strings.Contains(log, "is not restored") {
				t.Errorf("%s", log)
			}
			for reference, stays := range map[string]bool{
				"  customresourcedefinitions.apiextensions.k8s.io/" + cupName + "\n":  true,
				"  validatingwebhookconfigurations.admissionregistration.k8s.io/dev-": calls != "patch",
			} {
				if strings.Contains(log, reference) != stays {
					t.Errorf("%s is named as one that stays: %v, want %v\n%s", reference, !stays, stays, log)
				}
			}
			_, command, _ := strings.Cut(log, "Restore them with: "+s.webhookGen+" ") // as it was called
			os.Remove(broken)
			again := s.command(strings.Fields(command)...)
			if err := again.Run(); err != nil {
				t.Errorf("%s: %v\n%s", command, err, again.log.String())
			}
			s.as(before, again)
		})
	}
}

// shared has somebody else change the definition during a session: that stays.
func (s sessions) shared(t *testing.T) {
	r := s.start(t, s.kubectl)
	s.cluster.must(s.project, "", "patch", "crd", cupName, "--type=merge", "-p", `{"spec": {"names": {"shortNames": ["t"]}}}`)
	if code := r.end(t, os.Interrupt); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(r.log.String(), "kept changes of somebody else in CRD "+cupName) {
		t.Errorf("%s", r.log.String())
	}
	if got := s.cluster.must(s.project, "", "get", "crd", cupName, "-o", "jsonpath={.spec.names.shortNames[0]} {.metadata.labels} {.spec.conversion.strategy}"); got != "t  None" {
		t.Errorf("%s", got)
	}
	managers := s.cluster.must(s.project, "", "get", "crd", cupName, "--show-managed-fields", "-o", "jsonpath={.metadata.managedFields[*].manager}")
	if strings.Contains(managers, "webhook-gen") {
		t.Errorf("managers: %s", managers)
	}
	s.cluster.must(s.project, "", "delete", "crd", cupName)
	s.cluster.must(s.project, deployedCup, "apply")
	s.cluster.must(s.project, "", "wait", "--for=condition=Established", "crd/"+cupName, "--timeout=30s")
}

// second starts a second session of the project, and restores beside the first. Both are refused.
func (s sessions) second(t *testing.T) {
	first := s.start(t, s.kubectl)
	r := s.command("dev", "--kubectl", s.kubectl, "--listen", freeAddress(t))
	if err := r.Run(); err == nil || !strings.Contains(r.log.String(), fmt.Sprintf("End it with: kill %d", first.Process.Pid)) {
		t.Errorf("%v\n%s", err, r.log.String())
	}
	r = s.command("dev", "--restore", "--kubectl", s.kubectl)
	if err := r.Run(); err == nil || !strings.Contains(r.log.String(), "a session still runs") {
		t.Errorf("%v\n%s", err, r.log.String())
	}
	s.denies(t, cupDenied, first)
	if code := first.end(t, os.Interrupt); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// remote has a session stop before it calls a cluster that is not local: nobody can answer its question.
func (s sessions) remote(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{apiVersion: v1, kind: Config, current-context: prod, contexts: [{name: prod, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: "https://198.51.100.7:6443"}}], users: [{name: u, user: {}}]}`
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.command("dev", "--kubectl", s.kubectl, "--listen", s.address)
	r.Env = append(r.Env, "KUBECONFIG="+kubeconfig)
	err := r.Run()
	for _, want := range []string{`context "prod", https://198.51.100.7:6443, is not local`, "standard input is no terminal: use --yes"} {
		if err == nil || !strings.Contains(r.log.String(), want) {
			t.Errorf("%v, want %q\n%s", err, want, r.log.String())
		}
	}
}
