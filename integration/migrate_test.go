// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

const (
	crateGroup = "migration.example.com"
	// crateProgram is the environment variable with the arguments of the program of Crates.
	crateProgram = "CRATE_PROGRAM"
	// crates is the number of stored objects, over four pages of a list.
	crates = 2000
)

// crateV1 and crateV2 are versions of a kind whose size is text in one and a number in the other.
type crateV1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              struct {
		Size string `json:"size,omitempty"`
	} `json:"spec"`
}

type crateV2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              struct {
		Height int64 `json:"height,omitempty"`
	} `json:"spec"`
}

// onlyV2 is a height that v1 cannot hold.
const onlyV2 = 666_666

func crateConversion() conversion.Conversion {
	return conversion.Between(crateGroup, "Crate", "v1", "v2",
		func(_ context.Context, src *crateV1, dst *crateV2) error {
			dst.ObjectMeta = src.ObjectMeta
			_, err := fmt.Sscanf(src.Spec.Size, "%dcm", &dst.Spec.Height)
			return err
		},
		func(_ context.Context, src *crateV2, dst *crateV1) error {
			if src.Spec.Height == onlyV2 {
				return errors.New("v1 has no such height")
			}
			dst.ObjectMeta, dst.Spec.Size = src.ObjectMeta, fmt.Sprintf("%dcm", src.Spec.Height)
			return nil
		}, conversion.Same{"metadata": nil})
}

// registerCrates registers the conversions as the program of Crates does.
func registerCrates(handle func(string, http.Handler), _ ...admission.Option) error {
	handle(conversion.Path, conversion.NewHandler(conversion.Serve(crateConversion())))
	return nil
}

// crateTest is a cluster with the definition of Crates, whose conversions the test serves.
type crateTest struct {
	*environment
	*testing.T
	namespace  string
	kubeconfig string
}

// newCrates installs the definition of Crates, which stores v1.
func newCrates(t *testing.T) crateTest {
	e := onAPIServer(t)
	handler := conversion.NewHandler(conversion.Serve(crateConversion()))
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	url := server.URL + conversion.Path
	keep := true
	version := func(name string, storage bool) apiextensionsv1.CustomResourceDefinitionVersion {
		return apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: true, Storage: storage,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", XPreserveUnknownFields: &keep}}}}}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "crates." + crateGroup},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: crateGroup, Scope: apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "crates", Singular: "crate", Kind: "Crate", ListKind: "CrateList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version("v1", true), version("v2", false)},
			Conversion: &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{ConversionReviewVersions: []string{"v1"},
					ClientConfig: &apiextensionsv1.WebhookClientConfig{URL: &url,
						CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}}},
		},
	}
	e.create(t, crd)
	c := crateTest{environment: e, T: t, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	t.Cleanup(func() {
		if err := e.client.Delete(context.Background(), crd); err != nil {
			t.Error(err)
		}
		// The definition stays until its objects are gone. The API server does not delete objects that do not convert.
		e.eraseAll(t, crateGroup+"/crates/")
		gone := func() bool {
			return apierrors.IsNotFound(e.client.Get(context.Background(), client.ObjectKeyFromObject(crd), &apiextensionsv1.CustomResourceDefinition{}))
		}
		eventually(t, "the definition is gone", gone)
	})
	c.namespace = e.namespace(t, nil)
	config := clientcmdapi.NewConfig()
	config.Clusters["here"] = &clientcmdapi.Cluster{Server: e.config.Host, CertificateAuthorityData: e.config.CAData}
	config.AuthInfos["me"] = &clientcmdapi.AuthInfo{ClientCertificateData: e.config.CertData, ClientKeyData: e.config.KeyData}
	config.Contexts["here"] = &clientcmdapi.Context{Cluster: "here", AuthInfo: "me"}
	config.CurrentContext = "here"
	if err := clientcmd.WriteToFile(*config, c.kubeconfig); err != nil {
		t.Fatal(err)
	}
	eventually(t, "v2 is served", func() bool {
		_, err := c.list("v2")
		return err == nil
	})
	return c
}

func (c crateTest) list(version string) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(crateGroup + "/" + version)
	list.SetKind("CrateList")
	err := c.client.List(context.Background(), list)
	return list.Items, err
}

// crate returns an object as it is stored.
func (c crateTest) crate(version, name string, spec object) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": crateGroup + "/" + version, "kind": "Crate",
		"metadata": object{"namespace": c.namespace, "name": name}, "spec": spec,
	}}
}

