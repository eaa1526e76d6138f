// SPDX-License-Identifier: Apache-2.0

package program

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
)

const (
	// migrateName is the client's name in the API server's logs and in managedFields.
	migrateName = "webhook-migrate"
	// conflicts is how often one object or definition is read and written again after others have written it.
	conflicts = 10
	// pollInterval is how long migrate waits before it reads a StorageVersionMigration again.
	pollInterval = 2 * time.Second
)

// migrator migrates the stored objects of a cluster to the storage versions of their definitions.
type migrator struct {
	definitions
	metadata metadata.Interface
	wait     time.Duration // for StorageVersionMigrations
	stderr   io.Writer
	progress *progress
	report   definitionsReport[migratedDefinition]
}

func runMigrate(ctx context.Context, args []string, register Register, stdout, stderr io.Writer) (int, error) {
	var from clusterFlags
	var output string
	var names []string
	var rate int
	m := &migrator{stderr: stderr, progress: newProgress(stderr)}
	flags := flag.NewFlagSet("migrate", flag.ContinueOnError)
	from.add(flags)
	flags.Func("definition", "`name` of a CustomResourceDefinition to migrate, in place of those that the program converts; repeatable", appendTo(&names))
	flags.IntVar(&rate, "rate", 100, "greatest `number` of requests a second")
	flags.DurationVar(&m.wait, "wait", 10*time.Minute, "longest `duration` to wait for a running StorageVersionMigration")
	flags.StringVar(&output, "output", "table", "`format` of the report: table or json")
	const about = "migrate writes each stored object back unchanged, which stores it in the storage version of its definition. If all\n" +
		"objects of a definition are written, migrate removes the other versions from its status.storedVersions. It can be\n" +
		"stopped and started again at any time. Exit codes: 0 all objects are in the storage version, 1 the API server refused\n" +
		"some objects, 2 something could not be migrated.\n\n"
	switch helped, err := parseFlags(flags, args, about, stdout); {
	case helped || err != nil:
		return exitClean, err
	case output != "table" && output != "json":
		return 0, fmt.Errorf("--output is %q: use table or json", output)
	case rate <= 0:
		return 0, fmt.Errorf("--rate is %d: use a greater one, such as 100", rate)
	}
	err := m.connect(from, migrateName, rate)
	if err == nil {
		m.metadata, err = metadata.NewForConfig(m.config)
	}
	if err == nil && len(names) == 0 {
		names, err = m.converted(register, m.report.skip)
	}
	if err != nil {
		return 0, err
	}
	err = m.report.each(ctx, names, func(ctx context.Context, name string) error {
		defer m.progress.clear()
		return m.definition(ctx, name)
	})
	if err != nil {
		return 0, err
	}
	if err := m.report.write(stdout, output, migrationTable); err != nil {
		return 0, err
	}
	return m.report.code(), nil
}

// definition migrates the objects of a definition, and then removes the other versions from its storedVersions.
func (m *migrator) definition(ctx context.Context, name string) error {
	d, err := m.read(ctx, name)
	if err != nil {
		return err
	}
	resource := schema.GroupResource{Group: d.Spec.Group, Resource: d.Spec.Names.Plural}
	failed, err := m.await(ctx, resource)
	if err != nil {
		return err
	}
	// A StorageVersionMigration that ran meanwhile may have changed it.
	if d, err = m.read(ctx, name); err != nil {
		return err
	}
	m.report.Definitions = append(m.report.Definitions, migratedDefinition{Name: name, Kind: d.Spec.Names.Kind, StorageVersion: d.storage(),
		StoredVersions: d.Status.StoredVersions, Failures: []failure{}})
	done := &m.report.Definitions[len(m.report.Definitions)-1]
	if !failed && slices.Equal(d.Status.StoredVersions, []string{d.storage()}) {
		return nil
	}
	if err := m.objects(ctx, d, done); err != nil || len(done.Failures) > 0 {
		return err
	}
	return m.prune(ctx, d, done)
}

