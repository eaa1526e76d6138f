// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
)

// target is an object with the authority of a server's certificate.
type target struct{ resource, name string }

func (t target) String() string { return t.resource + "/" + t.name }

// targetsOf reads resource/name.
func targetsOf(objects []string) ([]target, error) {
	var targets []target
	for _, o := range objects {
		resource, name, ok := strings.Cut(o, "/")
		t := target{resource, name}
		if !ok || name == "" || t.group() == "" {
			return nil, fmt.Errorf("%q is not one of validatingwebhookconfigurations/, mutatingwebhookconfigurations/, customresourcedefinitions/ and apiservices/ with a name", o)
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// group returns the API group of the object; empty for a resource without certificates.
func (t target) group() string {
	switch t.resource {
	case "validatingwebhookconfigurations", "mutatingwebhookconfigurations":
		return "admissionregistration.k8s.io"
	case "customresourcedefinitions":
		return "apiextensions.k8s.io"
	case "apiservices":
		return "apiregistration.k8s.io"
	}
	return ""
}

// clientConfig holds the members that both of Kubernetes' types of that name share with an APIService's specification.
type clientConfig struct {
	CABundle []byte `json:"caBundle"`
	Service  *struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"service"`
}

// injected holds the members of the objects, for all kinds.
type injected struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Webhooks []struct {
		ClientConfig clientConfig `json:"clientConfig"`
	} `json:"webhooks"`
	Spec struct {
		clientConfig // of an APIService
		Conversion   *struct {
			Webhook *struct {
				ClientConfig *clientConfig `json:"clientConfig"`
			} `json:"webhook"`
		} `json:"conversion"`
	} `json:"spec"`
}

// step is an operation of a JSON patch.
type step struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// inject writes the authorities where the object names the Service, and nowhere else. It reports whether that changed
// anything. An object that does not exist, or that something else writes meanwhile, is left to the next look.
func (t target) inject(ctx context.Context, api *API, namespace, service string, authorities []byte) (changed bool, err error) {
	path := "/apis/" + t.group() + "/v1/" + t.resource + "/" + t.name
	var object injected
	if err := api.call(ctx, http.MethodGet, path, "", nil, &object); err != nil {
		if isNotFound(err) {
			return false, nil
		}
		return false, err
	}
	// The patch of another version is a conflict.
	patch := []step{{"replace", "/metadata/resourceVersion", object.Metadata.ResourceVersion}}
	// at is the parent of caBundle.
	set := func(at string, c *clientConfig) {
		if c != nil && c.Service != nil && c.Service.Namespace == namespace && c.Service.Name == service && !bytes.Equal(c.CABundle, authorities) {
			patch = append(patch, step{"add", at + "/caBundle", authorities})
		}
	}
	for i := range object.Webhooks {
		set(fmt.Sprintf("/webhooks/%d/clientConfig", i), &object.Webhooks[i].ClientConfig)
	}
	if c := object.Spec.Conversion; c != nil && c.Webhook != nil {
		set("/spec/conversion/webhook/clientConfig", c.Webhook.ClientConfig)
	}
	set("/spec", &object.Spec.clientConfig)
	if len(patch) == 1 {
		return false, nil
	}
	err = api.call(ctx, http.MethodPatch, path, "application/json-patch+json", patch, &object)
	if isConflict(err) {
		return false, nil
	}
	return err == nil, err
}
