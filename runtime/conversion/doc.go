// SPDX-License-Identifier: Apache-2.0

// Package conversion is what generated conversions share: the handler that serves them, the stash that keeps what
// another version cannot represent, and the checked conversions of single values.
//
// # The stash
//
// An object that is converted there and back is as it was, whatever the two versions can represent. What would be lost
// is kept in one annotation, as the changes that lead from what the conversion gives to what the version really had.
// When the object returns, each change is applied only if the object still has what the conversion made of it
// ([Exchange]). So an edit in between always wins.
//
// The annotation is input from whoever may write metadata. It restores only what the object's version cannot represent:
// the result is converted back, and changes by which it says something else are dropped. A restored value fits its Go
// type and satisfies the validation markers of that ([Limits]). An annotation keeps up to 8192 changes of a version,
// and restoring takes time in proportion to the object. With [Keys], a handler signs annotations and drops those that
// are not signed: then nobody else can write values that only the other version has. docs/security.md has the details.
//
// From one release of a program to the next, a version may get a field for what was kept until then. Values that an
// older program has kept are still restored from a signed annotation, even if nothing would be kept any more.
//
// # Reads do not fail for one object
//
// An API server asks for all objects of a list in one review, which succeeds or fails as a whole. So an object of the
// stored version, which is the hub unless [Conversion.Stored] says otherwise, converts without the values that its Go
// type cannot hold, that do not fit the other version, or that the annotation has no room for. Such a field is unset,
// or zero if it is an element of a list. A value that does not fit the other version is in the annotation and comes
// back. Of other values the annotation has a mark, by which the conversion of that object to the stored version fails:
// it can only be written, and with webhooks for other versions only be deleted, in the stored version. [Observation]
// counts these objects, and each is logged by name. A function of yours that fails still fails the review.
//
// # Serving
//
// A [Handler] answers ConversionReviews of apiextensions.k8s.io/v1 and v1beta1. It works with any HTTP server:
//
//	mux.Handle(conversion.Path, conversion.NewHandler(v1alpha1.Conversions(), v1beta1.Conversions()))
//
// Objects are converted in parallel ([Parallel]), either all of a review or none. An error names the object, the field
// and the reason. Spokes convert into each other through their hub. What is the same in both versions ([Same]) is
// neither decoded nor copied but passed on as text, including members that the Go types do not know. Of the metadata
// only the annotation changes, or labels and annotations if functions of yours see the whole object.
//
// A partial object, as server-side apply converts it, may lack anything, including metadata. Structs that it does not
// have are not invented. Reviews are read as the API server reads JSON: keys are case-sensitive, and nothing nests
// deeper than 10000 levels.
//
// The context of functions ends when the API server stops waiting, which it may announce in the timeout parameter of
// the URL and which is 30 seconds otherwise. It does not end when the server is told to stop: see requestContext.
//
// A body may have up to [DefaultBodyLimit] bytes; [BodyLimit] sets another limit. An [Observer] is called after each
// review, with its outcome and duration. Failures are logged to slog.Default in any case.
package conversion