// prune sets storedVersions to the storage version. It fails if the definition has changed since its objects were
// written, because objects may since have been stored in another version.
func (m *migrator) prune(ctx context.Context, d *customResourceDefinition, done *migratedDefinition) error {
	for attempt := 0; ; attempt++ {
		now, err := m.read(ctx, d.Metadata.Name)
		switch {
		case err != nil:
			return err
		case now.Metadata.UID != d.Metadata.UID || now.Metadata.Generation != d.Metadata.Generation:
			return errors.New("the definition has changed while its objects were written: run migrate again")
		case slices.Equal(now.Status.StoredVersions, []string{d.storage()}):
			done.StoredVersions = now.Status.StoredVersions
			return nil
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": now.Metadata.ResourceVersion},
			"status":   map[string]any{"storedVersions": []string{d.storage()}},
		})
		if err != nil {
			return err
		}
		_, err = m.resources().Patch(ctx, d.Metadata.Name, types.MergePatchType, patch,
			metav1.PatchOptions{FieldManager: migrateName}, "status")
		if err == nil {
			done.StoredVersions = []string{d.storage()}
			return nil
		}
		if !apierrors.IsConflict(err) || attempt == conflicts {
			return err
		}
	}
}

// await waits until no StorageVersionMigration of a resource is unfinished. It reports whether the last of them failed.
// Then storedVersions may lack a version in which objects are stored: finishCRDMigration of kube-controller-manager
// removes versions after failed migrations, too.
func (m *migrator) await(ctx context.Context, resource schema.GroupResource) (failed bool, err error) {
	gvr, err := m.migrations()
	if err != nil || gvr.Version == "" {
		return false, err
	}
	for start, told := time.Now(), ""; ; {
		list, err := m.dynamic.Resource(gvr).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		running := ""
		running, failed = migrationsOf(list.Items, resource)
		switch {
		case running == "":
			return failed, nil
		case time.Since(start) > m.wait:
			return false, fmt.Errorf("StorageVersionMigration %s has not ended in %s: run migrate again when it has, or delete it", running, m.wait)
		case running != told:
			told = running
			fmt.Fprintf(m.stderr, "waiting for StorageVersionMigration %s of %s\n", cell(running), resource)
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// migrations returns the resource of StorageVersionMigrations, without a version if the cluster has none.
func (m *migrator) migrations() (schema.GroupVersionResource, error) {
	for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
		group := schema.GroupVersion{Group: "storagemigration.k8s.io", Version: version}
		list, err := m.known.ServerResourcesForGroupVersion(group.String())
		if err != nil && !apierrors.IsNotFound(err) {
			return schema.GroupVersionResource{}, err
		}
		for _, r := range listed(list, "StorageVersionMigration") {
			return group.WithResource(r.name), nil
		}
	}
	return schema.GroupVersionResource{}, nil
}

// migrationsOf returns the name of an unfinished StorageVersionMigration of a resource, if there is one, and whether
// the newest finished one failed.
func migrationsOf(all []unstructured.Unstructured, resource schema.GroupResource) (running string, failed bool) {
	var newest time.Time
	for _, u := range all {
		group, _, _ := unstructured.NestedString(u.Object, "spec", "resource", "group")
		plural, _, _ := unstructured.NestedString(u.Object, "spec", "resource", "resource")
		if group != resource.Group || plural != resource.Resource {
			continue
		}
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		is := func(condition string) bool {
			return slices.ContainsFunc(conditions, func(c any) bool {
				fields, _ := c.(map[string]any)
				return fields["type"] == condition && fields["status"] == "True"
			})
		}
		created := u.GetCreationTimestamp().Time
		switch {
		case !is("Failed") && !is("Succeeded"):
			running = u.GetName()
		case is("Failed") && !created.Before(newest):
			newest, failed = created, true
		case is("Succeeded") && created.After(newest):
			newest, failed = created, false
		}
	}
	return running, failed
}

// objects writes the objects of a definition back, page by page. It returns an error if it cannot go on. Objects that
// the API server refuses, or cannot read, are failures in the report.
func (m *migrator) objects(ctx context.Context, d *customResourceDefinition, done *migratedDefinition) error {
	served := d.served()
	if len(served) == 0 {
		return errors.New("the definition serves no version: serve the storage version")
	}
	limit, again, last := int64(pageSize), 0, "" // last is the last object that was read
	for next := ""; ; {
		page, err := m.page(ctx, served, limit, next)
		switch {
		case apierrors.IsResourceExpired(err) && again < restarts:
			// The status has a token to go on from the same key in a newer list, in which new objects are already
			// stored in the storage version.
			again++
			if status := apierrors.APIStatus(nil); errors.As(err, &status) {
				next = status.Status().Continue
			}
			if next == "" {
				done.Objects, done.Failures = 0, []failure{}
			}
			continue
		case isUnreadable(err) && limit > 1:
			// One object that does not convert fails the whole page.
			limit = max(1, limit/8)
			continue
		case isUnreadable(err):
			f := failureOf(err)
			f.Unread, f.After = true, last
			done.Failures = append(done.Failures, f)
			return nil
		case err != nil:
			return err
		}
		total := done.Objects + int64(len(page.Items))
		if rest := page.GetRemainingItemCount(); rest != nil {
			total += *rest
		}
		for i := range page.Items {
			o := &page.Items[i]
			m.progress.show(d.Metadata.Name, done.Objects, total)
			done.Objects++
			last = strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
			err := m.write(ctx, served[0], o)
			if err == nil {
				continue
			}
			if status := apierrors.APIStatus(nil); ctx.Err() != nil || !errors.As(err, &status) {
				return err
			}
			f := failureOf(err)
			f.Namespace, f.Name = o.Namespace, o.Name
			done.Failures = append(done.Failures, f)
		}
		if next = page.GetContinue(); next == "" {
			return nil
		}
		limit = min(pageSize, limit*2)
	}
}

// page returns the metadata of objects, in the first of the versions in which they can all be read. A continue token
// is good for every version.
func (m *migrator) page(ctx context.Context, served []schema.GroupVersionResource, limit int64, next string) (*metav1.PartialObjectMetadataList, error) {
	var first error
	for _, gvr := range served {
		page, err := m.metadata.Resource(gvr).List(ctx, metav1.ListOptions{Limit: limit, Continue: next})
		if err == nil || !isUnreadable(err) {
			return page, err
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// isUnreadable reports whether the API server cannot read all objects of a page. Its reason is InternalError, or
// StoreReadError since Kubernetes 1.32.
func isUnreadable(err error) bool {
	status := apierrors.APIStatus(nil)
	return errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError
}

// write has the API server write an object as it is stored. The patch contains only the resourceVersion, so no field
// takes the way through this program. The API server does not write an object that is already stored in this form.
func (m *migrator) write(ctx context.Context, gvr schema.GroupVersionResource, o *metav1.PartialObjectMetadata) error {
	objects := m.metadata.Resource(gvr).Namespace(o.Namespace)
	for attempt := 0; ; attempt++ {
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": o.ResourceVersion}})
		if err != nil {
			return err
		}
		_, err = objects.Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: migrateName})
		if !apierrors.IsConflict(err) || attempt == conflicts {
			return ignoreNotFound(err)
		}
		if o, err = objects.Get(ctx, o.Name, metav1.GetOptions{}); err != nil {
			return ignoreNotFound(err)
		}
	}
}

// ignoreNotFound ignores that an object was deleted meanwhile. If its resource was, prune fails.
func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func failureOf(err error) failure {
	f := failure{Message: err.Error()}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		f.Code, f.Message = status.Status().Code, status.Status().Message
	}
	return f
}
