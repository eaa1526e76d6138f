// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

// generated are webhooks of a package in which a policy replaces one. The package's generated test declares the method.
type generated interface{ GeneratedSuite() Suite }

// compareReplacements compares each webhook that a policy replaces with the policy, on the requests of the cases that
// reached it, and on their neighbours.
func (table Table[T]) compareReplacements(t *testing.T, handlers map[string]http.Handler) {
	t.Helper()
	webhooks, ok := table.Webhooks.(generated)
	if !ok {
		return
	}
	suite := webhooks.GeneratedSuite()
	for _, path := range table.Paths {
		i := slices.IndexFunc(suite.Webhooks, func(w Webhook) bool { return w.Path == path && w.Replacement != nil })
		if i < 0 || len(table.sent[path]) == 0 {
			continue
		}
		w := suite.Webhooks[i]
		t.Run(w.Name+"/policy", func(t *testing.T) {
			t.Helper()
			all := configuredIn(t, suite.Manifest)
			calls := w.calls(t, suite.Manifest, all, suite.Webhooks)
			if len(calls) == 0 {
				return // which is reported
			}
			c := suite.replacementOf(t, w, handlers[path], all, calls)
			var objects []json.RawMessage
			for _, r := range table.sent[path] {
				p := pair{operation: r.operation, request: &r}
				if r.object != nil {
					p.object = *r.object
				}
				if r.old != nil {
					p.old = *r.old
				}
				c.cases = append(c.cases, p)
				for _, object := range []json.RawMessage{p.object, p.old} {
					if object != nil {
						objects = append(objects, object)
					}
				}
			}
			c.values = c.values.with(valuesOf(objects))
			c.run(t)
		})
	}
}

// raw returns the review with objects in JSON, which have their kind, as reviews have it.
func (r Review[T]) raw() (rawReview, error) {
	review, err := r.review()
	if err != nil {
		return rawReview{}, err
	}
	raw := rawReview{
		operation: r.operation, version: r.version, kind: r.kind, resource: r.resource, subResource: r.subResource,
		sentAs: r.sentAs, namespace: r.namespace, name: r.name, user: r.user, dryRun: r.dryRun, options: r.options, timeout: r.timeout,
	}
	if object := json.RawMessage(review.Request.Object.Raw); object != nil {
		raw.object = &object
	}
	if old := json.RawMessage(review.Request.OldObject.Raw); old != nil {
		raw.old = &old
	}
	return raw, nil
}

// record keeps the request that a webhook gets in the first round.
func (c *chain[T]) record(t testing.TB, path string) {
	t.Helper()
	if c.sent == nil || c.request.operation == admissionv1.Connect || slices.Contains(c.recorded, path) {
		return
	}
	raw, err := c.request.raw()
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	c.recorded = append(c.recorded, path)
	c.sent[path] = append(c.sent[path], raw)
}
