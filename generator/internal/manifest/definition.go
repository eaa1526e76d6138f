package manifest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Definition is what a CustomResourceDefinition says of the versions of a kind.
type Definition struct {
	diag.Range
	// Name is that of the object: "orders.shop.example.com".
	Name, Group, Plural, Scope string
	Versions                   []Version
	// Stored are the versions that objects may be stored in; nil where no cluster says it.
	Stored []string
	// Conversion is the webhook that converts the versions; nil where there is none.
	Conversion *Conversion
}

// Version is a version of a kind.
type Version struct {
	diag.Range
	Name            string
	Served, Storage bool
}

// Conversion is a webhook that converts.
type Conversion struct {
	diag.Range
	Client         admissionregistrationv1.WebhookClientConfig
	ReviewVersions []string
}

// definition reads a CustomResourceDefinition of v1. Its schemas, which are most of it, are passed over.
func (r *reader) definition(t text, node *yaml.Node) {
	var o struct {
		Metadata struct {
			Name string `yaml:"name"`
		} `yaml:"metadata"`
		Spec struct {
			Group string `yaml:"group"`
			Scope string `yaml:"scope"`
			Names struct {
				Plural string `yaml:"plural"`
			} `yaml:"names"`
			Versions []struct {
				Name    string `yaml:"name"`
				Served  bool   `yaml:"served"`
				Storage bool   `yaml:"storage"`
			} `yaml:"versions"`
			Conversion struct {
				Strategy string `yaml:"strategy"`
				Webhook  struct {
					ClientConfig struct {
						URL     *string `yaml:"url"`
						Service *struct {
							Namespace string  `yaml:"namespace"`
							Name      string  `yaml:"name"`
							Path      *string `yaml:"path"`
							Port      *int32  `yaml:"port"`
						} `yaml:"service"`
						CABundle string `yaml:"caBundle"`
					} `yaml:"clientConfig"`
					ConversionReviewVersions []string `yaml:"conversionReviewVersions"`
				} `yaml:"webhook"`
			} `yaml:"conversion"`
		} `yaml:"spec"`
		Status struct {
			StoredVersions []string `yaml:"storedVersions"`
		} `yaml:"status"`
	}
	if err := node.Decode(&o); err != nil {
		_, what, _ := strings.Cut(err.Error(), "\n  ") // behind "unmarshal errors:"
		what, _, _ = strings.Cut(what, " into ")       // the type here is no concern of the reader's
		r.diags.Add(diag.Errorf(t.Place(node), RuleObject, "not a CustomResourceDefinition: %s", what))
		return
	}
	d := &Definition{Range: t.Place(node), Name: o.Metadata.Name, Group: o.Spec.Group, Plural: o.Spec.Names.Plural, Scope: o.Spec.Scope, Stored: o.Status.StoredVersions}
	at := map[string]diag.Range{}
	if spec := entry(node, "spec"); spec != nil {
		for _, key := range []string{"versions", "conversion"} {
			if part := entry(spec, key); part != nil {
				at[key] = t.Place(part)
				for i, item := range part.Content {
					if name := entry(resolve(item), "name"); name != nil {
						at[fmt.Sprintf("versions[%d]", i)] = t.Place(name)
					}
				}
			}
		}
	}
	for i, v := range o.Spec.Versions {
		d.Versions = append(d.Versions, Version{at[fmt.Sprintf("versions[%d]", i)], v.Name, v.Served, v.Storage})
	}
	if c := o.Spec.Conversion; c.Strategy == "Webhook" {
		d.Conversion = &Conversion{Range: at["conversion"], ReviewVersions: c.Webhook.ConversionReviewVersions}
		client := &d.Conversion.Client
		client.URL = c.Webhook.ClientConfig.URL
		client.CABundle, _ = base64.StdEncoding.DecodeString(c.Webhook.ClientConfig.CABundle) // one that is none is an API server's to refuse
		if s := c.Webhook.ClientConfig.Service; s != nil {
			client.Service = &admissionregistrationv1.ServiceReference{Namespace: s.Namespace, Name: s.Name, Path: s.Path, Port: s.Port}
		}
	}
	r.Definitions = append(r.Definitions, d)
}
