// Package conversion is what generated conversions share: the handler that serves them, the stash, which keeps what another
// version of an object cannot say, and the checked conversions of single values.
//
// # The stash
//
// An object that is converted and converted back is as it was, whatever the two versions can
// say. What a version said and the other one does not give back is written down in one
// annotation, as the changes that lead from the one to the other ([Stash.Keep]). When the object
// returns, each change is carried out where the object still says what the conversion itself
// had made of it, and only there ([Stash.Restore]). An edit in between therefore always wins.
//
// Versions become more alike from one release of a program to the next. What an older one has kept is still restored, also where
// nothing would be kept any more.
//
// # Serving
//
// A [Handler] answers ConversionReviews of apiextensions.k8s.io/v1 and v1beta1, on any server:
//
//	mux.Handle(conversion.Path, conversion.NewHandler(v1alpha1.Conversions(), v1beta1.Conversions()))
//
// Objects are converted in parallel ([Parallel]), all of a review or none. What cannot be converted is named: the object, the field, and
// why. Spokes convert into each other through their hub. What both versions have alike ([Same]) is neither decoded nor copied, but
// passed on as it is written, with members that the Go types do not know; of the metadata nothing changes but the annotation, or labels
// and annotations where functions of yours see the whole object.
//
// A part of an object, as server-side apply converts it, may lack anything, metadata included; structs that it does not have are not
// made up. Reviews are read as the API server reads JSON: keys count with their case, and nothing nests deeper than 10000.
//
// The context of functions ends when the API server stops waiting, which it may announce in the timeout parameter of the URL and
// which is 30 seconds otherwise. It does not end when the server is told to stop: see requestContext.
//
// A body may have [DefaultBodyLimit] bytes unless [BodyLimit] says otherwise. An [Observer] hears of each review with its outcome and
// duration. Without one, failures are logged to slog.Default.
package conversion
