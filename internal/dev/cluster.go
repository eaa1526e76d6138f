// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// apply has the cluster call the session. Objects of the session that are not among the objects any more are removed.
func (c *cluster) apply(ctx context.Context, o objects) error {
	for _, name := range slices.Sorted(maps.Keys(o.definitions)) {
		if err := c.define(ctx, name, o.definitions[name]); err != nil {
			return err
		}
	}
	served, err := c.servedResources(ctx)
	if err != nil {
		return err
	}
	wanted := o.configurations
	for _, p := range o.policies {
		if slices.Contains(served, resourceOf(p.Kind)) {
			wanted = append(wanted, p)
		} else {
			fmt.Fprintf(c.out, "dev: the cluster does not serve %s in v1: %s is not applied\n", resourceOf(p.Kind), p.Name)
		}
	}
	return c.configure(ctx, served, wanted)
}

// servedResources are the resources of configurations, policies and bindings that the cluster serves. Clusters before
// Kubernetes 1.30 and 1.36 lack resources of policies.
func (c *cluster) servedResources(ctx context.Context) ([]string, error) {
	text, err := c.kubectl(ctx, "", "get", "--raw", "/apis/"+admissionGroup+"/v1")
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%w: kubectl get --raw /apis/%s/v1: %w", errCluster, admissionGroup, err)
	}
	served := []string{mutatingResource, validatingResource}
	for _, kind := range policyKinds() {
		if slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name+"."+admissionGroup == resourceOf(kind) }) {
			served = append(served, resourceOf(kind))
		}
	}
	return served, nil
}

// configure creates and updates configurations, policies and bindings, and removes stale ones of the session.
func (c *cluster) configure(ctx context.Context, served []string, all []object) error {
	there, err := c.list(ctx, strings.Join(served, ","), "")
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	var texts bytes.Buffer
	var added []string
	for _, given := range all {
		own, err := c.session.own(given)
		if err != nil {
			return fmt.Errorf("%s %s: %w", given.Kind, given.Name, err)
		}
		reference := own.reference()
		isThere := false
		for _, o := range there {
			if o.reference() != reference {
				continue
			}
			if isThere = true; o.Labels[Label] != c.session.ID {
				return c.taken(o)
			}
		}
		if err := json.NewEncoder(&texts).Encode(own); err != nil {
			return err
		}
		if wanted[reference] = true; !isThere {
			added = append(added, own.Kind+" "+own.Name)
		}
		c.touch(reference)
	}
	if texts.Len() > 0 {
		if _, err := c.change(ctx, texts.String(), "apply", "--server-side", "--force-conflicts", "--field-manager="+fieldManager, "-f", "-"); err != nil {
			return err
		}
	}
	for _, name := range added {
		fmt.Fprintf(c.out, "dev: created the %s; it is removed at the end of the session\n", name)
	}
	for _, o := range there {
		if o.Labels[Label] == c.session.ID && !wanted[o.reference()] {
			if _, err := c.change(ctx, "", "delete", o.reference(), "--ignore-not-found"); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "dev: removed the %s %s\n", o.Kind, o.Name)
		}
	}
	return nil
}

// taken says that somebody else has an object that the session needs.
func (c *cluster) taken(o object) error {
	if o.Labels[Label] == "" {
		return fmt.Errorf("%w: %s exists, and dev did not create it: remove it or rename the configuration", errCluster, o.reference())
	}
	return fmt.Errorf("%w: %s belongs to %s. If that has ended, restore what it changed with: %s", errCluster, o.reference(), sessionOf(o), c.again)
}

// injection begins the annotations of objects in which cert-manager would write its own caBundle.
const injection = "cert-manager.io/inject-"

