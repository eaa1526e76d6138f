// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// stub returns the file that the user completes. It has a function that creates a type's validator or defaulter for
// tests, and a table test for each type of objects, with a case for each operation. The table is empty if the user
// has already written methods, because only the user then knows an object that they allow.
func (w testWriter) stub(t handledType) *jen.File {
	f := newFile(w.HandlerPackage, false)
	f.ImportName(admissiontestPackage, "admissiontest")
	f.ImportAlias(metaPackage, "metav1")
	h := t.webhooks[0].Handler
	doc(f, "%s makes the validator or defaulter for tests, the generated ones included.", h.TestFunction())
	f.Func().Id(h.TestFunction()).Params(jen.Id("t").Qual("testing", "TB")).Op("*").Id(h.Implementation).Block(
		jen.Id("t").Dot("Helper").Call(),
		jen.Return(jen.Op("&").Id(h.Implementation).Values()),
	)
	for _, about := range aboutObjects(t) {
		if !h.Decides {
			f.Line()
			w.sample(f, about)
		}
		f.Line()
		w.table(f, about)
	}
	return f
}

// aboutObject groups a type's webhooks for one type of objects and one resource.
type aboutObject struct {
	name     string // a prefix of its functions that is unique in the package
	webhooks []*model.Webhook
}

// aboutObjects groups the webhooks of a type by their objects, in the order of the webhooks.
func aboutObjects(t handledType) []aboutObject {
	var all []aboutObject
	for _, webhook := range t.webhooks {
		i := slices.IndexFunc(all, func(a aboutObject) bool {
			first := a.webhooks[0]
			return first.Handler.Object == webhook.Handler.Object && subresource(first) == subresource(webhook)
		})
		if i < 0 {
			i = len(all)
			name := t.name
			if i > 0 {
				name += webhook.Handler.Suffix
			}
			all = append(all, aboutObject{name: name})
		}
		all[i].webhooks = append(all[i].webhooks, webhook)
	}
	return all
}

// subresource returns the subresource in a webhook's first rule.
func subresource(w *model.Webhook) string {
	_, sub, _ := strings.Cut(w.Handler.Resources[0], "/")
	return sub
}

// object returns the type of the objects in the table.
func (w testWriter) object(f *jen.File, h *model.Handler) *jen.Statement {
	if h.Object.IsZero() {
		return jen.Qual(metaPackage, "PartialObjectMetadata")
	}
	return qualified(f, h.Object)
}

// sampleOf returns the object that the tests use. Without a sample of the type, it has only metadata.
func sampleOf(about aboutObject) *model.Sample {
	if s := about.webhooks[0].Handler.Sample; s != nil {
		return s
	}
	return &model.Sample{Fields: []model.SampleField{{Name: "ObjectMeta", Metadata: true}}}
}

// sample writes the function that returns the sample object.
func (w testWriter) sample(f *jen.File, about aboutObject) {
	first := about.webhooks[0]
	object := w.object(f, first.Handler)
	doc(f, "%s is a valid object, with edits.", sampleName(about))
	f.Func().Id(sampleName(about)).Params(jen.Id("edit").Op("...").Func().Params(jen.Op("*").Add(object.Clone()))).Op("*").Add(object.Clone()).Block(
		jen.Id("object").Op(":=").Op("&").Add(object.Clone()).Add(w.fields(f, sampleOf(about), first)),
		jen.For(jen.List(jen.Id("_"), jen.Id("e")).Op(":=").Range().Id("edit")).Block(jen.Id("e").Call(jen.Id("object"))),
		jen.Return(jen.Id("object")),
	)
}

// fields returns the fields of a struct literal, each on its own line.
func (w testWriter) fields(f *jen.File, s *model.Sample, about *model.Webhook) *jen.Statement {
	if len(s.Fields) == 0 {
		return jen.Values()
	}
	return jen.Values(lines(s.Fields, func(field model.SampleField) *jen.Statement {
		value := jen.Id(field.Literal)
		switch {
		case field.Metadata:
			value = jen.Qual(metaPackage, "ObjectMeta").ValuesFunc(func(g *jen.Group) {
				if about.Kind == nil || about.Kind.Scope != "Cluster" {
					g.Id("Namespace").Op(":").Lit("default")
				}
				g.Id("Name").Op(":").Lit("sample")
			})
		case field.Struct != nil:
			value = qualified(f, field.Struct.Type).Add(w.fields(f, field.Struct, about))
		}
		return jen.Id(field.Name).Op(":").Add(value)
	})...)
}

func sampleName(about aboutObject) string {
	return "sample" + strings.TrimSuffix(about.name, "Webhook")
}

