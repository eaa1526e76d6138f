package v2

import (
	"context"
	"strings"

	batchv1 "example.com/cronjob/api/v1"
	batchv2 "example.com/cronjob/api/v2"
)

// Schedules converts schedules between cron's own format and parts.
//
// What parts cannot say, such as "@hourly", is left out of them: the conversion keeps it.
type Schedules struct{}

// CronJobSpecScheduleToHub joins the parts; of none, as in a part of an object, it makes nothing.
func (Schedules) CronJobSpecScheduleToHub(_ context.Context, src *batchv2.CronJobSpec, dst *batchv1.CronJobSpec) error {
	if src.Schedule == (batchv2.CronSchedule{}) {
		return nil
	}
	var fields []string
	for _, part := range parts(&src.Schedule) {
		if *part == nil || **part == "" {
			fields = append(fields, "*")
		} else {
			fields = append(fields, string(**part))
		}
	}
	dst.Schedule = strings.Join(fields, " ")
	return nil
}

// CronJobSpecScheduleFromHub splits a schedule of five fields.
func (Schedules) CronJobSpecScheduleFromHub(_ context.Context, src *batchv1.CronJobSpec, dst *batchv2.CronJobSpec) error {
	fields := strings.Fields(src.Schedule)
	all := parts(&dst.Schedule)
	if len(fields) != len(all) {
		return nil
	}
	for i, part := range all {
		if f := batchv2.CronField(fields[i]); f != "*" {
			*part = &f
		}
	}
	return nil
}

// parts are the fields of a schedule in cron's order.
func parts(s *batchv2.CronSchedule) []**batchv2.CronField {
	return []**batchv2.CronField{&s.Minute, &s.Hour, &s.DayOfMonth, &s.Month, &s.DayOfWeek}
}