// define creates a CRD, or changes the one of the cluster to the project's. The session keeps the storage version of
// the cluster, so that no object is stored in a version that the former definition lacks.
func (c *cluster) define(ctx context.Context, name string, d definition) error {
	live, err := c.get(ctx, crdResource+"/"+name)
	if err != nil {
		return err
	}
	switch {
	case live == nil && d.file == nil:
		fmt.Fprintf(c.out, "dev: neither the cluster nor config/crd/bases has the CRD %s: its conversions are not called\n", name)
		return nil
	case live == nil:
		return c.create(ctx, d)
	case live.Labels[Label] != "" && live.Labels[Label] != c.session.ID:
		return c.taken(*live)
	}
	was, err := formerState(*live, c.session.ID)
	if err != nil {
		return err
	}
	created := live.Labels[Label] == c.session.ID && was == nil
	if was == nil {
		was = &previous{Spec: live.Spec, ManagedFields: live.ManagedFields}
	}
	spec, err := c.wantedSpec(d, was.Spec, created)
	if err != nil {
		return err
	}
	meta := live.ObjectMeta.DeepCopy()
	c.session.mark(meta)
	for key, value := range live.Annotations {
		if strings.HasPrefix(key, injection) {
			if was.Annotations == nil {
				was.Annotations = map[string]string{}
			}
			was.Annotations[key] = value
			delete(meta.Annotations, key)
		}
	}
	change := func(dryRun string) (*object, error) {
		if !created {
			if meta.Annotations[previousAnnotation], err = was.encode(); err != nil {
				return nil, err
			}
		}
		return c.patch(ctx, *live, dryRun, replaced("/spec", spec), replaced("/metadata/labels", meta.Labels), replaced("/metadata/annotations", meta.Annotations))
	}
	after, err := change("server")
	if err != nil {
		return err
	}
	if after.Generation == live.Generation {
		return nil // the spec is the same
	}
	was.Generation = after.Generation
	c.touch(live.reference())
	if _, err := change("none"); err != nil {
		return err
	}
	if live.Labels[Label] == "" {
		fmt.Fprintf(c.out, "dev: changed the CRD %s until the end of the session\n", name)
	}
	return nil
}

// create creates a CRD that the cluster lacks, and waits until it is served.
func (c *cluster) create(ctx context.Context, d definition) error {
	spec, err := c.wantedSpec(d, nil, true)
	if err != nil {
		return err
	}
	o := object{TypeMeta: d.file.TypeMeta, ObjectMeta: metav1.ObjectMeta{Name: d.file.Name, Annotations: maps.Clone(d.file.Annotations)}, Spec: spec}
	maps.DeleteFunc(o.Annotations, func(key, _ string) bool { return strings.HasPrefix(key, injection) })
	c.session.mark(&o.ObjectMeta)
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	c.touch(o.reference())
	if _, err := c.change(ctx, string(text), "create", "--field-manager="+fieldManager, "-f", "-"); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "dev: created the CRD %s; it is removed with its objects at the end of the session\n", o.Name)
	_, err = c.kubectl(ctx, "", "wait", "--for=condition=Established", o.reference(), "--timeout=30s")
	return err
}

// wantedSpec is the spec of a CRD during the session: the spec of the project's file, or the former one, with the
// conversions of the session. The former storage version stays, unless the session has created the CRD.
func (c *cluster) wantedSpec(d definition, former json.RawMessage, created bool) (json.RawMessage, error) {
	given := former
	if d.file != nil {
		given = d.file.Spec
	}
	spec, err := readJSON(given)
	if err != nil {
		return nil, err
	}
	if !created {
		before, err := readJSON(former)
		if err != nil {
			return nil, err
		}
		keepStorage(spec, before)
		if spec["conversion"] == nil && before["conversion"] != nil {
			// A patch of the deployment, such as an overlay's, has set it: the file lacks it.
			spec["conversion"] = before["conversion"]
		}
	}
	if d.conversion != nil {
		spec["conversion"] = c.session.convert(d.conversion)
	}
	return json.Marshal(spec)
}

