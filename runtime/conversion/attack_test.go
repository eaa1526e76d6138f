// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// job is a kind. Its v1 has more fields than its v1alpha1.
type job[S, T any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   S `json:"spec,omitempty"`
	Status T `json:"status,omitempty"`
}

type alphaSpec struct {
	Image string     `json:"image,omitempty"`
	Name  string     `json:"name,omitempty"`
	Tasks []alphaJob `json:"tasks,omitempty"`
}

type alphaJob struct {
	Name string `json:"name"`
}

type stableSpec struct {
	Image      string      `json:"image,omitempty"`
	Title      string      `json:"title,omitempty"` // alphaSpec.Name
	Privileged bool        `json:"privileged,omitempty"`
	Priority   int         `json:"priority,omitempty"`
	Policy     string      `json:"policy,omitempty"`
	Tasks      []stableJob `json:"tasks,omitempty"`
}

type stableJob struct {
	Name    string `json:"name"`
	Retries int    `json:"retries,omitempty"`
}

type stableStatus struct {
	Approved bool `json:"approved,omitempty"`
}

type (
	alpha  = job[alphaSpec, struct{}]
	stable = job[stableSpec, stableStatus]
)

var (
	alphaStash  = NewStash[alpha]("v1alpha1", Schema{Lossless: true})
	stableStash = NewStash[stable]("v1", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{
		"policy": {Limits: Limits{Enum: []string{"Always", "Never"}}}, "priority": {Limits: Limits{Minimum: "0", Maximum: "10"}},
		"tasks": {Keys: []string{"name"}, Elements: &Schema{Members: map[string]Schema{"retries": {Limits: Limits{Maximum: "5"}}}}},
	}}}})
)

func alphaToStable(_ context.Context, src *alpha, dst *stable) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Spec.Image, dst.Spec.Title = src.Spec.Image, src.Spec.Name
	for _, j := range src.Spec.Tasks {
		dst.Spec.Tasks = append(dst.Spec.Tasks, stableJob{Name: j.Name})
	}
	return nil
}

func stableToAlpha(_ context.Context, src *stable, dst *alpha) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Spec.Image, dst.Spec.Name = src.Spec.Image, src.Spec.Title
	for _, j := range src.Spec.Tasks {
		dst.Spec.Tasks = append(dst.Spec.Tasks, alphaJob{Name: j.Name})
	}
	return nil
}

func toStable(ctx context.Context, src *alpha, dst *stable) error {
	if err := alphaToStable(ctx, src, dst); err != nil {
		return err
	}
	return Exchange(ctx, src, dst, alphaStash, stableStash, stableToAlpha)
}

func toAlpha(ctx context.Context, src *stable, dst *alpha) error {
	if err := stableToAlpha(ctx, src, dst); err != nil {
		return err
	}
	return Exchange(ctx, src, dst, stableStash, alphaStash, alphaToStable)
}

