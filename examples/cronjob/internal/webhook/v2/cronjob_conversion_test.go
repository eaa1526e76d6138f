// SPDX-License-Identifier: Apache-2.0

package v2

import (
	"math/rand/v2"
	"testing"

	batchv1 "example.com/cronjob/api/v1"
	batchv2 "example.com/cronjob/api/v2"
	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

// newCronJobConversion returns the conversions of a CronJob for the generated tests, with schedules that parts can
// express: so everything must come back without the annotation.
func newCronJobConversion(t testing.TB) conversiontest.Kind[batchv2.CronJob, batchv1.CronJob] {
	t.Helper()
	c := NewConverter(Schedules{})
	return conversiontest.Kind[batchv2.CronJob, batchv1.CronJob]{
		ToHub: c.CronJobToHub, FromHub: c.CronJobFromHub,
		Hub: schedules("* * * * *", "*/5 1 2 3 4", "0 6 * * 1-5", "*/1 * * * *"),
	}
}

// schedules gives a CronJob one of some schedules.
func schedules(of ...string) func(*batchv1.CronJob, *rand.Rand) {
	return func(o *batchv1.CronJob, r *rand.Rand) { o.Spec.Schedule = of[r.IntN(len(of))] }
}
