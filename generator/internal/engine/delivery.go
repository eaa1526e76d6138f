// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Deployment returns the deployment of the program. It also reports CRD files that cannot be read, because a chart
// would be incomplete without them.
func (r Run) Deployment() (d render.Delivery, unread diag.List) {
	if r.Delivery.Name == "" {
		return d, nil
	}
	d = render.Delivery{Name: r.Delivery.Name, Namespace: r.namespace(), Certificates: r.Delivery.Certificates, Callers: r.callers()}
	if d.Aggregated = r.isAggregated(); d.Aggregated {
		d.Authorities = r.authorities
	}
	chart := load.ReadText(r.Root, "charts", d.Name, "Chart.yaml")
	if chart.Err != nil && !errors.Is(chart.Err, fs.ErrNotExist) {
		unread.Add(diag.Errorf(diag.InFile(chart.Path), "", "cannot read the chart: %s", regular.Reason(chart.Err)))
	}
	d.Chart = chart.Content
	for _, f := range load.Texts(r.Root, render.CRDBases+"/*.yaml") {
		if f.Err != nil {
			unread.Add(diag.Errorf(diag.InFile(f.Path), "", "cannot read the definition: %s", f.Err))
			continue
		}
		if d, found := undelivered(f); found {
			unread.Add(d)
			continue
		}
		d.CRDs = append(d.CRDs, render.CRDFile{Name: filepath.Base(f.Path), Content: f.Content})
	}
	return d, unread
}

// undelivered returns the error about a CRD file that the chart would lack, in whole or in part.
func undelivered(f load.Text) (diag.Diagnostic, bool) {
	if d, found := diag.Conflict(f.Path, crd.RuleText, f.Content); found {
		return d, true
	}
	if !bytes.Contains(f.Content, []byte("\n---")) {
		return diag.Diagnostic{}, false // definitions are long, and YAML is slow to parse
	}
	documents, err := yamltext.Documents(f.Content)
	if err != nil {
		return diag.Errorf(diag.InFile(f.Path), crd.RuleText, "the file is not valid YAML: %s", yamltext.Message(err)).WithHint("mend the file"), true
	}
	documents = slices.DeleteFunc(documents, func(n *yaml.Node) bool { return n.Tag == "!!null" })
	if len(documents) > 1 {
		at := yamltext.New(f.Path, f.Content).Range(documents[1])
		return diag.Errorf(at, crd.RuleText, "the chart would have only the first object of the file").
			WithHint("write each definition to a file of its own, as controller-gen does"), true
	}
	return diag.Diagnostic{}, false
}

// renamedDelivery warns of a new delivery.name. The objects of the old name, including its webhooks, remain in
// clusters.
func (r Run) renamedDelivery(changes []output.Change) (found diag.List) {
	for _, c := range changes {
		chart := filepath.Dir(c.Path)
		old := filepath.Base(chart)
		if c.Action != output.Remove || r.Delivery.Name == "" || filepath.Base(c.Path) != "values.schema.json" || filepath.Base(filepath.Dir(chart)) != "charts" || old == r.Delivery.Name {
			continue
		}
		found.Add(diag.Warningf(diag.InFile(filepath.Join(r.Root, config.FileName)), "", "delivery.name was %s: the objects of that name stay in clusters, and their webhooks are called", old).
			WithHint("copy your changes of values.yaml and Chart.yaml from charts/%[1]s to charts/%[2]s, and remove charts/%[1]s; when %[2]s runs: helm uninstall %[1]s, or kubectl delete -k config/default in the revision before", old, r.Delivery.Name))
	}
	return found
}

func (r Run) namespace() string { return cmp.Or(r.Delivery.Namespace, r.Delivery.Name+"-system") }

// isAggregated reports whether API servers call the program through kube-aggregator.
func (r Run) isAggregated() bool { return r.Delivery.Name != "" && r.Delivery.Topology == "aggregated" }

// callers returns the credential that API servers have to present, or "".
func (r Run) callers() string {
	if r.Delivery.Name == "" || r.Delivery.Callers == "nothing" {
		return ""
	}
	return r.Delivery.Callers
}

// readAuthorities reads the CA certificates that verify the server's certificate.
func (r *Run) readAuthorities() diag.List {
	if r.Delivery.CAFile == "" {
		return nil
	}
	text := load.ReadText(r.Root, r.Delivery.CAFile)
	if text.Err != nil {
		return diag.List{diag.Errorf(diag.InFile(filepath.Join(r.Root, config.FileName)), "", "delivery.caFile: %s", text.Err)}
	}
	r.authorities = text.Content
	return nil
}