// table writes the test with a case for each operation. It passes if the user's code allows the sample.
func (w testWriter) table(f *jen.File, about aboutObject) {
	first := about.webhooks[0].Handler
	object := w.object(f, first)
	name := "Test" + strings.TrimSuffix(about.name, "Webhook") + "Webhook"
	cases, operations := "a case for each operation", operationsOf(about.webhooks)
	if first.Decides {
		objects := "object"
		if operations[0] == "Update" {
			objects = "old, object"
		}
		cases = fmt.Sprintf("no cases yet. For an object that %s allows, Request is admissiontest.%s(%s)", first.Implementation, operations[0], objects)
		operations = nil
	}
	doc(f, "%s has %s. A Case with only a Request expects it to be allowed, and the object to stay "+
		"as it is. Set Object to the object that a defaulter makes, Warnings to the warnings, or Denied to the code of a denial, "+
		"with its Causes.", name, cases)
	paths := func(webhooks []*model.Webhook) *jen.Statement {
		return jen.Index().String().Values(codes(webhooks, func(w *model.Webhook) *jen.Statement { return jen.Id(pathName(w)) })...)
	}
	f.Func().Id(name).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Qual(admissiontestPackage, "Table").Types(object.Clone()).ValuesFunc(func(g *jen.Group) {
			g.Line().Id("Webhooks").Op(":").Id("newWebhooks").Call(jen.Id("t"))
			g.Line().Id("Paths").Op(":").Add(paths(about.webhooks))
			if again := slices.DeleteFunc(slices.Clone(about.webhooks), neverReinvoked); len(again) > 0 {
				g.Line().Id("Reinvoked").Op(":").Add(paths(again))
			}
			kind, resource := tableKind(about.webhooks[0])
			g.Line().Id("Kind").Op(":").Qual(admissiontestPackage, "Kind").Values(jen.Id("APIVersion").Op(":").Lit(kind.APIVersion), jen.Id("Kind").Op(":").Lit(kind.Kind))
			if len(resource) > 0 {
				g.Line().Id("Resource").Op(":").Qual(admissiontestPackage, "Resource").Values(
					jen.Id("APIVersion").Op(":").Lit(resource[0]), jen.Id("Name").Op(":").Lit(resource[1]), jen.Id("SubResource").Op(":").Lit(resource[2]))
			}
			g.Line().Id("Cases").Op(":").Index().Qual(admissiontestPackage, "Case").Types(object.Clone()).Values(lines(operations, func(o string) *jen.Statement {
				return jen.Values(
					jen.Line().Id("Name").Op(":").Lit(strings.ToLower(o)),
					jen.Line().Id("Request").Op(":").Add(w.requestFor(o, about, object)),
					jen.Line(),
				)
			})...)
			g.Line()
		}).Dot("Run").Call(jen.Id("t")),
	)
}

// neverReinvoked reports whether API servers call a webhook only once for a request.
func neverReinvoked(w *model.Webhook) bool {
	policy := w.Spec.ReinvocationPolicy
	return policy == nil || *policy != admissionregistrationv1.IfNeededReinvocationPolicy
}

// requestFor returns a request with the sample. An update changes a label of the sample.
func (w testWriter) requestFor(operation string, about aboutObject, object *jen.Statement) *jen.Statement {
	sample := func(edit ...jen.Code) *jen.Statement { return jen.Id(sampleName(about)).Call(edit...) }
	if operation != "Update" {
		return jen.Qual(admissiontestPackage, operation).Call(sample())
	}
	var edit []jen.Code
	if slices.Contains(sampleOf(about).Fields, model.SampleField{Name: "ObjectMeta", Metadata: true}) {
		labels := jen.Map(jen.String()).String().Values(jen.Dict{jen.Lit("edited"): jen.Lit("true")})
		edit = []jen.Code{jen.Func().Params(jen.Id("o").Op("*").Add(object.Clone())).Block(jen.Id("o").Dot("Labels").Op("=").Add(labels))}
	}
	return jen.Qual(admissiontestPackage, "Update").Call(sample(), sample(edit...))
}

// operationsOf returns the operations of the webhooks in the order of an object's life.
func operationsOf(webhooks []*model.Webhook) []string {
	return slices.DeleteFunc([]string{"Create", "Update", "Delete", "Connect"}, func(o string) bool {
		return !slices.ContainsFunc(webhooks, func(w *model.Webhook) bool { return slices.Contains(w.Handler.Operations, o) })
	})
}

// tableKind returns the kind of a table's objects. If requests have a subresource, it also returns the resource.
func tableKind(w *model.Webhook) (kind model.ObjectKind, resource []string) {
	version := w.Kind.Version
	if versions := w.Spec.Rules[0].APIVersions; !slices.Contains(versions, version) && !slices.Contains(versions, "*") {
		version = versions[0]
	}
	own := strings.TrimPrefix(fmt.Sprintf("%s/%s", w.Kind.Group, version), "/")
	kind = model.ObjectKind{APIVersion: own, Kind: w.Kind.Kind}
	if len(w.Handler.Kinds) > 0 {
		kind = w.Handler.Kinds[0]
	}
	if sub := subresource(w); sub != "" {
		resource = []string{own, w.Kind.Plural, sub}
	}
	return kind, resource
}