// change changes the definition's versions.
func (c crateTest) change(change func(*apiextensionsv1.CustomResourceDefinitionSpec)) {
	c.Helper()
	for {
		crd := c.definition()
		change(&crd.Spec)
		// Controllers write the status.
		if err := c.client.Update(c.Context(), crd); err == nil {
			return
		} else if !apierrors.IsConflict(err) {
			c.Fatal(err)
		}
	}
}

func (c crateTest) definition() *apiextensionsv1.CustomResourceDefinition {
	c.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := c.client.Get(c.Context(), client.ObjectKey{Name: "crates." + crateGroup}, crd); err != nil {
		c.Fatal(err)
	}
	return crd
}

// storeV2 makes v2 the storage version, and waits until the API server stores it.
func (c crateTest) storeV2() {
	c.Helper()
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) {
		spec.Versions[0].Storage, spec.Versions[1].Storage = false, true
	})
	n := 0
	eventually(c.T, "v2 is stored", func() bool {
		n++
		name := fmt.Sprintf("probe-%d", n)
		c.create(c.T, c.crate("v1", name, object{"size": "1cm"}))
		return c.stored()[name] == "v2"
	})
}

// stored returns the versions in which etcd has the objects, by name.
func (c crateTest) stored() map[string]string {
	c.Helper()
	versions := map[string]string{}
	for _, value := range c.etcdRange(c.T, crateGroup+"/crates/") {
		var o unstructured.Unstructured
		if err := json.Unmarshal(value, &o.Object); err != nil {
			c.Fatal(err)
		}
		versions[o.GetName()] = strings.TrimPrefix(o.GetAPIVersion(), crateGroup+"/")
	}
	return versions
}

// count returns the number of objects that are stored in a version.
func (c crateTest) count(version string) (n int) {
	for _, v := range c.stored() {
		if v == version {
			n++
		}
	}
	return n
}

// etcdRange returns the values below a key of the registry.
func (e *environment) etcdRange(t *testing.T, prefix string) [][]byte {
	t.Helper()
	var answer struct {
		Kvs []struct {
			Value []byte `json:"value"`
		} `json:"kvs"`
	}
	e.askEtcd(t, "range", prefix, &answer)
	var values [][]byte
	for _, kv := range answer.Kvs {
		values = append(values, kv.Value)
	}
	return values
}

// eraseAll removes everything below a key of the registry.
func (e *environment) eraseAll(t *testing.T, prefix string) {
	t.Helper()
	e.askEtcd(t, "deleterange", prefix, &struct{}{})
}

func (e *environment) askEtcd(t *testing.T, what, prefix string, into any) {
	t.Helper()
	from := []byte("/registry/" + prefix)
	to := slices.Clone(from)
	to[len(to)-1]++
	answer, err := http.Post(e.etcd+"/v3/kv/"+what, "application/json", strings.NewReader(fmt.Sprintf(`{"key": %q, "range_end": %q}`,
		base64.StdEncoding.EncodeToString(from), base64.StdEncoding.EncodeToString(to))))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("etcd answers %s: %.300s", answer.Status, text)
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// crateReport is the part of the report that tests read.
type crateReport struct {
	Definitions []struct {
		StorageVersion string
		StoredVersions []string
		Objects        int
		Failures       []crateFailure
		Versions       []crateVersion
		Changed        string
	}
	Problems []string
}

// crateVersion is a version in the report of conversion.
type crateVersion struct {
	Name                    string
	Served, Storage, Stored bool
	Answered                *bool
	Message                 string
}

type crateFailure struct {
	Name    string
	Unread  bool
	After   string
	Message string
}

// program returns a command of the program of Crates in a process of its own.
func (c crateTest) program(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crateProgram+"="+strings.Join(append(args, "--kubeconfig", c.kubeconfig, "--output", "json"), " "))
	return cmd
}

// migrate runs migrate to its end.
func (c crateTest) migrate(args ...string) (int, crateReport) {
	c.Helper()
	return c.run(append([]string{"migrate"}, args...)...)
}

// run runs a command to its end.
func (c crateTest) run(args ...string) (int, crateReport) {
	c.Helper()
	var out, problems bytes.Buffer
	cmd := c.program(args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.Fatal(err)
	}
	var report crateReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		c.Fatalf("%v\n%s%s", err, out.Bytes(), problems.Bytes())
	}
	return cmd.ProcessState.ExitCode(), report
}

