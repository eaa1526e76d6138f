package v2

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	batchv1 "example.com/cronjob/api/v1"
	batchv2 "example.com/cronjob/api/v2"
)

// TestAsTheTutorialDoes converts objects with schedules of all kinds both ways, with our functions and with
// the tutorial's own. They differ where the tutorial's refuse a schedule that Kubernetes' cron accepts, and
// where they make a schedule up, and nowhere else.
func TestAsTheTutorialDoes(t *testing.T) {
	c := NewConverter(Schedules{})
	random := rand.New(rand.NewPCG(1, 2))
	field := func() string { return []string{"*", "*/5", "0", "1-5", "1,15", "MON"}[random.IntN(6)] }
	compared, refused := 0, 0
	for i := range int64(2000) {
		limit, suspend := int32(random.IntN(5)), random.IntN(2) == 0
		v1 := &batchv1.CronJob{}
		v1.Name, v1.Labels = fmt.Sprint("job-", i), map[string]string{"n": fmt.Sprint(i)}
		v1.Spec.Schedule = strings.Join([]string{field(), field(), field(), field(), field()}, " ")
		if random.IntN(10) == 0 {
			v1.Spec.Schedule = []string{"", "@hourly", "CRON_TZ=UTC 0 6 * * *", "*/5  * * * *"}[random.IntN(4)]
		}
		v1.Spec.StartingDeadlineSeconds, v1.Spec.SuccessfulJobsHistoryLimit, v1.Spec.Suspend = &i, &limit, &suspend
		v1.Spec.ConcurrencyPolicy = []batchv1.ConcurrencyPolicy{"", batchv1.AllowConcurrent, batchv1.ForbidConcurrent}[random.IntN(3)]

		var ours, theirs batchv2.CronJob
		if err := c.CronJobFromHub(context.Background(), v1, &ours); err != nil {
			t.Fatal(err)
		}
		if err := theirs.ConvertFrom(v1); err != nil {
			if len(strings.Split(v1.Spec.Schedule, " ")) == 5 {
				t.Fatalf("the tutorial refuses %q: %v", v1.Spec.Schedule, err)
			}
			refused++
			continue
		}
		if v1.Spec.Schedule == "* * * * *" { // which theirs says with no part at all, as a part of an object does
			every := batchv2.CronField("*")
			theirs.Spec.Schedule.Minute = &every
		}
		same(t, &theirs, &ours)

		var ourHub, theirHub batchv1.CronJob
		if err := c.CronJobToHub(context.Background(), &theirs, &ourHub); err != nil {
			t.Fatal(err)
		}
		if err := theirs.ConvertTo(&theirHub); err != nil {
			t.Fatal(err)
		}
		same(t, &theirHub, &ourHub)
		compared++
	}
	fmt.Printf("%d objects convert as in the tutorial, which refuses %d\n", compared, refused)
	if compared < 1500 || refused < 50 {
		t.Error("that is too few to tell")
	}
}

// same compares two objects less apiVersion and kind, which controller-runtime sets, and our annotation.
func same(t *testing.T, theirs, ours interface{ SetAnnotations(map[string]string) }) {
	t.Helper()
	ours.SetAnnotations(nil)
	a, b := members(t, theirs), members(t, ours)
	if a != b {
		t.Fatalf("theirs %s\nours   %s", a, b)
	}
}

func members(t *testing.T, o any) string {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	delete(all, "apiVersion")
	delete(all, "kind")
	text, err = json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
