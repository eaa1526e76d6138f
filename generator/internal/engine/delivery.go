// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Deployment returns how the program is deployed to a cluster.
func (r Run) Deployment() render.Delivery {
	if r.Delivery.Name == "" {
		return render.Delivery{}
	}
	d := render.Delivery{Name: r.Delivery.Name, Namespace: r.namespace(), Certificates: r.Delivery.Certificates}
	if r.Delivery.Callers != "nothing" {
		d.Callers = r.Delivery.Callers
	}
	if d.Aggregated = r.isAggregated(); d.Aggregated {
		d.Authorities = r.authorities
	}
	// An error is reported when the file is compared with its new content.
	d.Chart, _ = regular.ReadFile(filepath.Join(r.Root, "charts", d.Name, "Chart.yaml"))
	for _, file := range r.bases() {
		if text, err := regular.ReadFile(file); err == nil {
			d.CRDs = append(d.CRDs, render.CRDFile{Name: filepath.Base(file), Content: text})
		}
	}
	return d
}

// bases returns the files of CustomResourceDefinitions that are delivered to a cluster, sorted.
func (r Run) bases() []string {
	// The pattern is valid, so there is no error.
	files, _ := filepath.Glob(filepath.Join(r.Root, filepath.FromSlash(render.CRDBases), "*.yaml"))
	return files
}

// checkBases reports CustomResourceDefinition files that cannot be read. Without them a chart would be incomplete.
func (r Run) checkBases() (list diag.List) {
	if r.Delivery.Name == "" {
		return nil
	}
	for _, file := range r.bases() {
		if f, err := regular.Open(file); err != nil {
			list.Add(diag.Errorf(diag.Range{Pos: diag.Position{File: file}}, "", "cannot read the definition: %s", err))
		} else {
			_ = f.Close() // nothing was written
		}
	}
	return list
}

// namespace returns the namespace of the deployed program.
func (r Run) namespace() string { return cmp.Or(r.Delivery.Namespace, r.Delivery.Name+"-system") }

// isAggregated reports whether API servers reach the program through kube-aggregator.
func (r Run) isAggregated() bool { return r.Delivery.Name != "" && r.Delivery.Topology == "aggregated" }

// deliver sets the model's options that depend on where the program is deployed.
func (r Run) deliver(o *build.Options) {
	if r.Delivery.Name == "" {
		return
	}
	o.NamePrefix = cmp.Or(o.NamePrefix, r.Delivery.Name+"-") // other projects' configurations share the cluster
	o.Service = build.ServiceName{Namespace: r.namespace(), Name: r.Delivery.Name}
	o.KeepOut = []string{"kube-system", r.namespace()}
	if !r.isAggregated() { // then only the APIService has the CA bundle
		o.CABundle = r.authorities
	}
}

// checkCallers reports credentials that callers cannot present. In the aggregated topology, callers present only the
// certificate of kube-aggregator. Conversions get no credentials at all: an API server presents them to admission
// webhooks alone (k8s.io/apiextensions-apiserver pkg/apiserver/conversion, newWebhookConverterFactory).
func (r Run) checkCallers(p *model.Project) diag.List {
	switch {
	case r.Delivery.Name == "" || r.Delivery.Callers == "nothing":
		return nil
	case r.isAggregated():
		at := diag.Range{Pos: diag.Position{File: filepath.Join(r.Root, config.FileName)}}
		return diag.List{diag.Errorf(at, "", "delivery.callers asks for a %s, and with the topology aggregated kube-aggregator calls, by its own certificate", r.Delivery.Callers).
			WithHint("remove delivery.callers from " + config.FileName)}
	case len(p.Conversions) == 0:
		return nil
	}
	return diag.List{diag.Errorf(p.Conversions[0].Range, "", "an API server presents no %s to conversions, and delivery.callers asks for one", r.Delivery.Callers).
		WithHint("remove delivery.callers from webhook-gen.yaml, or serve conversions by another program")}
}

// readAuthorities reads the CA certificates of the server's certificate.
func (r *Run) readAuthorities() diag.List {
	if r.Delivery.CAFile == "" {
		return nil
	}
	text, err := regular.ReadFile(filepath.Join(r.Root, filepath.FromSlash(r.Delivery.CAFile)))
	if err != nil {
		at := diag.Range{Pos: diag.Position{File: filepath.Join(r.Root, config.FileName)}}
		return diag.List{diag.Errorf(at, "", "delivery.caFile: %s", err)}
	}
	r.authorities = text
	return nil
}

// delivered returns the existing files that match the delivery patterns.
func (r Run) delivered() []string {
	var files []string
	for _, pattern := range render.DeliveryPatterns() {
		found, _ := filepath.Glob(filepath.Join(r.Root, filepath.FromSlash(pattern))) // the pattern is valid
		files = append(files, found...)
	}
	return files
}