// clients read, list and write objects in versions until stop, which returns how often. No call may fail.
func (c crateTest) clients(names []string, versions ...string) (stop func() int64) {
	var calls atomic.Int64
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(c.Context())
	for i := range 4 {
		version := versions[i%len(versions)]
		running.Go(func() {
			for n := i; ctx.Err() == nil; n += 7 {
				o := c.crate(version, names[n%len(names)], nil)
				var err error
				switch {
				case i < 2 && n%2 == 0:
					err = c.client.Get(ctx, client.ObjectKeyFromObject(o), o)
				case i < 2:
					list := &unstructured.UnstructuredList{}
					list.SetGroupVersionKind(o.GroupVersionKind())
					err = c.client.List(ctx, list, client.Limit(20))
				default:
					err = c.client.Patch(ctx, o, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata": {"labels": {"n": "%d"}}}`, n)))
				}
				if err != nil && ctx.Err() == nil {
					c.Errorf("a client of %s fails: %v", version, err)
					return
				}
				calls.Add(1)
			}
		})
	}
	return func() int64 {
		cancel()
		running.Wait()
		return calls.Load()
	}
}

// TestMigrate takes 2,000 objects from one version to the next while clients read and write: another storage version, a
// migration that is killed in the middle, another one, and a definition without the old version.
func TestMigrate(t *testing.T) {
	c := newCrates(t)
	var all []*unstructured.Unstructured
	var busy []string // objects that clients write
	for i := range crates {
		all = append(all, c.crate("v1", fmt.Sprintf("crate-%04d", i), object{"size": fmt.Sprintf("%dcm", i)}))
		all[i].SetFinalizers([]string{"example.com/kept"})
		all[i].SetAnnotations(map[string]string{"mark": "\u00e9 <" + strings.Repeat("m", i%50)})
		if i%20 == 0 {
			busy = append(busy, all[i].GetName())
		}
	}
	c.storeAll(t, crateGroup+"/crates", all)
	stop := c.clients(busy, "v1", "v2")
	c.storeV2()
	before, err := c.list("v1")
	if err != nil {
		t.Fatal(err)
	}
	old := c.count("v1")

	first := c.program("migrate", "--rate", "200")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a part is migrated", func() bool { return c.count("v1") < old-300 })
	first.Process.Kill()
	first.Wait()
	if left := c.count("v1"); left == 0 || left == old {
		t.Errorf("after the kill %d of %d objects are stored in v1", left, old)
	}
	if got := c.definition().Status.StoredVersions; !slices.Equal(got, []string{"v1", "v2"}) {
		t.Errorf("after the kill the stored versions are %v", got)
	}

	code, report := c.migrate("--rate", "2000")
	if n := stop(); n < 100 {
		t.Errorf("clients sent %d requests only", n)
	}
	if code != 0 || len(report.Definitions) != 1 || report.Definitions[0].Objects < crates || len(report.Definitions[0].Failures) > 0 {
		t.Fatalf("exit code %d, %+v", code, report)
	}
	if got := c.definition().Status.StoredVersions; !slices.Equal(got, []string{"v2"}) || !slices.Equal(report.Definitions[0].StoredVersions, got) {
		t.Errorf("the stored versions are %v, and in the report %v", got, report.Definitions[0].StoredVersions)
	}
	if left := c.count("v1"); left > 0 {
		t.Errorf("%d objects are stored in v1", left)
	}
	after, err := c.list("v1")
	if err != nil {
		t.Fatal(err)
	}
	touched := map[string]bool{}
	for _, name := range busy {
		touched[name] = true
	}
	plain := func(all []unstructured.Unstructured) (plain []object) {
		for _, o := range all {
			if !touched[o.GetName()] && !strings.HasPrefix(o.GetName(), "probe-") {
				o.SetResourceVersion("")
				plain = append(plain, o.Object)
			}
		}
		return plain
	}
	if diff := cmp.Diff(plain(before), plain(after)); diff != "" {
		t.Errorf("migrate changes objects: %.2000s", diff)
	}

	if code, report := c.migrate(); code != 0 || report.Definitions[0].Objects != 0 {
		t.Errorf("again: exit code %d, %+v", code, report)
	}
	stop = c.clients(busy, "v2")
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) { spec.Versions = spec.Versions[1:] })
	eventually(t, "v1 is gone", func() bool {
		_, err := c.list("v1")
		return err != nil
	})
	stop()
	if now, err := c.list("v2"); err != nil || len(now) != len(after) {
		t.Errorf("without v1: %d objects, %v", len(now), err)
	}
}

