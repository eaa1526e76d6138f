// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// restoreEnded restores what sessions of this machine have left that do not run any more. It is an error if the
// project has a session already.
func (c *cluster) restoreEnded(ctx context.Context, module string) error {
	marked, err := c.marked(ctx, "")
	if err != nil {
		return err
	}
	for _, s := range sessionsOf(marked) {
		switch {
		case !s.here():
			fmt.Fprintf(c.out, "dev: another machine has changed this cluster: %s. If that has ended, restore the cluster with: %s\n", s, c.again)
		case !s.runs(ctx):
			fmt.Fprintf(c.out, "dev: restoring what an ended session has left: %s\n", s)
			if err := c.restoreSession(ctx, s); err != nil {
				return err
			}
		case s.Module == module:
			return fmt.Errorf("the project has a session already: %s. End it with: kill %d", s, s.Process)
		}
	}
	return nil
}

// restoreAll restores the changes of all sessions, except sessions that still run on this machine.
func (c *cluster) restoreAll(ctx context.Context) error {
	marked, err := c.marked(ctx, "")
	if err != nil {
		return err
	}
	var failed []error
	for _, s := range sessionsOf(marked) {
		if s.here() && s.runs(ctx) {
			failed = append(failed, fmt.Errorf("a session still runs: %s. It restores the cluster when it ends: kill %d", s, s.Process))
			continue
		}
		failed = append(failed, c.restoreSession(ctx, s))
	}
	if len(marked) == 0 {
		fmt.Fprintln(c.out, "dev: nothing to restore: no object has the label "+Label)
	}
	return errors.Join(failed...)
}

// restoreSession restores the changes of a session. It then reads the cluster again, and prints success only if no
// marked object is left. The error names the objects that are left, and the command that tries again.
func (c *cluster) restoreSession(ctx context.Context, s session) error {
	marked, err := c.marked(ctx, s.ID)
	if err != nil {
		return c.unrestored(c.touched, err)
	}
	var outcome outcome
	failed := outcome.restore(ctx, c, s, marked)
	left, err := c.marked(ctx, s.ID)
	if err != nil {
		return c.unrestored(references(marked), errors.Join(failed, err))
	}
	if len(left) > 0 {
		return c.unrestored(references(left), failed)
	}
	fmt.Fprintf(c.out, "dev: %s\n", &outcome)
	return nil
}

// unrestored is the error of a restoration that did not succeed.
func (c *cluster) unrestored(references []string, reason error) error {
	text := ":\n"
	if len(references) > 0 {
		text = ". dev has changed these objects, and they may still be as it left them:\n  " + strings.Join(references, "\n  ") + "\n"
	}
	if reason != nil {
		text += reason.Error() + "\n"
	}
	return fmt.Errorf("%s is not restored%sRestore them with: %s", strings.TrimSuffix(c.name, ","), text, c.again)
}

func references(objects []object) []string {
	var names []string
	for _, o := range objects {
		names = append(names, o.reference())
	}
	return names
}

// marked returns the objects that a session has changed; without an ID, the objects of all sessions.
func (c *cluster) marked(ctx context.Context, id string) ([]object, error) {
	selector := Label
	if id != "" {
		selector += "=" + id
	}
	served, err := c.servedResources(ctx)
	if err != nil {
		return nil, err
	}
	return c.list(ctx, strings.Join(append(served, crdResource), ","), selector)
}

// sessionsOf returns the sessions that have marked objects, each once, in the order of their start. No session writes a
// label without an ID, which would select the objects of all sessions.
func sessionsOf(marked []object) []session {
	found := map[string]session{}
	for _, o := range marked {
		if s := sessionOf(o); s.ID != "" && found[s.ID].Host == "" {
			found[s.ID] = s
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b session) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID))
	})
}

// outcome counts what a restoration does. It is printed if no marked object is left.
type outcome struct {
	configurations, policies, bindings, removed, restored int

	notes []string
}

func (r *outcome) String() string {
	var parts []string
	for _, p := range []struct {
		verb      string
		count     int
		one, many string
	}{
		{"removed", r.configurations, "webhook configuration", "webhook configurations"}, {"removed", r.policies, "policy", "policies"},
		{"removed", r.bindings, "binding", "bindings"}, {"removed", r.removed, "CRD", "CRDs"}, {"restored", r.restored, "CRD", "CRDs"},
	} {
		noun := p.one
		if p.count > 1 {
			noun = p.many
		}
		if p.count > 0 {
			parts = append(parts, fmt.Sprintf("%s %d %s", p.verb, p.count, noun))
		}
	}
	parts = append(parts, r.notes...)
	if len(parts) == 0 {
		return "nothing was left to restore"
	}
	return strings.Join(parts, ", ")
}

