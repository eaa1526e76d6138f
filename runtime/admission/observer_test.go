package admission

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestObserversAddUp(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)

	var first, second observed
	h := Validating("pods.example.com", OnCreate(allowCreate), Observe(&first)).With(Observe(&second))
	verdictOf(t, h, reviewOf(Create, podJSON, ""))
	if len(first) != 1 || len(second) != 1 || log.Len() > 0 {
		t.Errorf("an allowed call is observed %d and %d times, the log is %q", len(first), len(second), &log)
	}
	ask(h, reviewOf(Delete, "", podJSON))
	if len(first) != 2 || len(second) != 2 {
		t.Errorf("a failed call is observed %d and %d times", len(first)-1, len(second)-1)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `webhook=pods.example.com code=400 last="the operation is \"DELETE\"`) {
		t.Errorf("the log is %q", got)
	}
}

// TestObservationNamesOnlyOperations sends what would be a time series of its own in a metric.
func TestObservationNamesOnlyOperations(t *testing.T) {
	var o observed
	h := Validating("pods.example.com", OnCreate(allowCreate), Observe(&o))
	for _, operation := range []Operation{Create, Update, Delete, Connect, "create", "CREATE ", "*", ""} {
		ask(h, reviewOf(operation, podJSON, ""))
		want := operation
		if len(o) > 4 {
			want = ""
		}
		if got := o[len(o)-1].Operation; got != want {
			t.Errorf("%q is observed as %q, want %q", operation, got, want)
		}
	}
	ask(h, "{")
	if last := o[len(o)-1]; last.Operation != "" || !last.Failed {
		t.Errorf("what is no review is observed as %+v", last)
	}
}