// TestMigrateUnconvertible migrates objects of which one does not convert to the storage version, and one only from it.
// Both fail a list in either version. The first one stays in its version, and so does storedVersions.
func TestMigrateUnconvertible(t *testing.T) {
	c := newCrates(t)
	var all []*unstructured.Unstructured
	for i := range 600 {
		all = append(all, c.crate("v1", fmt.Sprintf("crate-%04d", i), object{"size": fmt.Sprintf("%dcm", i)}))
	}
	all[222] = c.crate("v1", "crate-0222", object{"size": "broken"})
	all[333] = c.crate("v2", "crate-0333", object{"height": int64(onlyV2)})
	c.storeAll(t, crateGroup+"/crates", all)
	c.storeV2()
	code, report := c.migrate("--rate", "2000")
	if code != 1 || len(report.Problems) > 0 || len(report.Definitions) != 1 {
		t.Fatalf("exit code %d, %+v", code, report)
	}
	d := report.Definitions[0]
	if len(d.Failures) != 1 || d.Failures[0].Name != "crate-0222" || !strings.Contains(d.Failures[0].Message, "conversion webhook") {
		t.Errorf("the failures are %+v", d.Failures)
	}
	if !slices.Equal(d.StoredVersions, []string{"v1", "v2"}) || !slices.Equal(c.definition().Status.StoredVersions, d.StoredVersions) || c.count("v1") != 1 {
		t.Errorf("the stored versions are %v, and %d objects are stored in v1", d.StoredVersions, c.count("v1"))
	}

	// Nobody can read the object if v1 is not served.
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) { spec.Versions[0].Served = false })
	eventually(t, "v1 is not served", func() bool {
		_, err := c.list("v1")
		return err != nil
	})
	code, report = c.migrate("--definition", "crates."+crateGroup)
	if code != 1 || len(report.Definitions) != 1 || len(report.Definitions[0].Failures) != 1 {
		t.Fatalf("v1 is not served: exit code %d, %+v", code, report)
	}
	if f := report.Definitions[0].Failures[0]; !f.Unread || f.After != c.namespace+"/crate-0221" || !strings.Contains(f.Message, "conversion") {
		t.Errorf("v1 is not served: %+v", f)
	}

	// With the object repaired, all is well.
	c.storeAll(t, crateGroup+"/crates", []*unstructured.Unstructured{c.crate("v1", "crate-0222", object{"size": "222cm"})})
	eventually(t, "the object is migrated", func() bool {
		code, report = c.migrate("--rate", "2000")
		return code == 0
	})
	if got := c.definition().Status.StoredVersions; !slices.Equal(got, []string{"v2"}) || c.count("v1") > 0 {
		t.Errorf("after the repair: the stored versions are %v, and %d objects are stored in v1", got, c.count("v1"))
	}
}

// TestMigrateWaits runs migrate beside the StorageVersionMigrations of others. It waits for an unfinished one, and
// migrates after a failed one, even if storedVersions has only the storage version.
func TestMigrateWaits(t *testing.T) {
	c := newCrates(t)
	if err := c.environment.client.List(t.Context(), &storagemigrationv1.StorageVersionMigrationList{}); meta.IsNoMatchError(err) {
		t.Skip("this API server does not serve StorageVersionMigration in storagemigration.k8s.io/v1")
	}
	c.storeAll(t, crateGroup+"/crates", []*unstructured.Unstructured{c.crate("v1", "crate", object{"size": "1cm"})})
	c.storeV2()
	migration := &storagemigrationv1.StorageVersionMigration{ObjectMeta: metav1.ObjectMeta{Name: "crates-now"},
		Spec: storagemigrationv1.StorageVersionMigrationSpec{Resource: metav1.GroupResource{Group: crateGroup, Resource: "crates"}}}
	c.installFor(t, migration)
	if code, report := c.migrate("--wait", "1s"); code != 2 || len(report.Problems) != 1 || !strings.Contains(report.Problems[0], "crates-now") || c.count("v1") != 1 {
		t.Errorf("while it runs: exit code %d, %+v", code, report)
	}
	// kube-controller-manager removes the old version although the migration has failed.
	crd := c.definition()
	crd.Status.StoredVersions = []string{"v2"}
	if err := c.client.Status().Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	waiting := c.program("migrate")
	messages, err := waiting.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1000)
	if n, err := messages.Read(line); !strings.HasPrefix(string(line[:n]), "waiting for StorageVersionMigration crates-now") {
		t.Errorf("got %q, %v", line[:n], err)
	}
	migration.Status.Conditions = []metav1.Condition{{Type: string(storagemigrationv1.MigrationFailed), Status: metav1.ConditionTrue,
		Reason: "Test", Message: "it failed", LastTransitionTime: metav1.Now()}}
	if err := c.client.Status().Update(t.Context(), migration); err != nil {
		t.Fatal(err)
	}
	if err := waiting.Wait(); err != nil || c.count("v1") != 0 {
		t.Errorf("after it failed: %v, and %d objects are stored in v1", err, c.count("v1"))
	}
}
