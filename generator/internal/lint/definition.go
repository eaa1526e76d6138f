// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/webhook"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// definitionPass looks at the conversion of one CustomResourceDefinition.
type definitionPass struct {
	pass
	*manifest.Definition
}

func (p definitionPass) at(format string, args ...any) *diag.Diagnostic {
	return p.report(&model.Webhook{}, p.Conversion.Range, "the conversion of "+p.Name+": "+format, args...)
}

// DefinitionFindings reports every rule that the conversions of definitions in files break.
func DefinitionFindings(definitions []*manifest.Definition, s Facts) []Finding {
	base := newPass(&model.Project{}, "v1", s)
	for _, r := range Table() {
		base.rule = r
		for _, d := range definitions {
			switch of := (definitionPass{base, d}); {
			case r.definition == nil:
			case d.Conversion != nil:
				r.definition(of)
			case d.Idle.IsValid() && r.ID == "W45":
				idleConversion(of)
			}
		}
	}
	return *base.found
}

// refusedConversion reports settings that API servers refuse
// (k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation, validateCustomResourceConversion). A patch may
// lack what the definition has.
func refusedConversion(p definitionPass) {
	isReviewVersion := func(version string) bool { return version == "v1" || version == "v1beta1" }
	client, isPatch := p.Conversion.Client, len(p.Versions) == 0
	switch of := p.Conversion.ReviewVersions; {
	case len(of) > 0 && !slices.ContainsFunc(of, isReviewVersion):
		p.at("API servers know no review version among %s", strings.Join(of, ", ")).Hint = "write conversionReviewVersions: [v1]"
	case len(of) == 0 && !isPatch:
		p.at("conversionReviewVersions is missing").Hint = "write conversionReviewVersions: [v1]"
	}
	for i, version := range p.Conversion.ReviewVersions {
		if slices.Contains(p.Conversion.ReviewVersions[:i], version) {
			p.at("API servers refuse %s twice in conversionReviewVersions", version).Hint = "write it once"
		}
	}
	var refused field.ErrorList
	switch s := client.Service; {
	case s != nil && client.URL != nil:
		p.at("API servers refuse a url beside a service").Hint = "remove one of them"
	case s != nil && s.Path != nil && *s.Path != "" && !strings.HasPrefix(*s.Path, "/"):
		p.at("API servers refuse the path %q", *s.Path).Hint = fmt.Sprintf("begin it with a slash: /%s", *s.Path)
	case s != nil:
		port := int32(443)
		if s.Port != nil {
			port = *s.Port
		}
		refused = webhook.ValidateWebhookService(field.NewPath("service"), s.Namespace, s.Name, s.Path, port)
	case client.URL != nil:
		refused = webhook.ValidateWebhookURL(field.NewPath("url"), *client.URL, true)
	case !isPatch:
		p.at("it has neither a service nor a url").Hint = "name the Service of the server"
	}
	for _, e := range refused {
		if isPatch && e.Type == field.ErrorTypeRequired {
			continue
		}
		p.at("API servers refuse %s: %s", e.Field, e.ErrorBody()).Hint = "write what API servers accept, such as path: /convert"
	}
}

// idleConversion reports a webhook beside the strategy None.
func idleConversion(p definitionPass) {
	d := p.report(&model.Webhook{}, p.Idle, "the conversion of %s: API servers refuse a webhook beside strategy: None", p.Name)
	d.Hint = "write strategy: Webhook, or remove the webhook"
}

func unreachableConversion(p definitionPass) {
	if why, hint := unreachableURL(p.Conversion.Client.URL); why != "" {
		d := p.at("%s", why)
		d.Hint = cmp.Or(hint, d.Hint)
	}
}

func missingServiceOfConversion(p definitionPass) {
	if why, hint := p.missingService(p.Conversion.Client.Service); why != "" {
		p.at("%s", why).Hint = hint
	}
}

func missingService(p webhookPass) {
	if why, hint := p.missingService(p.Spec.ClientConfig.Service); why != "" {
		p.at("clientConfig.service", "%s", why).Hint = hint
	}
}

// missingService explains why nothing answers at a Service. Other files may have it: it is silent unless a Service of
// the same namespace has nearly the same name, or one of another namespace the same name.
func (p pass) missingService(s *admissionregistrationv1.ServiceReference) (why, hint string) {
	if s == nil || len(p.Services) == 0 {
		return "", ""
	}
	ports, known := p.Services[s.Namespace+"/"+s.Name]
	if !known {
		ports, known = p.Services["/"+s.Name] // whoever applies the file sets the namespace
	}
	all := slices.Sorted(maps.Keys(p.Services))
	others := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.HasPrefix(name, s.Namespace+"/") })
	near, isNear := diag.Nearest(s.Namespace+"/"+s.Name, others)
	if i := slices.IndexFunc(all, func(name string) bool { return strings.HasSuffix(name, "/"+s.Name) }); !isNear && i >= 0 {
		near, isNear = all[i], true
	}
	switch {
	case known:
		port := int32(443)
		if s.Port != nil {
			port = *s.Port
		}
		if len(ports) > 0 && !slices.Contains(ports, port) {
			return fmt.Sprintf("the Service %s/%s has no port %d", s.Namespace, s.Name, port), fmt.Sprintf("its ports: %v", ports)
		}
	case isNear:
		return fmt.Sprintf("no file has a Service %s/%s", s.Namespace, s.Name), "did you mean " + near + "?"
	case s.Namespace == model.PlaceholderNamespace:
		return fmt.Sprintf("the Service %s/%s is a placeholder, which no overlay has replaced", s.Namespace, s.Name), "the Services of these files: " + strings.Join(all, ", ")
	}
	return "", ""
}

func deadAuthorityOfConversion(p definitionPass) {
	if why := p.dead(p.Conversion.Client.CABundle); why != "" && !isInjected(p.Annotations) {
		p.at("%s", why)
	}
}

func deadAuthority(p configurationPass) {
	if p.isAnnotated() {
		return
	}
	for _, w := range p.Webhooks {
		if why := p.dead(w.Spec.ClientConfig.CABundle); why != "" {
			p.report(w, w.Where("clientConfig.caBundle"), "%s", why)
		}
	}
}

// untrustedConversion reports a conversion without a caBundle in complete manifests.
func untrustedConversion(p definitionPass) {
	s := p.Conversion.Client.Service
	if s != nil && len(p.Conversion.Client.CABundle) == 0 && !isInjected(p.Annotations) && p.Servers[s.Namespace+"/"+s.Name] && !p.InjectsDefinitions {
		p.at("it has no caBundle, and nothing in these files adds one").Hint = "annotate the definition for cert-manager, or write caBundle"
	}
}

// dead explains why no certificate of a bundle can be trusted.
func (p pass) dead(bundle []byte) string {
	if len(bundle) == 0 {
		return ""
	}
	var last time.Time
	for rest := bundle; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if certificate, err := x509.ParseCertificate(block.Bytes); err == nil && certificate.NotAfter.After(last) {
			last = certificate.NotAfter
		}
	}
	switch {
	case len(bytes.TrimSpace(bundle)) == 0:
		return "caBundle is blank"
	case last.IsZero():
		return fmt.Sprintf("caBundle has no certificate: it begins with %q", bundle[:min(len(bundle), 20)])
	case !p.Now.IsZero() && last.Before(p.Now):
		return "the certificates of caBundle expired on " + last.UTC().Format(time.DateOnly)
	}
	return ""
}
