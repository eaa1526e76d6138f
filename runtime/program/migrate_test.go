// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// apiServer answers migrate as an API server does, for Orders in v1 and v2. Integration tests use a real one. Here are
// the answers that a real one gives seldom.
type apiServer struct {
	orders     []string // names, in their order
	generation int
	stored     []string
	changed    bool           // the definition changes while objects are written
	expires    int            // how many later pages have expired
	forgets    bool           // an expired list cannot go on, and begins again
	conflicts  map[string]int // how many writes of an object conflict
	refused    map[string]bool
	broken     map[string]bool // objects that no page can have
	hangsUp    string          // the connection ends when this object is written
	written    []string
	limits     []string // of the lists
}

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/orders.shop.example.com"
	answer := func(content map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(content)
	}
	fail := func(code int, reason, next string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
			"reason": reason, "message": "no: " + reason, "metadata": map[string]any{"continue": next}})
	}
	meta := func(name string) map[string]any {
		return map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
			"metadata": map[string]any{"namespace": "shop", "name": name, "resourceVersion": "7"}}
	}
	path := strings.NewReplacer("/v1/", "/v/", "/v2/", "/v/").Replace(r.URL.Path)
	switch object, isObject := strings.CutPrefix(path, "/apis/shop.example.com/v/namespaces/shop/orders/"); {
	case r.URL.Path == definition+"/status":
		var patch struct {
			Status struct{ StoredVersions []string }
		}
		text, _ := io.ReadAll(r.Body)
		json.Unmarshal(text, &patch)
		a.stored = patch.Status.StoredVersions
		answer(map[string]any{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"})
	case r.URL.Path == definition:
		answer(map[string]any{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
			"metadata": map[string]any{"name": "orders.shop.example.com", "uid": "u", "generation": a.generation, "resourceVersion": "5"},
			"spec": map[string]any{"group": "shop.example.com", "names": map[string]any{"plural": "orders", "kind": "Order"},
				"versions": []any{map[string]any{"name": "v1", "served": true}, map[string]any{"name": "v2", "served": true, "storage": true}}},
			"status": map[string]any{"storedVersions": a.stored}})
	case isObject && r.Method == http.MethodPatch:
		switch {
		case a.hangsUp == object:
			panic(http.ErrAbortHandler)
		case a.conflicts[object] > 0:
			a.conflicts[object]--
			fail(http.StatusConflict, "Conflict", "")
			return
		case a.refused[object]:
			fail(http.StatusForbidden, "Forbidden", "")
			return
		case a.changed:
			a.generation++
		}
		a.written = append(a.written, object)
		answer(meta(object))
	case isObject:
		answer(meta(object))
	case path == "/apis/shop.example.com/v/orders":
		from, next := 0, r.URL.Query().Get("continue")
		fmt.Sscanf(next, "from %d", &from)
		if next != "" && a.expires > 0 {
			a.expires--
			if a.forgets {
				next = ""
			}
			fail(http.StatusGone, "Expired", next)
			return
		}
		limit := 0
		fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		a.limits = append(a.limits, r.URL.Query().Get("limit"))
		to := min(from+limit, len(a.orders))
		items := []any{}
		for _, name := range a.orders[from:to] {
			if a.broken[name] {
				fail(http.StatusInternalServerError, "InternalError", "")
				return
			}
			items = append(items, meta(name))
		}
		list := map[string]any{}
		if to < len(a.orders) {
			list = map[string]any{"continue": fmt.Sprintf("from %d", to), "remainingItemCount": len(a.orders) - to}
		}
		answer(map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": list, "items": items})
	default:
		fail(http.StatusNotFound, "NotFound", "")
	}
}

// migrate runs migrate against the API server.
func (a *apiServer) migrate(t *testing.T, args ...string) (int, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(a)
	server.Config.ErrorLog = nil
	server.Start()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, fmt.Appendf(nil, "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c}}]\n"+
		"clusters: [{name: c, cluster: {server: %q}}]\n", server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	code, ran := run(t.Context(), append([]string{"migrate", "--kubeconfig", file, "--rate", "100000", "--definition", "orders.shop.example.com"}, args...), nil, nil, &out, &problems)
	if !ran {
		t.Fatal("migrate is no command")
	}
	return code, strings.ReplaceAll(out.String()+problems.String(), server.URL, "URL")
}

func TestMigrate(t *testing.T) {
	var orders []string
	for i := range 1200 {
		orders = append(orders, fmt.Sprintf("order-%04d", i))
	}
	only := func(names ...string) map[string]bool {
		set := map[string]bool{}
		for _, name := range names {
			set[name] = true
		}
		return set
	}
	for name, test := range map[string]struct {
		server  apiServer
		code    int
		written int
		pruned  bool
		want    string // a part of the output
	}{
		"all":                    {apiServer{}, 0, 1200, true, "orders.shop.example.com|v2|v2|1200|0"},
		"an expired list":        {apiServer{expires: 2}, 0, 1200, true, "|1200|0"},
		"a list always expires":  {apiServer{expires: 100}, 2, 500, false, "problem: orders.shop.example.com: no: Expired"},
		"a forgotten list":       {apiServer{expires: 1, forgets: true}, 0, 1700, true, "|1200|0"},
		"conflicts":              {apiServer{conflicts: map[string]int{"order-0003": 3}}, 0, 1200, true, "|1200|0"},
		"conflicts without end":  {apiServer{conflicts: map[string]int{"order-0003": 100}}, 1, 1199, false, "not written: Order shop/order-0003: no: Conflict"},
		"refused":                {apiServer{refused: only("order-0700")}, 1, 1199, false, "not written: Order shop/order-0700: no: Forbidden"},
		"unreadable":             {apiServer{broken: only("order-0700")}, 1, 700, false, "not read: Order the object after shop/order-0699: no: InternalError"},
		"the first is broken":    {apiServer{broken: only("order-0000")}, 1, 0, false, "not read: Order the first object: no: InternalError"},
		"the definition changes": {apiServer{changed: true}, 2, 1200, false, "the definition has changed"},
		"the connection ends":    {apiServer{hangsUp: "order-0600"}, 2, 600, false, "problem: orders.shop.example.com: Patch"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &test.server
			a.orders, a.stored = orders, []string{"v1", "v2"}
			code, out := a.migrate(t)
			if code != test.code || !strings.Contains(columns(out), test.want) {
				t.Errorf("exit code %d:\n%s", code, out)
			}
			if pruned := slices.Equal(a.stored, []string{"v2"}); len(a.written) != test.written || pruned != test.pruned {
				t.Errorf("%d objects are written, and the stored versions are %v", len(a.written), a.stored)
			}
			if at := slices.Index(a.limits, "500"); at != 0 {
				t.Errorf("the limits are %v", a.limits)
			}
			if !test.pruned && test.code != 0 {
				return
			}
			a.written = nil
			if code, out := a.migrate(t, "--output", "json"); code != 0 || len(a.written) > 0 || !json.Valid([]byte(out)) {
				t.Errorf("again: exit code %d, %d objects are written\n%s", code, len(a.written), out)
			}
		})
	}
}

// TestMigrateArguments has bad arguments refused before anything is called.
func TestMigrateArguments(t *testing.T) {
	for args, want := range map[string]string{
		"--output yaml":                   "migrate: --output is \"yaml\": use table or json\n",
		"--rate 0":                        "migrate: --rate is 0: use a greater one, such as 100\n",
		"orders.shop.example.com":         "unexpected argument",
		"--kubeconfig /does/not/exist":    "no such file or directory",
		"--kubeconfig /dev/null":          "invalid configuration",
		"--definition a --output table x": "unexpected argument \"x\"",
	} {
		var out, problems bytes.Buffer
		if code, ran := run(t.Context(), append([]string{"migrate"}, strings.Fields(args)...), webhooks, nil, &out, &problems); !ran || code != 2 || !strings.Contains(problems.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, problems.String())
		}
	}
	var out bytes.Buffer
	if code, ran := run(t.Context(), []string{"migrate", "--help"}, webhooks, nil, &out, io.Discard); !ran || code != 0 || !strings.Contains(out.String(), "-definition name") {
		t.Errorf("--help: exit code %d, %s", code, out.String())
	}
}
