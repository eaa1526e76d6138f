// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestCronJob runs examples/cronjob under an API server: a schedule that is written in one version, read in the other,
// and edited there.
func TestCronJob(t *testing.T) {
	s := onAPIServer(t)
	o := s.prepare(t)
	address := net.JoinHostPort(o.LocalServingHost, strconv.Itoa(o.LocalServingPort))
	start(t, "../../examples/cronjob", "-address", address,
		"-cert", filepath.Join(o.LocalServingCertDir, "tls.crt"), "-key", filepath.Join(o.LocalServingCertDir, "tls.key"))
	s.convert(t, "../../examples/cronjob/config/crd/patches/conversion_in_cronjobs.batch.tutorial.kubebuilder.io.yaml", address, o.LocalServingCAData)
	s.namespace(t, "jobs", nil)

	cronJob := func(version, name string, schedule any) *unstructured.Unstructured {
		job := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
			"schedule": schedule, "jobTemplate": map[string]any{"spec": map[string]any{"template": map[string]any{
				"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "tea"}}},
			}}},
		}}}
		job.SetAPIVersion("batch.tutorial.kubebuilder.io/" + version)
		job.SetKind("CronJob")
		job.SetNamespace("jobs")
		job.SetName(name)
		return job
	}
	get := func(version, name string) (*unstructured.Unstructured, any, error) {
		job := cronJob(version, name, nil)
		err := s.client.Get(t.Context(), client.ObjectKeyFromObject(job), job)
		schedule, _, _ := unstructured.NestedFieldNoCopy(job.Object, "spec", "schedule")
		return job, schedule, err
	}
	want := func(version, name string, want any) {
		t.Helper()
		_, got, err := get(version, name)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s as %s: %v (- want, + got):\n%s", name, version, err, diff)
		}
	}

	t.Cleanup(func() { // while they still convert: other tests read every object
		if err := s.client.DeleteAllOf(context.Background(), cronJob("v1", "", nil), client.InNamespace("jobs")); err != nil {
			t.Error(err)
		}
	})
	early, parts := "*/5 6 * * *", map[string]any{"minute": "*/5", "hour": "6"}
	eventually(t, func() error { // Until conversions are called, an object only gets another apiVersion.
		if err := s.client.Create(t.Context(), cronJob("v1", "early", early)); client.IgnoreAlreadyExists(err) != nil {
			return err
		}
		_, got, err := get("v2", "early")
		if _, converted := got.(map[string]any); !converted {
			return fmt.Errorf("not converted: %v, %v", got, err)
		}
		return nil
	})
	want("v1", "early", early)
	want("v2", "early", parts)

	if err := s.client.Create(t.Context(), cronJob("v2", "late", parts)); err != nil {
		t.Fatal(err)
	}
	want("v1", "late", early)

	// A schedule that parts cannot represent survives an edit of another field in their version.
	if err := s.client.Create(t.Context(), cronJob("v1", "hourly", "@hourly")); err != nil {
		t.Fatal(err)
	}
	hourly, _, err := get("v2", "hourly")
	if err != nil {
		t.Fatal(err)
	}
	unstructured.SetNestedField(hourly.Object, true, "spec", "suspend")
	if err := s.client.Update(t.Context(), hourly); err != nil {
		t.Fatal(err)
	}
	want("v1", "hourly", "@hourly")
}
