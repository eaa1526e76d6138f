// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// decodeStrictly holds every object of a manifest to the type that the object's own module has for it, and returns
// their kinds.
func decodeStrictly(t *testing.T, manifest string) []string {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgo.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme, certmanagerv1.AddToScheme, monitoringv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	var kinds []string
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader([]byte(manifest))))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return kinds
		}
		if err != nil {
			t.Fatal(err)
		}
		if isBlank(document) {
			continue
		}
		_, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Errorf("%v\n%s", err, document)
			continue
		}
		kinds = append(kinds, kind.Kind)
	}
}

// isBlank reports whether a document contains only comments.
func isBlank(document []byte) bool {
	for line := range bytes.Lines(document) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
