// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/program"
)

// parcel is the kind that TestScan stores before there is a rule for it.
type parcel struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size  int64  `json:"size"`
		Class string `json:"class,omitempty"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitzero"`
}

const parcelGroup = "scan.integration.example.com"

// parcelRules are a defaulter and a validator that are not enforced yet, and one of each kind that scan cannot do.
func parcelRules(handle func(string, http.Handler), _ ...admission.Option) error {
	const version = parcelGroup + "/v1"
	handle("/validate", admission.Validating("validate."+parcelGroup, admission.ForKind(version, "Parcel"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[parcel]) error {
			o := r.Object
			if o.UID != "" || o.ResourceVersion != "" || !o.CreationTimestamp.IsZero() || len(o.ManagedFields) > 0 || o.Generation != 0 || o.Status.Phase != "" {
				return errors.New("the object is a stored one")
			}
			if r.UserInfo.Username != "jane" || !slices.Contains(r.UserInfo.Groups, "system:authenticated") || r.UserInfo.Extra["team"][0] != "shop" {
				return fmt.Errorf("the user is %+v", r.UserInfo)
			}
			if !r.DryRun || r.Resource.Resource != "parcels" || r.Namespace != o.Namespace || o.Spec.Class != "standard" {
				return errors.New("the request is another one")
			}
			if o.Spec.Size == 13 {
				panic("thirteen")
			}
			if o.Spec.Size < 0 {
				return field.ErrorList{field.Invalid(field.NewPath("spec", "size"), o.Spec.Size, "must not be negative")}.ToAggregate()
			}
			return nil
		})))
	handle("/mutate", admission.Mutating("mutate."+parcelGroup, admission.ForKind(version, "Parcel"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[parcel]) error {
			r.Object.Spec.Class = "standard"
			return nil
		})))
	handle("/namespace", admission.Validating("namespace."+parcelGroup, admission.ForKind("v1", "Namespace"),
		admission.OnCreate(func(context.Context, *admission.CreateRequest[corev1.Namespace]) error { return nil })))
	handle("/absent", admission.Validating("absent."+parcelGroup, admission.ForKind(version, "Letter"), admission.ForKind("absent.example.com/v1", "Letter"),
		admission.OnCreate(func(context.Context, *admission.CreateRequest[parcel]) error { return nil })))
	return nil
}

// recordingProxy passes requests on to the API server and records them. It answers some with 410, as an API server
// answers the next page of a list that has expired.
type recordingProxy struct {
	mu       sync.Mutex
	requests []string // method, path, limit, and next for a later page
	expire   int      // how many later pages it answers with 410
}

