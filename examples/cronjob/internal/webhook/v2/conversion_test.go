package v2

import (
	"context"
	"math/rand/v2"
	"testing"

	batchv1 "example.com/cronjob/api/v1"
	batchv2 "example.com/cronjob/api/v2"
	"example.com/cronjob/internal/webhook/conversion/conversiontest"
)

func TestConversions(t *testing.T) {
	c := NewConverter(Schedules{})
	conversiontest.Check(t, conversiontest.Kind[batchv2.CronJob, batchv1.CronJob]{
		ToHub: c.CronJobToHub, FromHub: c.CronJobFromHub,
		Hub: func(o *batchv1.CronJob, r *rand.Rand) {
			o.Spec.Schedule = []string{"", "@hourly", "* * * * *", "*/5 1 2  3 4", "CRON_TZ=Asia/Tokyo 0 6 * * ?"}[r.IntN(5)]
		},
	})
}

// TestSchedule shows what the tutorial's own conversion refuses or makes up.
func TestSchedule(t *testing.T) {
	c := NewConverter(Schedules{})
	for _, tc := range []struct{ name, schedule, edited, want string }{
		{"a macro", "@hourly", "", "@hourly"},
		{"two blanks", "*/5  * * * *", "", "*/5  * * * *"},
		{"a time zone", "CRON_TZ=UTC 0 6 * * *", "", "CRON_TZ=UTC 0 6 * * *"},
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
