// SPDX-License-Identifier: Apache-2.0

package v2

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	batchv1 "example.com/cronjob/api/v1"
	batchv2 "example.com/cronjob/api/v2"
	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
	corev1 "k8s.io/api/core/v1"
)

// TestAnySchedule checks the invariants of the generated test also for schedules that parts cannot express. The
// annotation keeps them. The objects have no containers, which have most of the fields.
func TestAnySchedule(t *testing.T) {
	kind := newCronJobConversion(t)
	anySchedule := schedules("", "@hourly", "*/5 1 2  3 4", "CRON_TZ=Asia/Tokyo 0 6 * * ?", "no schedule")
	kind.Hub = func(o *batchv1.CronJob, r *rand.Rand) {
		anySchedule(o, r)
		o.Spec.JobTemplate.Spec.Template.Spec = corev1.PodSpec{}
	}
	kind.Spoke = func(o *batchv2.CronJob, _ *rand.Rand) { o.Spec.JobTemplate.Spec.Template.Spec = corev1.PodSpec{} }
	kind.Kept = []string{"spec.schedule"}
	conversiontest.Check(t, kind)
}

// TestTutorial converts the tutorial's samples and expects what its own end-to-end test does
// (kubebuilder at 5c40072893, docs/book/src/multiversion-tutorial/testdata/project: config/samples, and
// "should successfully convert between v1 and v2 versions" in test/e2e).
func TestTutorial(t *testing.T) {
	c := NewConverter(Schedules{})
	const rest = `"startingDeadlineSeconds":60,"concurrencyPolicy":"Allow","jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},"spec":{` +
		`"containers":[{"name":"hello","image":"busybox","args":["/bin/sh","-c","date; echo Hello from the Kubernetes cluster"],"resources":{},` +
		`"securityContext":{"capabilities":{"drop":["ALL"]},"readOnlyRootFilesystem":false,"allowPrivilegeEscalation":false}}],` +
		`"restartPolicy":"OnFailure","securityContext":{"runAsUser":1000,"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}}}}}}`
	const v1 = `{"kind":"CronJob","apiVersion":"batch.tutorial.kubebuilder.io/v1","metadata":{"name":"cronjob-sample"},"spec":{"schedule":"*/1 * * * *",` + rest + `},"status":{}}`
	const v2 = `{"kind":"CronJob","apiVersion":"batch.tutorial.kubebuilder.io/v2","metadata":{"name":"cronjob-sample"},"spec":{"schedule":{"minute":"*/1"},` + rest + `},"status":{}}`
	if got := converted(t, v1, c.CronJobFromHub); got != v2 {
		t.Errorf("v1 to v2\ngot  %s\nwant %s", got, v2)
	}
	if got := converted(t, v2, c.CronJobToHub); got != v1 {
		t.Errorf("v2 to v1\ngot  %s\nwant %s", got, v1)
	}
}

// TestSchedule shows what the tutorial's own conversion refuses or makes up.
func TestSchedule(t *testing.T) {
	c := NewConverter(Schedules{})
	for _, tc := range []struct{ name, schedule, edited, want string }{
		{"a macro", "@hourly", "", "@hourly"},
		{"two blanks", "*/5  * * * *", "", "*/5  * * * *"},
		{"a time zone", "CRON_TZ=UTC 0 6 * * *", "", "CRON_TZ=UTC 0 6 * * *"},
		{"every minute", "* * * * *", "", "* * * * *"},
		{"a part of an object", "", "", ""},
		{"an edit wins", "@hourly", "30", "30 * * * *"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var old batchv1.CronJob
			old.Name, old.Spec.Schedule = "job", tc.schedule
			var spoke batchv2.CronJob
			if err := c.CronJobFromHub(context.Background(), &old, &spoke); err != nil {
				t.Fatal(err)
			}
			if tc.edited != "" {
				minute := batchv2.CronField(tc.edited)
				spoke.Spec.Schedule.Minute = &minute
			}
			var got batchv1.CronJob
			if err := c.CronJobToHub(context.Background(), &spoke, &got); err != nil {
				t.Fatal(err)
			}
			if got.Spec.Schedule != tc.want {
				t.Errorf("schedule %q, want %q", got.Spec.Schedule, tc.want)
			}
		})
	}
}

// TestParts converts parts of objects, as server-side apply does with what a manager owns: the tutorial's
// own conversion fails on the one and makes "* * * * *" of the other.
func TestParts(t *testing.T) {
	c := NewConverter(Schedules{})
	const none = `"jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},"spec":{"containers":null}}}}},"status":{}}`
	for _, tc := range []struct{ v1, v2 string }{
		{`{}`, `"spec":{"schedule":{},`},
		{`{"spec":{"suspend":true}}`, `"spec":{"schedule":{},"suspend":true,`},
	} {
		want := `{"kind":"CronJob","apiVersion":"batch.tutorial.kubebuilder.io/v2","metadata":{},` + tc.v2 + none
		if got := converted(t, tc.v1, c.CronJobFromHub); got != want {
			t.Errorf("v1 to v2\ngot  %s\nwant %s", got, want)
		}
	}
	for _, tc := range []struct{ v2, v1 string }{
		{`{}`, `"spec":{"schedule":"",`},
		{`{"spec":{"schedule":{"hour":"6"}}}`, `"spec":{"schedule":"* 6 * * *",`},
	} {
		want := `{"kind":"CronJob","apiVersion":"batch.tutorial.kubebuilder.io/v1","metadata":{},` + tc.v1 + none
		if got := converted(t, tc.v2, c.CronJobToHub); got != want {
			t.Errorf("v2 to v1\ngot  %s\nwant %s", got, want)
		}
	}
}

// TestBlankInPart refuses a part that would be read back as two.
func TestBlankInPart(t *testing.T) {
	minute := batchv2.CronField("1 2")
	err := NewConverter(Schedules{}).CronJobToHub(context.Background(), &batchv2.CronJob{Spec: batchv2.CronJobSpec{Schedule: batchv2.CronSchedule{Minute: &minute}}}, &batchv1.CronJob{})
	if want := `spec.schedule: "1 2" has a blank in it`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// converted is an object in JSON in the other version.
func converted[A, B any](t *testing.T, object string, convert func(context.Context, *A, *B) error) string {
	t.Helper()
	var a A
	if err := json.Unmarshal([]byte(object), &a); err != nil {
		t.Fatal(err)
	}
	var b B
	if err := convert(context.Background(), &a, &b); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