// restore restores objects: configurations, policies and bindings first, because they block requests.
func (r *outcome) restore(ctx context.Context, c *cluster, s session, marked []object) error {
	var blocking []string
	for _, o := range marked {
		switch {
		case resourceOf(o.Kind) == crdResource:
			continue
		case strings.HasSuffix(o.Kind, "WebhookConfiguration"):
			r.configurations++
		case strings.HasSuffix(o.Kind, "Policy"):
			r.policies++
		default:
			r.bindings++
		}
		blocking = append(blocking, o.reference())
	}
	var failed []error
	if len(blocking) > 0 {
		_, err := c.kubectl(ctx, "", append([]string{"delete", "--ignore-not-found", "--timeout=30s"}, blocking...)...)
		failed = append(failed, err)
	}
	for _, o := range marked {
		if resourceOf(o.Kind) == crdResource {
			failed = append(failed, r.restoreCRD(ctx, c, s, o))
		}
	}
	return errors.Join(failed...)
}

func (r *outcome) restoreCRD(ctx context.Context, c *cluster, s session, o object) error {
	was, err := formerState(o, s.ID)
	switch {
	case err != nil:
		return err
	case was == nil && !ownedByOthers(o):
		r.removed++
		objects := c.count(ctx, o.Name)
		_, err := c.kubectl(ctx, "", "delete", o.reference(), "--ignore-not-found", "--timeout=60s")
		if err == nil && objects != "" {
			r.notes = append(r.notes, "with it "+objects)
		}
		return err
	case was == nil:
		r.notes = append(r.notes, fmt.Sprintf("kept CRD %s, which somebody else has applied since", o.Name))
		was = &previous{Spec: s.withoutConversion(o.Spec, nil)}
	default:
		r.restored++
		if o.Generation != was.Generation {
			r.notes = append(r.notes, fmt.Sprintf("kept changes of somebody else in CRD %s", o.Name))
			was.Spec = s.withoutConversion(o.Spec, was.Spec)
		}
	}
	return c.putBack(ctx, o, was)
}

// putBack gives a CRD a spec, and its former annotations and managed fields. That takes two writes: API servers make
// the writer a manager of fields that it changes, unless the write changes nothing but the managers.
func (c *cluster) putBack(ctx context.Context, o object, was *previous) error {
	annotations := map[string]string{}
	maps.Copy(annotations, was.Annotations)
	maps.Copy(annotations, o.Annotations)
	changed, err := c.retry(ctx, o, func(o object) (*object, error) {
		return c.patch(ctx, o, "none", replaced("/spec", was.Spec), replaced("/metadata/annotations", annotations))
	})
	if err != nil {
		return err
	}
	if !sameJSON(changed.Spec, was.Spec) {
		return fmt.Errorf("%w: the spec of %s is not the former one", errCluster, o.reference())
	}
	_, err = c.retry(ctx, *changed, func(o object) (*object, error) {
		managers, err := givenBack(o.ManagedFields, was.ManagedFields)
		if err != nil {
			return nil, err
		}
		return c.patch(ctx, o, "none", replaced("/metadata/managedFields", managers),
			without("labels", o.Labels, Label), without("annotations", o.Annotations, sessionAnnotation, previousAnnotation))
	})
	return err
}

// retry repeats a change of an object for as long as somebody else changes it at the same time.
func (c *cluster) retry(ctx context.Context, o object, change func(object) (*object, error)) (*object, error) {
	for attempt := 0; ; attempt++ {
		after, err := change(o)
		if err == nil || attempt == 5 {
			return after, err
		}
		now, readErr := c.get(ctx, o.reference())
		if readErr != nil || now == nil || now.ResourceVersion == o.ResourceVersion {
			return nil, errors.Join(err, readErr)
		}
		o = *now
		time.Sleep(100 * time.Millisecond)
	}
}

// without removes keys from the labels or annotations, and the member if it becomes empty.
func without(member string, was map[string]string, keys ...string) operation {
	now := maps.Clone(was)
	for _, key := range keys {
		delete(now, key)
	}
	if len(now) == 0 {
		return operation{Op: "remove", Path: "/metadata/" + member}
	}
	return replaced("/metadata/"+member, now)
}

// count returns how many objects a CRD has, as text; empty for none.
func (c *cluster) count(ctx context.Context, name string) string {
	plural, _, _ := strings.Cut(name, ".") // a CRD is named after its plural and its group
	list, err := c.kubectl(ctx, "", "get", name, "--all-namespaces", "-o", "name")
	switch n := bytes.Count(list, []byte("\n")); {
	case err != nil:
		return "an unknown number of " + plural
	case n == 0:
		return ""
	default:
		return fmt.Sprintf("%d %s", n, plural)
	}
}

func sameJSON(a, b json.RawMessage) bool {
	x, errX := readJSON(a)
	y, errY := readJSON(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}
