// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// customResourceDefinition has the fields of a definition that matter here.
type customResourceDefinition struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Group string `json:"group"`
		Names struct {
			Plural string `json:"plural"`
			Kind   string `json:"kind"`
		} `json:"names"`
		Versions   []definedVersion `json:"versions"`
		Conversion struct {
			Strategy string `json:"strategy"`
			Webhook  struct {
				ClientConfig             admissionregistrationv1.WebhookClientConfig `json:"clientConfig"`
				ConversionReviewVersions []string                                    `json:"conversionReviewVersions"`
			} `json:"webhook"`
		} `json:"conversion"`
	} `json:"spec"`
	Status struct {
		StoredVersions []string `json:"storedVersions"`
	} `json:"status"`
}

type definedVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage"`
}

// storage returns the storage version.
func (d *customResourceDefinition) storage() string {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// resource returns the resource in a version.
func (d *customResourceDefinition) resource(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: d.Spec.Group, Version: version, Resource: d.Spec.Names.Plural}
}

// served returns the resource in each served version, the storage version first.
func (d *customResourceDefinition) served() []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for _, v := range d.Spec.Versions {
		switch {
		case v.Served && v.Storage:
			all = slices.Insert(all, 0, d.resource(v.Name))
		case v.Served:
			all = append(all, d.resource(v.Name))
		}
	}
	return all
}

// definitions reads the CustomResourceDefinitions of a cluster.
type definitions struct {
	config  *rest.Config
	known   *discovery.DiscoveryClient
	dynamic dynamic.Interface
}

// clusterFlags are the flags that choose a cluster.
type clusterFlags struct{ kubeconfig, context string }

func (c *clusterFlags) add(flags *flag.FlagSet) {
	flags.StringVar(&c.kubeconfig, "kubeconfig", "", "kubeconfig `file` (default: as kubectl finds it, or the pod's cluster)")
	flags.StringVar(&c.context, "context", "", "`name` of the kubeconfig's context (default: the current one)")
}

// connect connects to a cluster. The clients together send at most rate requests a second.
func (c *definitions) connect(from clusterFlags, userAgent string, rate int) (err error) {
	if c.config, err = clusterConfig(from); err != nil {
		return err
	}
	c.config.UserAgent, c.config.Timeout = userAgent, 2*time.Minute
	c.config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(float32(rate), rate)
	if c.dynamic, err = dynamic.NewForConfig(c.config); err != nil {
		return err
	}
	c.known, err = discovery.NewDiscoveryClientForConfig(c.config)
	return err
}

// converted returns the names of the definitions whose kinds the program converts. It skips a kind that the cluster
// does not serve.
func (c *definitions) converted(register Register, skip func(what, why string)) ([]string, error) {
	var handlers []*conversion.Handler
	err := register(func(_ string, h http.Handler) {
		if h, ok := h.(*conversion.Handler); ok {
			handlers = append(handlers, h)
		}
	})
	if err == nil && len(handlers) == 0 {
		err = errors.New("the program has no conversions: name the definitions, as in --definition orders.shop.example.com")
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, h := range handlers {
		for _, kind := range h.Kinds() {
			plural, err := c.plural(kind, h.Versions(kind))
			switch {
			case err != nil:
				return nil, err
			case plural == "":
				skip(kind.String(), "the cluster does not serve this kind")
			default:
				names = append(names, plural+"."+kind.Group)
			}
		}
	}
	return names, nil
}

// plural returns the resource of a kind, or nothing if the cluster serves none of its versions.
func (c *definitions) plural(kind schema.GroupKind, versions []string) (string, error) {
	for _, version := range versions {
		list, err := c.known.ServerResourcesForGroupVersion(kind.WithVersion(version).GroupVersion().String())
		if err != nil && !apierrors.IsNotFound(err) {
			return "", err
		}
		for _, r := range listed(list, kind.Kind) {
			return r.name, nil
		}
	}
	return "", nil
}

// resources is the resource of CustomResourceDefinitions.
func (c *definitions) resources() dynamic.ResourceInterface {
	return c.dynamic.Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
}

func (c *definitions) read(ctx context.Context, name string) (*customResourceDefinition, error) {
	u, err := c.resources().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	d := &customResourceDefinition{}
	return d, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, d)
}
