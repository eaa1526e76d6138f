// SPDX-License-Identifier: Apache-2.0

// Package admission serves Kubernetes admission webhooks that are written as plain functions on typed objects.
//
// A validator or defaulter is a function. It gets a typed request with the values of its operation, and returns an
// error to deny it:
//
//	func (w *OrderWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[v1.Order]) error {
//		old, err := r.OldObject()
//		if err != nil {
//			return err
//		}
//		if old.Spec.SKU != r.Object.Spec.SKU {
//			return field.Forbidden(field.NewPath("spec", "sku"), "an order keeps its article")
//		}
//		r.Warn("spec.note is deprecated, use spec.notes")
//		return nil
//	}
//
// A [Handler] turns such functions into the http.Handler of one webhook of a configuration:
//
//	mux.Handle("/validate-orders", admission.Validating("validate.orders.shop.example.com",
//		admission.ForKind("shop.example.com/v1", "Order"),
//		admission.OnCreate(w.ValidateCreate),
//		admission.OnUpdate(w.ValidateUpdate),
//	))
//
// It works with any HTTP server. Package server has one made for API servers: it reloads rotated certificates, drains
// before it stops, and answers health checks.
//
// # Requests
//
// Functions get a [CreateRequest], [UpdateRequest], [DeleteRequest] or [ConnectRequest]. All of them embed [Request],
// which has the user, the resource and the dry run, and methods to add warnings and audit annotations. Tests write
// requests as literals, or call [NewUpdateRequest] for a request with an old object.
//
// A request is decoded only as far as its function needs it. The old object of an update is decoded on the first call
// of OldObject. The type may be a projection: a struct with only the members that matter, under their JSON names. A
// function registered with [On] gets a [RawRequest], for which nothing is decoded; its rules may match any kinds.
//
// # Denials and failures
//
// Any error that a function returns denies the request. Field errors of k8s.io/apimachinery/pkg/util/validation/field,
// one or several, make it 422 Invalid with a cause for each. An error with a status, such as an error of
// k8s.io/apimachinery/pkg/api/errors, keeps its code. Any other error is 403 Forbidden with its message.
//
// A failure is not a verdict: the webhook could not decide. It is answered with an HTTP error and a metav1.Status. The
// API server shows its message and applies the failurePolicy of the configuration. Failures are errors marked with
// [Failure], the end of the context, timeouts, and statuses of the API server with 5xx or 429, which a function gets
// from its own lookups. Joined errors are a failure only if all of them are: one good reason to deny is enough.
//
// The content of a request never causes a failure, because with failurePolicy Ignore the request would pass:
//
//   - An object, old object or options that cannot be decoded are denied with 400 BadRequest. A function that gets an
//     error from OldObject cannot turn it into a failure. The message names the field, not its value, which may be a
//     secret.
//   - A panic is denied with 500, as [PanicError]: of the function, of UnmarshalJSON and MarshalJSON of its types, and
//     of the errors that it returns. A call of runtime.Goexit counts as a panic; over HTTP/2, it ends the stream and
//     fails the call. An edited object that cannot be marshalled is denied with 500 as well.
//   - A review that is too large is denied with 413.
//
// No handler can recover from these failures: a function that does not return in time, a fatal error such as a
// concurrent map write or a stack overflow, and a panic in a goroutine that the function has started, which ends the
// program.
//
// A stored object that cannot be decoded can be neither updated nor deleted while the webhook is called for it. The
// message of the denial contains a match condition that excludes the object.
//
// # Time and memory
//
// The context of a function ends when the connection breaks, and when the API server stops waiting: the timeout
// parameter of the URL announces when. It does not end when the server is told to stop, not even under a
// controller-runtime manager, whose server cancels the contexts of its requests along with its own: see requestContext.
//
// A body may have up to [DefaultBodyLimit] bytes; [BodyLimit] sets another limit. A request and its objects belong to
// the function and stay valid after it returns. Parts that are decoded on demand are available only until then.
//
// # Mutation
//
// A mutating webhook's functions edit the object in place. The patch holds only their changes, in an order that depends
// on the object and the edit alone. Numbers keep all their digits, quantities their spelling, and members that are
// unknown to the Go type stay where they are.
//
// The same is true in lists. Elements are matched by their keys: the struct tag patchMergeKey of Kubernetes' own types
// or the option [ListKeys] declares them. In lists without keys, elements are matched by their content. An element that
// moves keeps its unknown members; an element with another key is another element. In a list without keys, an edited
// element is recognized by its neighbors. It counts as new if elements right beside it were added or removed.
//
// Some edits have no effect: edits in DELETE requests, where the API server allows no patch; edits of kind and
// apiVersion; and edits that JSON cannot express, such as from nil to empty with omitempty.
//
// # What is accepted
//
// Reviews of admission.k8s.io/v1 and v1beta1 are read as the API server reads JSON, with sigs.k8s.io/json: keys are
// case-sensitive, numbers decoded into any keep 64 bits, and nothing nests deeper than 10000 levels. There is one
// difference: a key that this package or the function's type reads must not occur twice, because the function might see
// one of the values and the API server the other. A review of another kind, or of an operation without a function, is
// answered with an error that names the mismatch.
//
// # Existing code
//
// The module github.com/webhook-gen/webhook-gen/runtime/controllerruntime makes validators and defaulters of
// controller-runtime fit the generated interfaces, and the other way round.
//
// # Observing
//
// An [Observer] is called after each review, with its outcome and duration. Failures and panics are logged in any case,
// to slog.Default() unless [Log] sets a logger. Calls that are not reviews for the webhook are logged once a minute and
// kind, with their number, because anybody who reaches the server can make them.
package admission
