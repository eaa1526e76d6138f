// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// CarryOver moves values from an annotation of hand-written conversions to [Annotation]. Such an annotation has the
// object of the other version as JSON, without its metadata: cluster.x-k8s.io/conversion-data for Cluster API and its
// providers. Generated functions call CarryOver before [Exchange], if the marker of the spoke names an annotation. The
// version of the object is in its apiVersion; without one, it is the hub's. The functions forth and back convert fields
// to dst's version and to src's.
//
// If the annotation has an object of dst's version, CarryOver takes the values that a conversion to src's version
// loses. Exchange restores them like values of Annotation, and drops a value that has been changed since. If Annotation
// keeps values of dst's version already, or is signed, CarryOver takes nothing, because these are newer. An object of
// src's own version is older than src, and CarryOver takes nothing of it either. In all these cases it removes the
// annotation from dst.
//
// The annotation stays if it has anything else, if the object in it does not convert, if src has no name, or if
// [Handler] has Keys without AcceptUnsigned.
func CarryOver[S, D any, PS Object[S], PD Object[D]](
	ctx context.Context, src PS, dst PD, annotation, hub string, of Stash[S, PS], to Stash[D, PD],
	forth func(context.Context, *S, *D) error, back func(context.Context, *D, *S) error,
) error {
	text, ok := dst.GetAnnotations()[annotation]
	with := settings.Of(ctx)
	if !ok || src.GetName() == "" && src.GetGenerateName() == "" || len(with.Keys) > 0 && !with.AcceptUnsigned {
		return nil
	}
	object := []byte(strings.TrimSpace(text))
	version := versionIn(object, hub)
	n := to.notes.Get().(*notes)
	defer to.notes.Put(n)
	kept := n.keptIn(dst.GetAnnotations()[Annotation])
	// Exchange would trust what anybody may have written.
	if version == of.version || version == to.version && (named(kept, to.version) != nil || with.Trusted) {
		removeAnnotation(dst, annotation)
		return nil
	}
	whole, came, lost := PD(new(D)), PD(new(D)), PS(new(S))
	if version != to.version || wire.Decode(object, wire.Whole(object), nil, to.layout().shape, reflect.ValueOf(whole).Elem()) != nil {
		return nil
	}
	takeMeta(dst, whole)
	ctx = settings.With(ctx, settings.Conversion{Omitted: new(settings.Omissions)})
	if fails(func() error { return back(seeing(ctx, whole), whole, lost) }) || fails(func() error { return forth(seeing(ctx, lost), lost, came) }) {
		return nil
	}
	c := comparison{work: unbounded(ctx)}
	if to.compare(&c, nil, to.layout().shape, came, whole); c.work.err != nil || c.changes > maxChanges {
		return c.work.err
	}
	removeAnnotation(dst, annotation)
	if c.changes > 0 {
		write(dst, n.textOf(append(kept, entry{to.key, c.text()})))
	}
	return nil
}

// versionIn returns the version in the apiVersion of an object in JSON, or the preset for an object without one. It is
// empty if the text is anything else.
func versionIn(object []byte, preset string) string {
	if !isJSON(object) || !isObject(object) {
		return ""
	}
	apiVersion, err := stringOf(valueOf(object, "apiVersion"))
	if err == nil && apiVersion == "" {
		return preset
	}
	return apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]
}

// removeAnnotation removes an annotation. It replaces the map, because src may have the same one.
func removeAnnotation(object metav1.Object, annotation string) {
	left := maps.Clone(object.GetAnnotations())
	remove(&left, annotation)
	object.SetAnnotations(left)
}

// takeMeta gives an object the type and the metadata of another one.
func takeMeta(from, to any) {
	for _, name := range []string{"TypeMeta", "ObjectMeta"} {
		if f := reflect.ValueOf(to).Elem().FieldByName(name); f.IsValid() {
			f.Set(reflect.ValueOf(from).Elem().FieldByName(name))
		}
	}
}
