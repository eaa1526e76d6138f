// SPDX-License-Identifier: Apache-2.0

package main

// drawings are the pictures by the names of their files.
func drawings() map[string]drawing {
	return map[string]drawing{"line.svg": line(), "request.svg": request()}
}

// line shows how files come of markers. Its boxes are the phases of the generator.
func line() drawing {
	return drawing{
		title: "From a marker to files",
		text:  "webhook-gen loads Go packages, reads markers, builds a model, checks it by the rules of the API server, plans conversions, renders files, and writes all of them or none.",
		boxes: []box{
			{name: "Go types", column: 0, row: 0, lines: []string{"+webhook and", "+kubebuilder:webhook"}},
			{name: "load", column: 1, row: 0, ours: true, lines: []string{"packages, their comments,", "files on disk"}},
			{name: "front ends", column: 2, row: 0, ours: true, lines: []string{"arguments, each with", "its position"}},
			{name: "semantics", column: 3, row: 0, ours: true, lines: []string{"webhooks, handlers and", "kinds as plain data"}},
			{name: "check", column: 3, row: 1, ours: true, lines: []string{"the rules of the API", "server, and more"}},
			{name: "convert", column: 2, row: 1, ours: true, lines: []string{"plans between hub and", "spokes; loss is reported"}},
			{name: "render", column: 1, row: 1, ours: true, lines: []string{"Go, YAML and charts", "as text"}},
			{name: "output", column: 0, row: 1, ours: true, lines: []string{"writes all files or none;", "verify shows the diff"}},
			{name: "Your repository", column: 0, row: 2, lines: []string{"manifests, handlers,", "conversions, tests,", "delivery"}},
		},
		arrows: []arrow{
			{from: "Go types", to: "load"}, {from: "load", to: "front ends"}, {from: "front ends", to: "semantics"}, {from: "semantics", to: "check", label: "model"},
			{from: "check", to: "convert", label: "no error"}, {from: "convert", to: "render"}, {from: "render", to: "output"}, {from: "output", to: "Your repository"},
		},
	}
}

// request shows the way of a request that creates or updates an object.
func request() drawing {
	return drawing{
		title: "A request through defaulter, validator and conversion",
		text: "The API server calls mutating webhooks, whose handler calls the defaulter, checks the schema, and calls validating webhooks, whose handler calls the validator. " +
			"Then it converts the object to the stored version.",
		boxes: []box{
			{name: "User", column: 0, row: 0, lines: []string{"kubectl apply", "-f order.yaml"}},
			{name: "Mutating admission", column: 1, row: 0, lines: []string{"match conditions and", "selectors first"}},
			{name: "Schema", column: 2, row: 0, lines: []string{"types, bounds and CEL", "rules of the CRD"}},
			{name: "Validating admission", column: 3, row: 0, lines: []string{"policies, then webhooks,", "all at the same time"}},
			{name: "etcd", column: 4, row: 0, lines: []string{"the storage version"}},
			{name: "Defaulter", column: 1, row: 1, ours: true, lines: []string{"your DefaultCreate; the", "handler makes the patch,", "unknown fields stay"}},
			{name: "Validator", column: 3, row: 1, ours: true, lines: []string{"your ValidateUpdate; an", "error denies, a failure", "asks failurePolicy"}},
			{name: "Conversion", column: 4, row: 1, ours: true, lines: []string{"between hub and spokes,", "on reads and writes"}},
		},
		arrows: []arrow{
			{from: "User", to: "Mutating admission"}, {from: "Mutating admission", to: "Schema"}, {from: "Schema", to: "Validating admission"},
			{from: "Validating admission", to: "etcd"}, {from: "Mutating admission", to: "Defaulter", label: "AdmissionReview"},
			{from: "Validating admission", to: "Validator", label: "AdmissionReview"}, {from: "etcd", to: "Conversion", label: "ConversionReview"},
		},
	}
}