func (p *recordingProxy) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		line := r.Method + " " + r.URL.Path
		query := r.URL.Query()
		if limit := query.Get("limit"); limit != "" {
			line += " " + limit
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if query.Get("continue") != "" {
			line += " next"
			if p.expire > 0 {
				p.expire--
				p.requests = append(p.requests, line+" 410")
				return &http.Response{StatusCode: http.StatusGone, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
					Body: io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`))}, nil
			}
		}
		p.requests = append(p.requests, line)
		return next.RoundTrip(r)
	})
}

// take returns the lists and writes since the last call.
func (p *recordingProxy) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.DeleteFunc(p.requests, func(line string) bool {
		return strings.HasPrefix(line, "GET ") && !strings.Contains(line, " 500")
	})
	p.requests = nil
	return all
}

// scanReport is the output of scan --output json.
type scanReport struct {
	Objects  int
	Findings []struct {
		Namespace, Name, Webhook, Outcome, Field, Message string
		Code                                              int
	}
	NotScanned []struct{ What, Why string }
	Problems   []string
}

// TestScan scans 1,200 objects that were stored before there was a rule. It finds the broken ones, also when the list
// expires between two pages, and changes nothing.
func TestScan(t *testing.T) {
	e := onAPIServer(t)
	ctx := t.Context()
	preserve := true
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "parcels." + parcelGroup},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: parcelGroup, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "parcels", Singular: "parcel", Kind: "Parcel", ListKind: "ParcelList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &preserve}},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
	if _, err := envtest.InstallCRDs(e.config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.client.Delete(context.Background(), definition) })
	create := func(o client.Object) {
		if err := e.client.Create(ctx, o); err != nil {
			t.Error(err)
		}
	}
	namespaces := []string{"scan-integration-a", "scan-integration-b"}
	for _, name := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		create(namespace)
		t.Cleanup(func() { e.client.Delete(context.Background(), namespace) })
	}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "scan-integration"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{parcelGroup}, Resources: []string{"parcels"}, Verbs: []string{"list"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: role.ObjectMeta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "jane"}}}
	create(role)
	create(binding)
	t.Cleanup(func() { e.client.Delete(context.Background(), binding) })
	t.Cleanup(func() { e.client.Delete(context.Background(), role) })

	const count = 1200
	broken := map[string]bool{} // namespace/name
	var creators sync.WaitGroup
	numbers := make(chan int)
	for range 16 {
		creators.Go(func() {
			for i := range numbers {
				size := int64(1)
				switch {
				case i == 777:
					size = 13
				case i%100 == 50:
					size = -1
				}
				create(&unstructured.Unstructured{Object: map[string]any{
					"apiVersion": parcelGroup + "/v1", "kind": "Parcel",
					"metadata": map[string]any{"namespace": namespaces[i%3%2], "name": fmt.Sprintf("parcel-%04d", i)},
					"spec":     map[string]any{"size": size},
				}})
			}
		})
	}
	inB := 0
	for i := range count {
		name := fmt.Sprintf("%s/parcel-%04d", namespaces[i%3%2], i)
		if i == 777 || i%100 == 50 {
			broken[name] = true
		}
		inB += i % 3 % 2
		numbers <- i
	}
	close(numbers)
	creators.Wait()
	if t.Failed() {
		t.FailNow()
	}
	first := &unstructured.Unstructured{}
	first.SetAPIVersion(parcelGroup + "/v1")
	first.SetKind("Parcel")
	if err := e.client.Get(ctx, client.ObjectKey{Namespace: namespaces[0], Name: "parcel-0000"}, first); err != nil {
		t.Fatal(err)
	}
	unstructured.SetNestedField(first.Object, "sent", "status", "phase")
	if err := e.client.Status().Update(ctx, first); err != nil {
		t.Fatal(err)
	}
	stored := func() map[string]string {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(parcelGroup + "/v1")
		list.SetKind("ParcelList")
		if err := e.client.List(ctx, list); err != nil {
			t.Fatal(err)
		}
		versions := map[string]string{}
		for _, o := range list.Items {
			versions[o.GetNamespace()+"/"+o.GetName()] = o.GetResourceVersion()
		}
		return versions
	}
	before := stored()
	if len(before) != count {
		t.Fatalf("%d objects are stored", len(before))
	}

	// The user of the kubeconfig is jane.
	as := rest.CopyConfig(e.config)
	as.Impersonate = rest.ImpersonationConfig{UserName: "jane", Extra: map[string][]string{"team": {"shop"}}}
	sent := &recordingProxy{}
	as.Wrap(sent.wrap)
	transport, err := rest.TransportFor(as)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(e.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	t.Cleanup(front.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["here"] = &clientcmdapi.Cluster{Server: front.URL}
	config.Contexts["here"] = &clientcmdapi.Context{Cluster: "here"}
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	// scan runs the command on real streams, as a program does.
	scan := func(args ...string) (int, scanReport, []string) {
		t.Helper()
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		stdout := os.Stdout
		os.Stdout = out
		code, ran := program.Run(ctx, append([]string{"scan", "--kubeconfig", kubeconfig, "--context", "here", "--output", "json"}, args...), parcelRules)
		os.Stdout = stdout
		if !ran {
			t.Fatal("scan is no command")
		}
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		var report scanReport
		if err := json.Unmarshal(text, &report); err != nil {
			t.Fatalf("exit code %d: %v\n%s", code, err, text)
		}
		return code, report, sent.take()
	}
	check := func(report scanReport, namespace string, objects int) {
		t.Helper()
		found := map[string]bool{}
		for _, f := range report.Findings {
			found[f.Namespace+"/"+f.Name] = true
			fine := f.Outcome == "denied" && f.Webhook == "validate."+parcelGroup
			if f.Name == "parcel-0777" {
				fine = fine && f.Code == 500
			} else {
				fine = fine && f.Code == 422 && f.Field == "spec.size" && f.Message == "Invalid value: -1: must not be negative"
			}
			if !fine {
				t.Errorf("the finding %+v", f)
			}
		}
		want := 0
		for name := range broken {
			if strings.HasPrefix(name, namespace) {
				want++
				if !found[name] {
					t.Errorf("%s is not found", name)
				}
			}
		}
		if want == 0 || len(report.Findings) != want || report.Objects != objects {
			t.Errorf("%d findings, want %d; %d objects, want %d", len(report.Findings), want, report.Objects, objects)
		}
	}
	const list = "GET /apis/" + parcelGroup + "/v1/parcels 500"
	const self = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews"

	t.Run("all namespaces", func(t *testing.T) {
		code, report, requests := scan()
		check(report, "", count)
		if want := []string{self, list, list + " next", list + " next", "GET /api/v1/namespaces 500"}; !slices.Equal(requests, want) {
			t.Errorf("requests %q\nwant %q", requests, want)
		}
		// jane must not list namespaces.
		if code != 2 || len(report.Problems) != 1 || !strings.Contains(report.Problems[0], `v1 Namespace: namespaces is forbidden: User "jane"`) {
			t.Errorf("exit code %d, problems %q", code, report.Problems)
		}
		if len(report.NotScanned) != 2 || report.NotScanned[0].What != parcelGroup+"/v1 Letter" || report.NotScanned[1].What != "absent.example.com/v1 Letter" {
			t.Errorf("not scanned: %+v", report.NotScanned)
		}
	})
	t.Run("one namespace", func(t *testing.T) {
		code, report, _ := scan("--namespace", namespaces[1])
		check(report, namespaces[1], inB)
		if code != 1 || len(report.Problems) != 0 || len(report.NotScanned) != 3 || report.NotScanned[0].What != "v1 Namespace" {
			t.Errorf("exit code %d, problems %q, not scanned %+v", code, report.Problems, report.NotScanned)
		}
	})
	t.Run("expired list", func(t *testing.T) {
		sent.expire = 2
		_, report, requests := scan()
		check(report, "", count)
		expired := list + " next 410"
		if want := []string{self, list, expired, list, expired, list, list + " next", list + " next"}; len(requests) < len(want) || !slices.Equal(requests[:len(want)], want) {
			t.Errorf("requests %q\nwant %q", requests, want)
		}
	})
	t.Run("list that always expires", func(t *testing.T) {
		sent.expire = 1000
		code, report, _ := scan()
		sent.expire = 0
		if code != 2 || len(report.Problems) == 0 || !strings.Contains(report.Problems[0], parcelGroup+"/v1 Parcel") {
			t.Errorf("exit code %d, problems %q", code, report.Problems)
		}
	})
	if after := stored(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("scan has changed objects")
	}
}
