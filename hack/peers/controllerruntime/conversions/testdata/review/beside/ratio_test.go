package beside

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review"
)

// discard is a connection that nobody listens at.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

func request(body []byte) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/convert", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// used is the processor time that this process has taken.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // which fails for no process of its own
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const (
	objects = 500
	calls   = 6
	rounds  = 8
)

// perObject is the processor time that a handler takes for an object, the collection of its garbage included.
func perObject(h http.Handler, body []byte) time.Duration {
	runtime.GC()
	before := used()
	for range calls {
		h.ServeHTTP(discard{http.Header{}}, request(body))
	}
	return (used() - before) / (calls * objects)
}

func objectTextsOf(kind string, version schema.GroupVersion) []string {
	texts := make([]string, objects)
	for i := range texts {
		texts[i] = review.ObjectText(kind, version, i)
	}
	return texts
}

// converted is what a handler makes of objects.
func converted(t testing.TB, h http.Handler, desired schema.GroupVersion, texts []string) []string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request(review.ReviewText(desired, texts)))
	var answer struct {
		Response struct {
			ConvertedObjects []json.RawMessage `json:"convertedObjects"`
			Result           metav1.Status     `json:"result"`
		} `json:"response"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Response.Result.Status != metav1.StatusSuccess || len(answer.Response.ConvertedObjects) != len(texts) {
		t.Fatalf("%d %.1000s, %v", w.Code, w.Body, err)
	}
	var all []string
	for _, text := range answer.Response.ConvertedObjects {
		all = append(all, string(text))
	}
	return all
}

// TestRatio compares the processor time that both sides take for reviews of 500 objects, in turn in one process. The best round of
// each counts. What is promised is half of their time.
func TestRatio(t *testing.T) {
	const least = 2.0
	for _, kind := range []string{"Server", "Machine"} {
		for _, desired := range []schema.GroupVersion{review.HubVersion, review.SpokeVersion} {
			t.Run(kind+" to "+desired.Version, func(t *testing.T) {
				from := review.SpokeVersion
				if desired == review.SpokeVersion {
					from = review.HubVersion
				}
				ours, theirs := review.Ours(), theirs()
				// A spoke's object brings what has been kept, in the annotation of its own side.
				body := func(h http.Handler) []byte {
					if desired == review.SpokeVersion {
						return review.ReviewText(desired, objectTextsOf(kind, from))
					}
					return review.ReviewText(desired, converted(t, h, from, objectTextsOf(kind, review.HubVersion)))
				}
				ourBody, theirBody := body(ours), body(theirs)
				best := [2]time.Duration{time.Hour, time.Hour}
				for range rounds {
					best[0] = min(best[0], perObject(ours, ourBody))
					best[1] = min(best[1], perObject(theirs, theirBody))
				}
				ratio := float64(best[1]) / float64(best[0])
				fmt.Printf("%s %s to %s, %d and %d bytes an object: %.1f and %.1f µs, %.1f times less\n", runtime.Version(), kind, desired.Version,
					len(ourBody)/objects, len(theirBody)/objects, float64(best[0])/1e3, float64(best[1])/1e3, ratio)
				if ratio < least {
					t.Errorf("%.1f times less, want %.1f", ratio, least)
				}
			})
		}
	}
}
