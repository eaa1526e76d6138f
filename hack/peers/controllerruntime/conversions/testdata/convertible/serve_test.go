// Package convertible has controller-runtime convert by generated methods.
package convertible

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	shopv1 "example.com/app/api/v1"
	shopv1alpha1 "example.com/app/api/v1alpha1"
	shopv1beta1 "example.com/app/api/v1beta1"
)

var (
	_ ctrlconversion.Hub         = &shopv1.Order{}
	_ ctrlconversion.Convertible = &shopv1alpha1.Order{}
	_ ctrlconversion.Convertible = &shopv1beta1.Order{}
)

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for version, order := range map[string]runtime.Object{"v1": &shopv1.Order{}, "v1alpha1": &shopv1alpha1.Order{}, "v1beta1": &shopv1beta1.Order{}} {
		s.AddKnownTypeWithName(schema.GroupVersionKind{Group: "shop.example.com", Version: version, Kind: "Order"}, order)
	}
	return s
}

// managed is what a manager serves of a kind for which no converter is registered.
func managed(t *testing.T) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	manager, err := ctrl.NewManager(&rest.Config{}, ctrl.Options{Scheme: scheme(), WebhookServer: webhook.NewServer(webhook.Options{WebhookMux: mux})})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.NewWebhookManagedBy(manager, &shopv1.Order{}).Complete(); err != nil {
		t.Fatal(err)
	}
	return mux
}

// convert sends a ConversionReview with one object.
func convert(t *testing.T, h http.Handler, object, version string) *apiextensionsv1.ConversionResponse {
	t.Helper()
	body, err := json.Marshal(apiextensionsv1.ConversionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "ConversionReview"},
		Request:  &apiextensionsv1.ConversionRequest{UID: "1", DesiredAPIVersion: "shop.example.com/" + version, Objects: []runtime.RawExtension{{Raw: []byte(object)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/convert", bytes.NewReader(body)))
	var review apiextensionsv1.ConversionReview
	if err := json.Unmarshal(answer.Body.Bytes(), &review); err != nil || review.Response == nil {
		t.Fatalf("status %d, body %s: %v", answer.Code, answer.Body, err)
	}
	return review.Response
}

// converted is the object of an answer, which must be one that succeeded.
func converted(t *testing.T, h http.Handler, object, version string) string {
	t.Helper()
	response := convert(t, h, object, version)
	if response.Result.Status != metav1.StatusSuccess || len(response.ConvertedObjects) != 1 {
		t.Fatalf("to %s: %+v", version, response)
	}
	return string(response.ConvertedObjects[0].Raw)
}

// canonical is JSON with its members in order.
func canonical(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestServed sends objects from each version to each other one and back: of none may anything be lost.
func TestServed(t *testing.T) {
	if ok, err := conversion.IsConvertible(scheme(), &shopv1.Order{}); !ok || err != nil {
		t.Fatalf("controller-runtime does not take the kind as convertible: %v", err)
	}
	object := func(version, spec string) string {
		return `{"apiVersion":"shop.example.com/` + version + `","kind":"Order","metadata":{"name":"a","namespace":"default","labels":{"x":"y"}},"spec":` + spec + `}`
	}
	orders := map[string]string{
		"v1":       object("v1", `{"sku":"chair","quantity":4}`),
		"v1alpha1": object("v1alpha1", `{"article":"chair","note":"blue"}`),
		"v1beta1":  object("v1beta1", `{"sku":"chair","amount":4}`),
	}
	handlers := map[string]http.Handler{
		"a manager":         managed(t),
		"NewWebhookHandler": conversion.NewWebhookHandler(scheme(), conversion.NewRegistry()),
	}
	for name, handler := range handlers {
		for from, order := range orders {
			for to := range orders {
				if from == to {
					continue
				}
				t.Run(name+" from "+from+" to "+to, func(t *testing.T) {
					there := converted(t, handler, order, to)
					if !strings.Contains(there, `"apiVersion":"shop.example.com/`+to+`"`) || !strings.Contains(there, `"chair"`) {
						t.Errorf("it became %s", there)
					}
					back := converted(t, handler, there, from)
					if diff := cmp.Diff(canonical(t, order), canonical(t, back)); diff != "" {
						t.Errorf("by way of %s:\n%s", there, diff)
					}
				})
			}
		}
	}
}

// TestRefused has an amount that the hub's type cannot hold.
func TestRefused(t *testing.T) {
	response := convert(t, managed(t), `{"apiVersion":"shop.example.com/v1beta1","kind":"Order","metadata":{"name":"a"},"spec":{"amount":5000000000}}`, "v1")
	if response.Result.Status != metav1.StatusFailure || !strings.Contains(response.Result.Message, "spec.amount") {
		t.Errorf("got %+v", response)
	}
}

// TestForeignHub hands a method what is not the kind's hub.
func TestForeignHub(t *testing.T) {
	want := "the hub of an Order is *v1.Order, not *convertible.foreign"
	for name, convert := range map[string]func(ctrlconversion.Hub) error{
		"ConvertTo": (&shopv1alpha1.Order{}).ConvertTo, "ConvertFrom": (&shopv1alpha1.Order{}).ConvertFrom,
	} {
		if err := convert(&foreign{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// foreign is the hub of another kind.
type foreign struct{ shopv1.Order }