// keepStorage gives the spec of a CRD the storage version of a former spec, if it still has that.
func keepStorage(spec, former map[string]any) {
	versions, was := member[[]any](spec, "versions"), member[[]any](former, "versions")
	i := slices.IndexFunc(was, func(v any) bool { return member[bool](v, "storage") })
	if i < 0 || !slices.ContainsFunc(versions, func(v any) bool { return member[any](v, "name") == member[any](was[i], "name") }) {
		return
	}
	for _, v := range versions {
		if version, ok := v.(map[string]any); ok {
			version["storage"] = version["name"] == member[any](was[i], "name")
		}
	}
}

// touch records an object before the session changes it.
func (c *cluster) touch(reference string) {
	if !slices.Contains(c.touched, reference) {
		c.touched = append(c.touched, reference)
	}
}

// list returns the objects of resources that a selector selects.
func (c *cluster) list(ctx context.Context, resources, selector string) ([]object, error) {
	arguments := []string{"get", resources, "-o", "json", "--show-managed-fields"}
	if selector != "" {
		arguments = append(arguments, "--selector", selector)
	}
	text, err := c.kubectl(ctx, "", arguments...)
	if err != nil {
		return nil, err
	}
	var list struct{ Items []object }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%w: kubectl get %s: %w", errCluster, resources, err)
	}
	return list.Items, nil
}

// get returns an object; nil if it is missing.
func (c *cluster) get(ctx context.Context, reference string) (*object, error) {
	text, err := c.kubectl(ctx, "", "get", reference, "-o", "json", "--show-managed-fields", "--ignore-not-found")
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil, err
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%w: kubectl get %s: %w", errCluster, reference, err)
	}
	return &o, nil
}

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// replaced sets a member, whether or not it is there.
func replaced(path string, value any) operation { return operation{"add", path, value} }

// patch changes an object, if it is still as it was read, and returns the outcome.
func (c *cluster) patch(ctx context.Context, o object, dryRun string, operations ...operation) (*object, error) {
	text, err := json.Marshal(append([]operation{replaced("/metadata/resourceVersion", o.ResourceVersion)}, operations...))
	if err != nil {
		return nil, err
	}
	// As an argument, a CRD may be too long. The file contains no secret if it cannot be removed.
	file, err := os.CreateTemp("", "webhook-gen-dev-*.json")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	out, err := c.change(ctx, "", "patch", o.reference(), "--type=json", "--patch-file="+file.Name(), "--field-manager="+fieldManager,
		"--dry-run="+dryRun, "-o", "json", "--show-managed-fields")
	if err != nil {
		return nil, err
	}
	var after object
	if err := json.Unmarshal(out, &after); err != nil {
		return nil, fmt.Errorf("%w: kubectl patch %s: %w", errCluster, o.reference(), err)
	}
	return &after, nil
}

// previous is the state of a CRD before a session changed it.
type previous struct {
	Spec json.RawMessage `json:"spec"`
	// Annotations are the annotations that the session has removed.
	Annotations   map[string]string           `json:"annotations,omitempty"`
	ManagedFields []metav1.ManagedFieldsEntry `json:"managedFields,omitempty"`
	// Generation is the generation of the CRD after the session's change. Once it differs, somebody else has changed
	// the spec.
	Generation int64 `json:"generation"`
}

// encode returns the state as an annotation's value.
func (p previous) encode() (string, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(w).Encode(p), w.Close()); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// largest is the size of a definition that etcd would not take. An annotation cannot make this program read more.
const largest = 16 << 20

// formerState returns the state of an object before a session, nil if the session has created or not changed it.
func formerState(o object, id string) (*previous, error) {
	value, changed := o.Annotations[previousAnnotation]
	if !changed || o.Labels[Label] != id {
		return nil, nil
	}
	var p previous
	packed, err := base64.StdEncoding.DecodeString(value)
	if err == nil {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			err = json.NewDecoder(io.LimitReader(r, largest)).Decode(&p)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: annotation %s: %w", o.reference(), previousAnnotation, err)
	}
	if len(p.Spec) == 0 {
		return nil, fmt.Errorf("%s: annotation %s has no spec", o.reference(), previousAnnotation)
	}
	return &p, nil
}
