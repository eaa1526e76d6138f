// Package conversion is what generated conversions share: the stash, which keeps what another
// version of an object cannot say, and the checked conversions of single values.
//
// An object that is converted and converted back is as it was, whatever the two versions can
// say. What a version said and the other one does not give back is written down in one
// annotation, as the changes that lead from the one to the other (Keep). When the object
// returns, each change is carried out where the object still says what the conversion itself
// had made of it, and only there (Restore). An edit in between therefore always wins.
package conversion
