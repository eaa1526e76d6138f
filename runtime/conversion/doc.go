// SPDX-License-Identifier: Apache-2.0

// Package conversion is the runtime of generated conversions: the handler that serves them, the stash that keeps values
// which another version cannot represent, and the checked conversions of single values.
//
// # The stash
//
// An object is unchanged after a conversion there and back, whatever the two versions can represent. One annotation
// keeps the values that would be lost. It contains the changes from the object that the conversion gives to the object
// that the version really had. When the object returns, each change is applied only if the object still has the
// converted value ([Exchange]). So an edit in between always wins.
//
// The annotation is input from anybody who may write metadata. It restores only values that the object's version cannot
// represent: the result is converted back, and changes that alter the object's own values are dropped. A restored value
// fits its Go type and satisfies the type's validation markers ([Limits]). A path in it counts only if the type has it,
// with the keys of the [Schema]. An annotation keeps up to 8192 changes of a version, and a budget in proportion to the
// object bounds the work for them: values beyond it are dropped, counted and logged. With [Keys], a handler signs
// annotations and drops unsigned ones. Then nobody else can write values that only the other version has.
// docs/guides/security.md has the details.
//
// In a new release of a program, a version may get a field for values that only the annotation has kept until then.
// Values that an older program has kept are still restored from a signed annotation, even if the new program would not
// keep them.
//
// # Reads do not fail for one object
//
// An API server asks for all objects of a list in one review, which succeeds or fails as a whole. The stored version is
// the hub, unless [Conversion.Stored] sets another version. An object of the stored version converts even if some of
// its values do not fit its Go type, the other version or the annotation. These values are left out: the field is
// unset, or zero if it is an element of a list. A value that does not fit the other version is in the annotation and
// comes back. For the other values, the annotation has a mark. The conversion of a marked object to the stored version
// fails. So a client can write the object only in the stored version. With webhooks for other versions, a client can
// also delete it only in the stored version. [Observation] counts these objects, and each is logged by name. If one of
// your functions fails, the review still fails.
//
// # Serving
//
// A [Handler] answers ConversionReviews of apiextensions.k8s.io/v1 and v1beta1. It works with any HTTP server:
//
//	mux.Handle(conversion.Path, conversion.NewHandler(v1alpha1.Conversions(), v1beta1.Conversions()))
//
// Objects are converted in parallel ([Parallel]), either all of a review or none. An error contains the object, the
// field and the reason. Spokes convert into each other through their hub. Members that are the same in both versions
// ([Same]) are neither decoded nor copied but passed on as text, including members without a Go field. In the metadata
// only the annotation changes, or labels and annotations if your functions see the whole object.
//
// A partial object, as server-side apply converts it, may lack anything, including metadata. Structs that it does not
// have are not added. Reviews are read as the API server reads JSON: keys are case-sensitive, and nothing nests deeper
// than 10000 levels.
//
// The context of functions ends when the API server stops waiting. The API server may announce this in the timeout
// parameter of the URL; otherwise it is after 30 seconds. The context does not end when the server is told to stop: see
// requestContext.
//
// A body may have up to [DefaultBodyLimit] bytes; [BodyLimit] sets another limit. An [Observer] is called after each
// review, with its outcome and duration. Failures are logged in any case, to slog.Default() unless
// [Log] sets a logger.
package conversion
