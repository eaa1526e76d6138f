// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// Definition contains the versions of a kind, from a CustomResourceDefinition.
type Definition struct {
	diag.Range
	// Name is the object's name: "orders.shop.example.com".
	Name, Group, Kind, Plural, Scope string
	Versions                         []Version
	Annotations                      map[string]string
	// Stored are the versions that objects may be stored in; nil without a cluster's status.
	Stored []string
	// Conversion is the webhook that converts the versions; nil without a webhook.
	Conversion *Conversion
	// Unconverted is true for the strategy None: versions differ in nothing but apiVersion. It is an API server's
	// default. A file without a strategy may leave it to an overlay.
	Unconverted bool
	// Idle is the position of a webhook beside the strategy None, which API servers refuse. It is not valid without
	// one.
	Idle diag.Range
}

// Version is a version of a kind.
type Version struct {
	diag.Range
	Name            string
	Served, Storage bool
	// Subresources are "status" and "scale", as far as the version has them.
	Subresources []string
	// Scaled is the path of the field that the subresource scale writes, such as spec.replicas; empty without scale.
	Scaled string
	// Schema is what the version's objects have; nil where nothing says it, or where fields that it does not have are
	// kept all the same (spec.preserveUnknownFields).
	Schema *Schema
}

// Conversion is a webhook that converts.
type Conversion struct {
	diag.Range
	Client         admissionregistrationv1.WebhookClientConfig
	ReviewVersions []string
}

// MatchedBy reports whether a rule of match constraints names the definition's resource in a version.
func (d *Definition) MatchedBy(m *admissionregistrationv1.MatchResources, version string) bool {
	return m != nil && slices.ContainsFunc(m.ResourceRules, func(r admissionregistrationv1.NamedRuleWithOperations) bool {
		return slices.Contains(r.APIGroups, d.Group) && slices.Contains(r.APIVersions, version) && slices.Contains(r.Resources, d.Plural)
	})
}

// definition reads a CustomResourceDefinition of v1.
func (r *reader) definition(t text, node *yaml.Node) {
	var o struct {
		Metadata struct {
			Name        string
			Annotations map[string]string
		}
		Spec struct {
			Group, Scope string
			Names        struct{ Kind, Plural string }
			Versions     []struct {
				Name            string
				Served, Storage bool
				Subresources    map[string]yaml.Node
			}
			PreserveUnknownFields bool `yaml:"preserveUnknownFields"`
			Conversion            struct {
				Strategy string
				Webhook  struct {
					ClientConfig struct {
						URL      *string
						Service  *admissionregistrationv1.ServiceReference
						CABundle string `yaml:"caBundle"`
					} `yaml:"clientConfig"`
					ConversionReviewVersions []string `yaml:"conversionReviewVersions"`
				}
			}
		}
		Status struct {
			StoredVersions []string `yaml:"storedVersions"`
		}
	}
	if err := node.Decode(&o); err != nil {
		_, what, _ := strings.Cut(err.Error(), "\n  ") // behind "unmarshal errors:"
		what, _, _ = strings.Cut(what, " into ")       // the type here is no concern of the reader's
		r.diags.Add(diag.Errorf(t.Range(node), RuleObject, "not a CustomResourceDefinition: %s", what))
		return
	}
	d := &Definition{Range: t.Range(node), Name: o.Metadata.Name, Group: o.Spec.Group, Kind: o.Spec.Names.Kind, Plural: o.Spec.Names.Plural, Scope: o.Spec.Scope, Annotations: o.Metadata.Annotations, Stored: o.Status.StoredVersions,
		Unconverted: o.Spec.Conversion.Strategy == "None"}
	spec := entry(node, "spec")
	versions := elements(entry(spec, "versions"))
	for i, v := range o.Spec.Versions {
		version := Version{Name: v.Name, Served: v.Served, Storage: v.Storage, Subresources: slices.Sorted(maps.Keys(v.Subresources))}
		if scale, ok := v.Subresources["scale"]; ok {
			if path := entry(&scale, "specReplicasPath"); path != nil {
				version.Scaled = strings.TrimPrefix(path.Value, ".")
			}
		}
		if i < len(versions) { // else it comes of a merge key
			node := yamltext.Resolve(versions[i])
			if name := entry(node, "name"); name != nil {
				version.Range = t.Range(name)
			}
			if root := entry(entry(node, "schema"), "openAPIV3Schema"); root != nil && !o.Spec.PreserveUnknownFields {
				version.Schema = &Schema{text: t, node: root}
			}
		}
		d.Versions = append(d.Versions, version)
	}
	if c := o.Spec.Conversion; d.Unconverted && (c.Webhook.ClientConfig.URL != nil || c.Webhook.ClientConfig.Service != nil || len(c.Webhook.ConversionReviewVersions) > 0) {
		d.Idle = t.Range(entry(entry(spec, "conversion"), "webhook"))
	} else if c.Strategy == "Webhook" {
		d.Conversion = &Conversion{ReviewVersions: c.Webhook.ConversionReviewVersions}
		if at := entry(spec, "conversion"); at != nil {
			d.Conversion.Range = t.Range(at)
		}
		client := c.Webhook.ClientConfig
		bundle, err := base64.StdEncoding.DecodeString(client.CABundle)
		if err != nil {
			bundle = []byte(client.CABundle) // API servers refuse it, and it is no certificate
		}
		d.Conversion.Client = admissionregistrationv1.WebhookClientConfig{URL: client.URL, Service: client.Service, CABundle: bundle}
	}
	if strategy := entry(entry(spec, "conversion"), "strategy"); strategy != nil && !slices.Contains([]string{"None", "Webhook"}, strategy.Value) {
		r.diags.Add(diag.Errorf(t.Range(strategy), RuleObject, "not a CustomResourceDefinition: API servers refuse the strategy %q of a conversion", strategy.Value).
			WithHint("write None or Webhook"))
	}
	r.Definitions = append(r.Definitions, d)
}
