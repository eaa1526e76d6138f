// Package admission serves Kubernetes admission webhooks that are written as plain functions on typed objects.
//
// A policy is a function that gets a request with everything that its operation has, and nothing else, and returns an
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
// A [Handler] makes such functions an http.Handler for one webhook of a configuration:
//
//	mux.Handle("/validate-orders", admission.Validating("validate.orders.shop.example.com",
//		admission.ForKind("shop.example.com/v1", "Order"),
//		admission.OnCreate(w.ValidateCreate),
//		admission.OnUpdate(w.ValidateUpdate),
//	))
//
// It works on any server. [Server] is one that does what API servers need: certificates that rotate, draining, health.
//
// # Requests
//
// [CreateRequest], [UpdateRequest], [DeleteRequest] and [ConnectRequest] are what the functions get. All embed [Request]:
// who asks, for what, whether it is a dry run, and what to warn of and to note in the audit log. A test of a policy makes
// them as literals, or with [NewUpdateRequest] where there is an old object.
//
// What a function does not ask for is not decoded. The old object of an update is decoded when it is asked for. The type
// may be a projection, a struct with only the members that matter, under their JSON names. A function registered with
// [On] gets a [RawRequest] and has nothing decoded at all, whatever kinds the rules match.
//
// # Denials and failures
//
// Any error that a policy returns denies the request. Field errors of k8s.io/apimachinery/pkg/util/validation/field, one
// or several, make it 422 Invalid with a cause for each; an error with a status, such as those of
// k8s.io/apimachinery/pkg/api/errors, keeps its code; any other is 403 Forbidden with its message.
//
// A failure is different: the webhook could not find out. It is an HTTP error with a metav1.Status, whose message the API
// server shows, and the failurePolicy of the configuration decides. Failures are errors marked with [Failure], the end of
// the context, timeouts, statuses of the API server with 5xx or 429 as a policy gets them from lookups of its own, and
// panics, as [PanicError]. Of several joined errors all must be failures: what is denied for one good reason is denied.
//
// # Time and memory
//
// The context of a policy ends when the API server stops waiting, which it announces in the timeout parameter of the URL,
// and when the connection breaks. It does not end when the server is told to stop, also not on a controller-runtime
// manager, whose server ends the contexts of its requests with its own: see requestContext.
//
// A body may have [DefaultBodyLimit] bytes unless [BodyLimit] says otherwise. A request and its objects belong to the
// policy and stay valid, but what is decoded on demand can be had only until the policy returns.
//
// # Mutation
//
// A mutating webhook's functions edit the object in place. The patch holds what they have changed and nothing else, in an
// order that depends on nothing but the object and the edit. Numbers keep all their digits, quantities their spelling,
// and members that the Go type does not know stay where they are.
//
// That holds in lists, too. Elements are matched by their keys, which the struct tag patchMergeKey names, as Kubernetes'
// types have it, or the option [ListKeys], and in lists without keys by what they say. An element that moves takes its
// unknown members along; one with another key is another element. In a list without keys an element that has been edited
// is known by its place between others, and counts as new where others came or went right beside it.
//
// Some edits change nothing: those of DELETE requests, for which the API server allows no patch; those of kind and
// apiVersion; and those that JSON cannot express, such as from nil to empty under omitempty.
//
// # What is accepted
//
// Reviews of admission.k8s.io/v1 and v1beta1 are read as the API server reads JSON, with sigs.k8s.io/json: keys count with
// their case, numbers under any keep 64 bits, and nothing nests deeper than 10000. The one difference is that a key must
// not stand twice where this package or the type of the policy looks, because of two values a policy might see the one
// and its reader the other. A review of another kind than the handler is for, or of an operation that it has no function
// for, is an error that says so.
//
// # Existing code
//
// [AdaptValidator] and [AdaptDefaulter] take validators and defaulters as they are written for controller-runtime.
//
// # Observing
//
// An [Observer] hears of each call with its outcome and duration. Without one, failures are logged to slog.Default.
package admission
