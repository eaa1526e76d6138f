// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"context"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

var replayed = flag.Int("worlds.replayed", 0, "the number of worlds that TestReplay tries on a real API server")

// TestReplay lets clients do the same on a real API server, which calls the conversion webhook, and on the one that
// server.go plays. Both accept and refuse the same requests, and have the same objects in all versions.
func TestReplay(t *testing.T) {
	if *replayed == 0 {
		t.Skip("-worlds.replayed is 0: with KUBEBUILDER_ASSETS, it is the number of worlds that a real API server has")
	}
	h := newHunt(t)
	var all []*world
	for _, seed := range seeds(*first, *replayed) {
		all = append(all, invent(seed))
	}
	b, err := h.batch(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	log.SetLogger(logr.Discard())
	environment := &envtest.Environment{}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(environment.Stop(), b.server.stop()); err != nil {
			t.Error(err)
		}
	})
	config.QPS, config.Burst = 1000, 1000
	definitions, err := clientset.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		answer, err := b.server.answer(slices.DeleteFunc(review, func(c byte) bool { return c == '\n' }))
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(webhook.Close)
	url := webhook.URL + "/convert"
	conversion := &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
		ConversionReviewVersions: []string{"v1"},
		ClientConfig: &apiextensionsv1.WebhookClientConfig{
			URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw}),
		},
	}}
	var whole []*made
	for _, m := range b.worlds {
		if m.broken != "" || m.theme == "limits" { // its objects are older than their definition
			continue
		}
		d := installable(m.definition, m.hub().name)
		d.Spec.Conversion = conversion
		if _, err := definitions.ApiextensionsV1().CustomResourceDefinitions().Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		whole = append(whole, m)
	}
	requests := 0
	for _, m := range whole {
		r := rand.New(rand.NewPCG(m.seed, 7))
		for i := range 2 * len(m.versions) {
			if s, ok := m.begin(r, i); ok && s.storage == m.hub().name {
				c := &comparison{player: player{server: &server{made: m, converter: b.server, storage: s.storage}}, objects: objects, name: fmt.Sprint("order-", i)}
				requests += c.replay(t, s.operations[0], r)
			}
		}
	}
	t.Logf("%d worlds, %d requests", len(whole), requests)
	if requests < 4*len(whole) {
		t.Error("too little was tried")
	}
}

// comparison has an object in a real API server and in the played one.
type comparison struct {
	player
	objects dynamic.Interface
	name    string
	real    map[string]map[string]any // the last read of each version
}

// replay lets clients do the operation and four more, and returns how many requests were the same.
func (c *comparison) replay(t *testing.T, o operation, r *rand.Rand) (requests int) {
	t.Helper()
	for range 5 {
		if o.verb == "create" {
			metadata(o.value.(map[string]any))["name"] = c.name
		}
		if o.verb != "restore" {
			c.note("%s", o)
			if err := c.do(t.Context(), o); err != nil {
				t.Errorf("world %d: %v\n%q", c.seed, err, c.log)
				return requests
			}
			requests++
		}
		if c.reads == nil {
			return requests
		}
		v := c.versions[r.IntN(len(c.versions))]
		o = client{r}.operation(v, clone(c.reads[v.name]))
	}
	return requests
}

// do has both servers do an operation, and compares the object in all versions.
func (c *comparison) do(ctx context.Context, o operation) error {
	of := func(version string) dynamic.ResourceInterface {
		return c.objects.Resource(schema.GroupVersionResource{Group: c.definition.Spec.Group, Version: version, Resource: c.definition.Spec.Names.Plural}).Namespace("default")
	}
	var played, live map[string]any
	var send func() error
	if o.verb == "create" {
		played, live = clone(o.value.(map[string]any)), clone(o.value.(map[string]any))
		send = func() error {
			_, err := of(o.version).Create(ctx, &unstructured.Unstructured{Object: live}, metav1.CreateOptions{})
			return err
		}
	} else {
		played, live = clone(c.reads[o.version]), clone(c.real[o.version])
		if !o.apply(played) || !o.apply(live) {
			return nil
		}
		send = func() error {
			_, err := of(o.version).Update(ctx, &unstructured.Unstructured{Object: live}, metav1.UpdateOptions{})
			return err
		}
	}
	want := c.write(o.version, played)
	got := send()
	for start := time.Now(); apierrors.IsNotFound(got) && time.Since(start) < 30*time.Second; got = send() {
		time.Sleep(100 * time.Millisecond) // until the definition is served
	}
	if (want == nil) != (got == nil) {
		return fmt.Errorf("the played server answers %v, the real one %v", want, got)
	}
	if want != nil {
		return nil
	}
	c.reads, c.real = map[string]map[string]any{}, map[string]map[string]any{}
	for _, v := range c.versions {
		want, err := c.read(v.name)
		got, err2 := of(v.name).Get(ctx, c.name, metav1.GetOptions{})
		if (err == nil) != (err2 == nil) {
			return fmt.Errorf("%s is read with %v by the played server, and with %v by the real one", v.name, err, err2)
		}
		if err != nil {
			c.reads = nil
			return nil
		}
		c.reads[v.name], c.real[v.name] = want, got.Object
		if a, b := bare(want), bare(got.Object); string(encode(a)) != string(encode(b)) {
			return fmt.Errorf("%s is\n%s in the played server, and\n%s in the real one", v.name, encode(a), encode(b))
		}
	}
	return nil
}

// bare is an object without the metadata that only a real API server has.
func bare(object map[string]any) map[string]any {
	object = clone(object)
	maps.DeleteFunc(metadata(object), func(name string, _ any) bool {
		return !slices.Contains([]string{"name", "namespace", "labels", "annotations"}, name)
	})
	return object
}