func was(t *testing.T, value any) string {
	t.Helper()
	d, err := digest(value)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestForgedAnnotation tries annotations with the right digests that alter the object's own values, or that have values
// which the types do not allow.
func TestForgedAnnotation(t *testing.T) {
	good := alpha{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: alphaSpec{Image: "good", Name: "n", Tasks: []alphaJob{{"x"}, {"y"}}}}
	for _, tc := range []struct{ name, changes, want string }{
		{"what the object says", `{"at":["spec","image"],"was":"` + was(t, "good") + `","is":"evil"},{"at":["spec","privileged"],"is":true}`, `{"image":"good","title":"n","privileged":true,"tasks":[{"name":"x"},{"name":"y"}]}`},
		{"what the object says by another name", `{"at":["spec","title"],"was":"` + was(t, "n") + `","is":"evil"},{"at":["spec","priority"],"is":7}`, `{"image":"good","title":"n","priority":7,"tasks":[{"name":"x"},{"name":"y"}]}`},
		{"that it says nothing", `{"at":["spec","image"],"was":"` + was(t, "good") + `"}`, `{"image":"good","title":"n","tasks":[{"name":"x"},{"name":"y"}]}`},
		{"all of a struct", `{"at":["spec"],"was":"` + was(t, map[string]any{"image": "good", "title": "n", "tasks": []any{map[string]any{"name": "x"}, map[string]any{"name": "y"}}}) + `","is":{"image":"evil"}}`, `{"image":"good","title":"n","tasks":[{"name":"x"},{"name":"y"}]}`},
		{"an element that is not there", `{"at":["spec","tasks",{"name":"z"}],"is":{"name":"z"}}`, `{"image":"good","title":"n","tasks":[{"name":"x"},{"name":"y"}]}`},
		{"an element gone", `{"at":["spec","tasks",{"name":"x"}],"was":"` + was(t, map[string]any{"name": "x"}) + `"}`, `{"image":"good","title":"n","tasks":[{"name":"x"},{"name":"y"}]}`},
		{"no constant of an enum", `{"at":["spec","policy"],"is":"Sometimes"},{"at":["spec","priority"],"is":10}`, `{"image":"good","title":"n","priority":10,"tasks":[{"name":"x"},{"name":"y"}]}`},
		{"a number out of bounds", `{"at":["spec","policy"],"is":"Never"},{"at":["spec","priority"],"is":11}`, `{"image":"good","title":"n","policy":"Never","tasks":[{"name":"x"},{"name":"y"}]}`},
		{"a number out of bounds in an element", `{"at":["spec","tasks",{"name":"x"},"retries"],"is":6},{"at":["spec","tasks",{"name":"y"},"retries"],"is":5}`, `{"image":"good","title":"n","tasks":[{"name":"x"},{"name":"y","retries":5}]}`},
		{"another type", `{"at":["spec","policy"],"is":7},{"at":["spec","tasks",{"name":"x"},"retries"],"is":"6"},{"at":["spec","tasks",{"name":"y"},"retries"],"is":5}`, `{"image":"good","title":"n","tasks":[{"name":"x"},{"name":"y","retries":5}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := *good.DeepCopy()
			src.Annotations = map[string]string{Annotation: `{"v1":[` + tc.changes + `]}`}
			var dst stable
			if err := toStable(context.Background(), &src, &dst); err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(dst.Spec); err != nil || string(got) != tc.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, tc.want)
			}
		})
	}
}

// DeepCopy copies the fields that the tests change.
func (j *job[S, T]) DeepCopy() *job[S, T] {
	other := *j
	j.ObjectMeta.DeepCopyInto(&other.ObjectMeta)
	return &other
}

// tasks returns an object with n elements. Each element has a value that v1alpha1 cannot represent.
func tasks(n int) *stable {
	o := &stable{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	for i := range n {
		o.Spec.Tasks = append(o.Spec.Tasks, stableJob{fmt.Sprintf("task-with-a-name-%06d", i), 1 + i%5})
	}
	return o
}

// workOf returns the memory that a function takes at least, in bytes. Pools may be empty.
func workOf(do func()) uint64 {
	var before, after runtime.MemStats
	least := uint64(math.MaxUint64)
	for range 10 {
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestGrowsLinearly checks that twice as many changes are no more than three times the work, to restore and to keep.
func TestGrowsLinearly(t *testing.T) {
	work := func(n int) (restoring, keeping uint64) {
		src := tasks(n)
		var read alpha
		keeping = workOf(func() {
			read = alpha{}
			if err := toAlpha(context.Background(), src, &read); err != nil {
				t.Fatal(err)
			}
		})
		restoring = workOf(func() {
			var dst stable
			if err := toStable(context.Background(), &read, &dst); err != nil {
				t.Fatal(err)
			}
			if dst.Spec.Tasks[n-1].Retries != 1+(n-1)%5 {
				t.Fatal("nothing is restored")
			}
		})
		return restoring, keeping
	}
	restoring, keeping := work(500)
	restoring2, keeping2 := work(1000)
	t.Logf("restored 500 changes with %d bytes, 1000 with %d; kept with %d and %d", restoring, restoring2, keeping, keeping2)
	if restoring2 > 3*restoring || keeping2 > 3*keeping {
		t.Error("twice the changes are more than three times the work")
	}
}

// BenchmarkRestore restores 1000 changes.
func BenchmarkRestore(b *testing.B) {
	var read alpha
	if err := toAlpha(context.Background(), tasks(1000), &read); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := toStable(context.Background(), &read, new(stable)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHostileAnnotationsAreBounded measures the work that annotations of the size of a request make.
func TestHostileAnnotationsAreBounded(t *testing.T) {
	repeated := func(n int, change func(i int) string) string {
		var changes []string
		for i := range n {
			changes = append(changes, change(i))
		}
		return `{"v1":[` + strings.Join(changes, ",") + `]}`
	}
	src := alpha{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	for i := range 8000 {
		src.Spec.Tasks = append(src.Spec.Tasks, alphaJob{fmt.Sprint("task-", i)})
	}
	for name, annotation := range map[string]string{
		"the same list over and over": repeated(8000, func(int) string { return `{"at":["spec","tasks"],"was":"0000000000000000","is":[]}` }),
		"keys of ever other names":    repeated(8000, func(i int) string { return fmt.Sprintf(`{"at":["spec","tasks",{"k%d":1},"retries"],"is":1}`, i) }),
		"the same element": repeated(8000, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","tasks",{"name":"task-1","k%d":null}],"was":"1"}`, i)
		}),
		"more changes than are kept": repeated(9000, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","tasks",{"name":"task-%d"},"retries"],"is":1}`, i)
		}),
		"elements put in front": repeated(8000, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","tasks",{"name":"new-%d"}],"is":{"name":"new-%d"}}`, i, i)
		}),
		"nested": `{"v1":[{"at":["spec"` + strings.Repeat(`,"a"`, 50000) + `],"is":1,"make":60000}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			src := *src.DeepCopy()
			src.Annotations = map[string]string{Annotation: annotation}
			start := time.Now()
			var dst stable
			if err := toStable(context.Background(), &src, &dst); err != nil {
				t.Fatal(err)
			}
			if len(dst.Spec.Tasks) != 8000 || dst.Spec.Tasks[1].Retries != 0 {
				t.Error("something was restored")
			}
			t.Log(time.Since(start))
		})
	}
}

// encodedSize returns the bytes of an object's JSON.
func encodedSize(l layout, object any) int {
	e := encoder{}
	e.value(l.shape, reflect.ValueOf(object).Elem())
	return len(e.out)
}

// TestUnknownSize restores values in objects of unknown size. The result is the same as with the size.
func TestUnknownSize(t *testing.T) {
	hostileChanges := maps.Clone(hostileChanges)
	hostileChanges["prices that do not convert"] = func(int, string) string {
		return repeated(1<<10, func(int) string { return `{"at":["spec","price"],"is":13}` })
	}
	dropped := 0
	for object, members := range houseObjects {
		for name, changes := range hostileChanges {
			const size = 8 << 10
			src := houseV1{ObjectMeta: metav1.ObjectMeta{Name: "h"}}
			spec := "{" + members(size) + "}"
			if json.Unmarshal([]byte(spec), &src.Spec) != nil {
				continue // a misfit
			}
			src.Annotations = map[string]string{Annotation: annotationsOf[""](changes(size, spec))}
			restore := func(size int) (dst houseV2, tries int, spent bool, err error) {
				ctx := settings.With(context.Background(), settings.Conversion{Size: size, Spent: &spent})
				if err := houseFieldsToV2(ctx, &src, &dst); err != nil {
					t.Fatal(err)
				}
				err = Exchange(ctx, &src, &dst, houseV1Stash, houseV2Stash, func(ctx context.Context, src *houseV2, dst *houseV1) error {
					if tries++; src.Spec.Price == 13 {
						return errors.New("an unlucky number")
					}
					return houseFieldsToV1(ctx, src, dst)
				})
				return dst, tries, spent, err
			}
			known, tries, spent, err := restore(encodedSize(houseV1Stash.layout(), &src))
			unknown, tries0, spent0, err0 := restore(0)
			if !reflect.DeepEqual(known, unknown) || tries != tries0 || spent != spent0 || (err == nil) != (err0 == nil) {
				t.Errorf("%s, %s: %d tries, dropped %v, error %v; with the size %d tries, dropped %v, error %v", object, name, tries0, spent0, err0, tries, spent, err)
			}
			if spent {
				dropped++
			}
		}
	}
	if dropped == 0 {
		t.Error("no budget was spent")
	}
	t.Logf("%d budgets were spent", dropped)
}

// TestRestoreHonoursContext checks that restoring ends when nobody waits for the object.
func TestRestoreHonoursContext(t *testing.T) {
	var read alpha
	if err := toAlpha(context.Background(), tasks(100), &read); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := fmt.Errorf("the caller is gone")
	cancel(gone)
	if err := toStable(ctx, &read, new(stable)); err == nil || err.Error() != gone.Error() {
		t.Errorf("error %v, want %v", err, gone)
	}
}

// TestTrustedAnnotation checks that a value of an older program comes back only if nobody else can have written it. In
// the older program, the other version had no field for the value.
func TestTrustedAnnotation(t *testing.T) {
	src := alpha{ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{Annotation: `{"v1":[{"at":["spec","image"],"is":"old"}]}`}}}
	for trusted, want := range map[bool]string{true: "old", false: ""} {
		var dst stable
		if err := toStable(settings.With(context.Background(), settings.Conversion{Trusted: trusted}), &src, &dst); err != nil {
			t.Fatal(err)
		}
		if dst.Spec.Image != want {
			t.Errorf("trusted %v: image %q, want %q", trusted, dst.Spec.Image, want)
		}
	}
}

// TestForgedEntries checks that an annotation restores only entries under keys of the schema, and no other metadata.
func TestForgedEntries(t *testing.T) {
	of, to := NewStash[alpha]("v1alpha1", Schema{}), NewStash[stable]("v1", Schema{Annotations: []string{"own"}, Labels: []string{"own"}})
	name, err := digest("a")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := digest(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string]metav1.ObjectMeta{
		`{"at":["metadata","annotations","own"],"is":"x"}`:                          {Name: "a", Annotations: map[string]string{"own": "x"}},
		`{"at":["metadata","labels","own"],"is":"x"}`:                               {Name: "a", Labels: map[string]string{"own": "x"}},
		`{"at":["metadata","labels","own"],"is":"a b"}`:                             {Name: "a"}, // no value of a label
		`{"at":["metadata","labels","own"],"is":"` + strings.Repeat("x", 64) + `"}`: {Name: "a"},
		`{"at":["metadata","annotations","own"],"is":1}`:                            {Name: "a"},
		`{"at":["metadata","annotations","own"],"was":"1","is":"x"}`:                {Name: "a"},
		`{"at":["metadata","annotations","own","x"],"is":"x"}`:                      {Name: "a"},
		`{"at":["metadata","annotations","other"],"is":"x"}`:                        {Name: "a"},
		`{"at":["metadata","labels","other"],"is":"x"}`:                             {Name: "a"},
		`{"at":["metadata","annotations"],"is":{"other":"x"}}`:                      {Name: "a"},
		`{"at":["metadata","labels"],"is":{"own":"x"}}`:                             {Name: "a"},
		`{"at":["metadata","finalizers"],"is":["x"]}`:                               {Name: "a"},
		`{"at":["metadata","name"],"was":"` + name + `","is":"b"}`:                  {Name: "a"},
		`{"at":["metadata"],"was":"` + whole + `","is":{"name":"b"}}`:               {Name: "a"},
		`{"at":["metadata"],"is":{"name":"b"}}`:                                     {Name: "a"},
	} {
		for _, trusted := range []bool{false, true} {
			src := alpha{ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{Annotation: `{"v1":[` + change + `]}`}}}
			dst := stable{ObjectMeta: src.ObjectMeta}
			ctx := settings.With(context.Background(), settings.Conversion{Trusted: trusted})
			if err := Exchange(ctx, &src, &dst, of, to, func(context.Context, *stable, *alpha) error { return nil }); err != nil {
				t.Fatal(err)
			}
			delete(dst.Annotations, Annotation) // it keeps the entry, as the conversion back has none
			if trusted && strings.Contains(change, `"labels","own"`) {
				continue // the handler has written it
			}
			if !reflect.DeepEqual(dst.Labels, want.Labels) || len(dst.Annotations) != len(want.Annotations) || dst.Annotations["own"] != want.Annotations["own"] || dst.Name != want.Name || dst.Finalizers != nil {
				t.Errorf("%s, trusted %v: got %+v, want %+v", change, trusted, dst.ObjectMeta, want)
			}
		}
	}
}
