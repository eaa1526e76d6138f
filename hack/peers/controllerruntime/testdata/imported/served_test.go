// Package app compares the imported handlers with controller-runtime's.
package app

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	shopv1 "example.com/app/api/v1"
	storewebhook "example.com/app/internal/webhook/store/v1"
	webhook "example.com/app/internal/webhook/v1"
)

// TestServed sends the same requests to the imported handlers and to controller-runtime's. controller-runtime does not
// call the methods of Box any more, so its answers are here.
func TestServed(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := shopv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	imported := webhook.Webhooks{
		OrderWebhook:  &webhook.OrderWebhook{},
		CartHandler:   &webhook.CartHandler{},
		BackupWebhook: &webhook.BackupWebhook{Validator: webhook.NewBackupValidator()},
	}
	if err := imported.Register(mux.Handle); err != nil {
		t.Fatal(err)
	}
	if err := (storewebhook.Webhooks{Box: &storewebhook.BoxWebhook{}}).Register(mux.Handle); err != nil {
		t.Fatal(err)
	}
	for path, theirs := range map[string]http.Handler{
		"/mutate-shop-example-com-v1-order":    admission.WithDefaulter(scheme, &webhook.OrderCustomDefaulter{}),
		"/validate-shop-example-com-v1-order":  admission.WithValidator(scheme, &webhook.OrderCustomValidator{}),
		"/mutate-shop-example-com-v1-backup":   admission.WithDefaulter(scheme, &webhook.BackupCustomDefaulter{}),
		"/validate-shop-example-com-v1-backup": admission.WithValidator(scheme, webhook.NewBackupValidator()),
		"/carts":                               admission.WithCustomValidator(scheme, &shopv1.Cart{}, webhook.CartWebhook{}),
	} {
		for _, operation := range []string{"CREATE", "UPDATE", "DELETE"} {
			for _, user := range []string{"jane", "mallory"} {
				kind := "Order"
				switch {
				case path == "/carts":
					kind = "Cart"
				case strings.HasSuffix(path, "backup"):
					kind = "Backup"
				}
				if operation == "DELETE" && !strings.HasPrefix(path, "/validate") {
					continue // no marker has the operation
				}
				for _, size := range []string{"", "large"} {
					body := review("shop.example.com", kind, operation, user, size)
					got, want := ask(t, mux, path, body), ask(t, theirs, path, body)
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s %s by %s, size %q: got\n%+v, want\n%+v", path, operation, user, size, got, want)
					}
				}
			}
		}
	}
	unset := http.NewServeMux()
	imported.BackupWebhook = &webhook.BackupWebhook{}
	if err := imported.Register(unset.Handle); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, unset, "/validate-shop-example-com-v1-backup", review("shop.example.com", "Backup", "CREATE", "jane", "")); got.Allowed || got.Code != http.StatusInternalServerError {
		t.Errorf("without its validator, the handler of backups answers %+v", got)
	}
	const boxes = "/validate-store-example-com-v1-box"
	for _, c := range []struct {
		operation, size, path string
		want                  answer
	}{
		{"CREATE", "", boxes, answer{Allowed: true, Warnings: []string{"created web"}}},
		{"UPDATE", "", boxes, answer{Code: http.StatusForbidden, Message: "the size was large"}},
		{"UPDATE", "large", boxes, answer{Allowed: true}},
		{"DELETE", "large", boxes, answer{Code: http.StatusForbidden, Message: "web is large"}},
		{"CREATE", "", "/mutate-store-example-com-v1-box", answer{Allowed: true, Patch: `[{"op":"add","path":"/size","value":"small"}]`}},
	} {
		if got := ask(t, mux, c.path, review("store.example.com", "Box", c.operation, "jane", c.size)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s, size %q: got\n%+v, want\n%+v", c.path, c.operation, c.size, got, c.want)
		}
	}
}

// answer is the part of a response that clients see.
type answer struct {
	Allowed        bool
	Code           int32
	Message, Patch string
	Warnings       []string
}

func review(group, kind, operation, user, size string) []byte {
	object := func(size string) any {
		o := map[string]any{"apiVersion": group + "/v1", "kind": kind, "metadata": map[string]any{"name": "web"}}
		if size != "" {
			o["size"] = size
		}
		return o
	}
	request := map[string]any{
		"uid": "1", "operation": operation, "name": "web", "userInfo": map[string]any{"username": user},
		"kind":     map[string]any{"group": group, "version": "v1", "kind": kind},
		"resource": map[string]any{"group": group, "version": "v1", "resource": "things"},
	}
	if operation != "DELETE" {
		request["object"] = object(size)
	}
	if operation != "CREATE" {
		request["oldObject"] = object("large")
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
	if err != nil {
		panic(err)
	}
	return text
}

func ask(t *testing.T, handler http.Handler, path string, body []byte) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &review); err != nil || review.Response == nil {
		t.Fatalf("%s: %v: %s", path, err, recorder.Body)
	}
	r := review.Response
	a := answer{Allowed: r.Allowed, Patch: string(r.Patch), Warnings: r.Warnings}
	if !r.Allowed {
		a.Code, a.Message = r.Result.Code, r.Result.Message
	}
	return a
}
