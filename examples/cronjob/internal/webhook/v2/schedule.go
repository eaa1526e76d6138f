// SPDX-License-Identifier: Apache-2.0

package v2

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	batchv1 "example.com/cronjob/api/v1"
	batchv2 "example.com/cronjob/api/v2"
)

// Schedules converts schedules between cron's own format and parts.
//
// Schedules that parts cannot express, such as "@hourly", have no parts: the conversion keeps them.
type Schedules struct{}

// CronJobSpecScheduleToHub joins the parts; of none, as in a part of an object, it makes nothing. A part
// with a blank in it is an error: it would be read as two.
func (Schedules) CronJobSpecScheduleToHub(_ context.Context, src *batchv2.CronJobSpec, dst *batchv1.CronJobSpec) error {
	if src.Schedule == (batchv2.CronSchedule{}) {
		return nil
	}
	var fields []string
	for _, part := range parts(&src.Schedule) {
		field := "*"
		if *part != nil && **part != "" {
			field = string(**part)
		}
		if strings.ContainsFunc(field, unicode.IsSpace) {
			return fmt.Errorf("%q has a blank in it", field)
		}
		fields = append(fields, field)
	}
	dst.Schedule = strings.Join(fields, " ")
	return nil
}

// CronJobSpecScheduleFromHub splits a schedule of five fields. A part that is any is left out, but not
// the last one that is left: no part at all is no schedule.
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
	if dst.Schedule == (batchv2.CronSchedule{}) {
		every := batchv2.CronField("*")
		dst.Schedule.Minute = &every
	}
	return nil
}

// parts are the fields of a schedule in cron's order.
func parts(s *batchv2.CronSchedule) []**batchv2.CronField {
	return []**batchv2.CronField{&s.Minute, &s.Hour, &s.DayOfMonth, &s.Month, &s.DayOfWeek}
}
