// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// Path is the path at which API servers call for conversions. The generated patches of CRDs contain it.
// controller-runtime uses the same path.
const Path = "/convert"

// Handler serves the conversions of any number of kinds: an http.Handler that answers ConversionReviews of
// apiextensions.k8s.io/v1 and v1beta1.
type Handler struct {
	kinds     kinds
	limit     int64
	parallel  int
	failures  *failureLog // the first of the observers
	observers []Observer
	keys      func() ([][]byte, error)
	unsigned  bool
	bodies    sync.Pool // of *[]byte
}

// largeBody is the length from which the memory of a body is not kept for another one: few reviews are as long.
const largeBody = 4 << 20

// Option configures a handler: conversions, a limit, an observer.
type Option func(*Handler)

// NewHandler returns a handler with the given options. It works with any HTTP server, at [Path]:
//
//	mux.Handle(conversion.Path, conversion.NewHandler(v1beta1.Conversions()))
func NewHandler(options ...Option) *Handler {
	failures := &failureLog{malformed: serving.Tally{What: "calls that are no conversion reviews failed"},
		dropped: serving.Tally{What: "values of annotations were dropped, because restoring them takes too much work"}}
	h := &Handler{kinds: kinds{}, limit: DefaultBodyLimit, parallel: runtime.GOMAXPROCS(0), failures: failures, observers: []Observer{failures}}
	for _, option := range options {
		option(h)
	}
	return h
}

// Parallel sets how many objects of a review are converted in parallel. The default is GOMAXPROCS. For functions that
// wait, such as hooks that read from the cluster, set more.
func Parallel(objects int) Option {
	return func(h *Handler) { h.parallel = max(1, objects) }
}

// ServeHTTP answers one review.
//
// A review is answered with 200: either all objects are converted, or none and a failure status contains the reason. A
// call that is not a review is answered with 400, 405, 408, 413 or 415 and a metav1.Status.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	o := Observation{Code: http.StatusOK}
	if err := h.answer(w, r, start, &o); err != nil {
		p := (*serving.Problem)(nil)
		if !errors.As(err, &p) {
			p = serving.InternalError(err)
		}
		o.Failed, o.Code, o.Err = true, int32(p.Code), p.Err
		if p.Code == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		body, _ := json.Marshal(p.Status()) // A Status of strings can always be written.
		o.BytesOut = send(w, p.Code, slices.Values([][]byte{body}))
	}
	o.Duration = time.Since(start)
	for _, observer := range h.observers {
		observer.Observe(r.Context(), o)
	}
}

// answer answers with a review. It returns an error if the call is not a review.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, start time.Time, o *Observation) error {
	if err := serving.CheckPost(r, "a ConversionReview"); err != nil {
		return err
	}
	memory, _ := h.bodies.Get().(*[]byte)
	if memory == nil {
		memory = new([]byte)
	}
	body, err := serving.ReadBody(memory, r, h.limit)
	if cap(*memory) <= largeBody {
		defer h.bodies.Put(memory)
	}
	if err != nil {
		return err
	}
	o.BytesIn = len(body)
	var asked review
	if err := asked.read(body); err != nil {
		return serving.BadRequest(err)
	}
	ctx, cancel, err := requestContext(r, start)
	if err != nil {
		return serving.BadRequest(err)
	}
	defer cancel()
	o.UID, o.Objects = types.UID(asked.uid), len(asked.objects)
	if len(asked.objects) > 0 {
		first, _ := asked.objects[0].header() // convert reports this error
		o.Kind, o.Desired = h.kinds.target(first, asked.desired)
	}
	o.LeftOut, err = h.convert(ctx, &asked)
	var failure *metav1.Status
	if err != nil {
		failure = serving.InternalError(err).Status()
		o.Failed, o.Code, o.Err = true, failure.Code, err
	}
	answer, err := asked.answer(failure)
	if err != nil {
		return err
	}
	o.BytesOut = send(w, http.StatusOK, answer)
	return nil
}

// convert converts the objects of a review, all of them or none. It returns the number of objects with values left out.
func (h *Handler) convert(ctx context.Context, asked *review) (leftOut int, err error) {
	keys, err := h.checkedKeys()
	if err != nil {
		return 0, err
	}
	if len(keys) > 0 {
		ctx = settings.With(ctx, settings.Conversion{Keys: keys, AcceptUnsigned: h.unsigned, Reserve: signatureRoom})
	}
	asked.converted = make([]converted, len(asked.objects))
	var incomplete atomic.Int64
	err = inParallel(ctx, h.parallel, len(asked.objects), func(i int) error {
		o := asked.objects[i]
		var omitted settings.Omissions
		var named header
		is, err := o.header()
		if err == nil {
			err = h.kinds.convert(ctx, o, is, asked.desired, &omitted, func(text []byte) {
				if omitted.Any() {
					named = is.naming(o) // the text overwrites the name
				}
				asked.converted[i] = o.replace(text)
			})
		}
		if err != nil {
			return fmt.Errorf("%s cannot be converted to %s: %w", is.naming(o), asked.desired, err)
		}
		asked.objects[i] = object{} // its members have been overwritten
		if omitted.Any() {
			incomplete.Add(1)
		}
		if omitted.Spent {
			h.failures.dropped.Add(ctx, "last", named.String(), "desired", asked.desired)
		}
		omitted.Spent = false
		if omitted.Any() {
			h.failures.logger().WarnContext(ctx, "an object was converted without values that do not fit", "object", named.String(), "desired", asked.desired,
				"undecodable", len(omitted.Unfit), "unfit", omitted.Converted, "cut", omitted.Cut, "unmarked", omitted.Unmarked)
		}
		return nil
	})
	return int(incomplete.Load()), err
}

// send writes an answer in parts, and returns its length. It ignores write errors: if the other side has gone, there is
// nobody to tell.
func send(w http.ResponseWriter, code int, body iter.Seq[[]byte]) int {
	length := 0
	for part := range body {
		length += len(part)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(code)
	for part := range body {
		if _, err := w.Write(part); err != nil {
			break
		}
	}
	return length
}
