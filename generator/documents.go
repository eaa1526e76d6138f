// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
)

// Documents are the pages of the manual that are made from the tables in the code, by file name.
// A test holds docs/ to them.
func Documents() (map[string][]byte, error) {
	var markers bytes.Buffer
	markers.WriteString(markersIntroduction)
	if err := PrintMarkers(&markers, "markdown", nil); err != nil {
		return nil, err
	}
	return map[string][]byte{
		"markers.md":       markers.Bytes(),
		"rules.md":         rulesPage(),
		"configuration.md": configurationPage(),
		"lint.md":          lintPage(),
		"upgrade.md":       upgradePage(),
	}, nil
}

// madeFrom says in a page, where a reader of its source sees it, how the page comes about.
func madeFrom(what string) string {
	return fmt.Sprintf("<!-- Made from %s by `go test ./generator -run TestDocuments -update`. -->\n\n", what)
}

const markersIntroduction = "# Markers\n\n" + "<!-- Made from the registry in generator/internal/registry by `go test ./generator -run TestDocuments -update`. -->\n\n" +
	"Write a marker in the doc comment of a type, field or package, or in the comment directly above it:\n\n" +
	"```go\n// Order is what a customer wants shipped.\n//\n// +webhook:mutating(operations: \"create\")\n" +
	"// +webhook:validating(operations: \"create;update\", timeoutSeconds: 5,\n// namespaceSelector: \"environment in (prod, staging)\")\n" +
	"type Order struct { ... }\n```\n\n" +
	"Values are words, whole numbers, `true`, `false`, or Go strings in double quotes or backticks; a list is one string, `\"create;update\"`. " +
	"A marker continues over the following comment lines until its parentheses and quotes are closed, and a comment may follow it: " +
	"`# like this`. A line indented by a tab is a code example, as for gofmt, and not a marker. The grammar is that of `k8s.io/gengo/v2/codetags`.\n\n" +
	"Fields that no marker sets are not written to the manifest, so the API server's own defaults apply. Two fields are required in v1 " +
	"and always written: `sideEffects` (`None` by default) and `admissionReviewVersions` (`v1` by default).\n\n"

func rulesPage() []byte {
	var b strings.Builder
	b.WriteString("# Rules\n\n" + madeFrom("the rule tables of each phase") +
		"Every finding has an id in brackets. C: webhook-gen.yaml, L: finding and reading packages, M: the grammar of markers, " +
		"K: markers of kubebuilder, D: derived values, V: conversions between versions, E: checks of the API server, U: uniqueness within a run, R: CustomResourceDefinitions, O: writing files. " +
		"W, S and F belong to `webhook-gen lint`: [Lint](lint.md). " +
		"A warning is an error with `--strict`. E and U rules are warnings on webhooks under `+kubebuilder` markers.\n")
	for _, r := range rules() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n", r.ID, r.Title)
		if r.Severity.String() == "warning" {
			b.WriteString("A warning. ")
		}
		b.WriteString(r.Doc + "\n")
	}
	return []byte(b.String())
}

func lintPage() []byte {
	var b strings.Builder
	b.WriteString("# Lint\n\n" + madeFrom("the rule table in generator/internal/lint") + lintIntroduction)
	for _, r := range lint.Table() {
		fmt.Fprintf(&b, "\n### %s: %s\n\n%s %s\n\n*What to do:* %s.\n", r.ID, r.Title, severityWord(r.Severity), r.Doc, r.Fix)
		switch r.By {
		case lint.Expressions:
			b.WriteString("\n*Found by* `webhook-gen-explain`, which reads CEL.\n")
		case lint.Code:
			b.WriteString("\n*Found by* `webhook-gen-vet`, which reads code: [below](#code).\n")
		}
	}
	b.WriteString(codeRules + "\n## Rules on allowances and files\n")
	for _, r := range lintRules() {
		if !strings.HasPrefix(r.ID, "W") {
			fmt.Fprintf(&b, "\n### %s: %s\n\n%s %s\n", r.ID, r.Title, severityWord(r.Severity), r.Doc)
		}
	}
	return []byte(b.String())
}

const codeRules = "\n## Code\n\nW17 and W27 look at the code of handlers. They are analyzers of `golang.org/x/tools/go/analysis`, in a separate command for `go vet`, which caches its results " +
	"for each package:\n\n" +
	"```sh\ngo install github.com/webhook-gen/webhook-gen/explain/cmd/webhook-gen-vet@latest\ngo vet -vettool=\"$(which webhook-gen-vet)\" ./...\n```\n\n" +
	"`webhook-gen-vet ./...` does the same without go vet, and `webhook-gen-vet help` says more.\n\nA handler is a method that a generated interface asks for, on the type that " +
	"[Names](naming.md) names, or on any type if its requests carry the marked type. For `+kubebuilder:webhook` markers above a type, above a method of it or above `var _ ... = &Type{}`, it is " +
	"`Default`, `ValidateCreate`, `ValidateUpdate`, `ValidateDelete` or `Handle`. `+webhook:allow` beside the marker applies.\n\n" +
	"Calls are followed through functions and methods of any package, `controllerutil.CreateOrUpdate` among them; a function that is passed as an argument counts as called. " +
	"Writes are Create, Update, Patch, Delete, DeleteAllOf and Apply of controller-runtime's clients, status and subresources included, and their equivalents in client-go's typed, dynamic, metadata and REST clients. " +
	"Requests with DryRunAll and reviews that only ask (SubjectAccessReview, TokenReview) are not writes. A client waits for a limit of its own if it is made by client-go's NewForConfig in a package that sets " +
	"neither QPS nor RateLimiter and does not have its rest.Config from controller-runtime, which sets none (v0.22 and later; v0.18 sets 20).\n\n" +
	"Not detected: calls through your own interfaces and function variables; Events, other databases, HTTP; whether a check of DryRun really guards the write, only that there is one; handlers of an API package " +
	"with `decode: none`, since nothing in their package leads to the marker; clients that are made in a package that does not import the handlers, directly or indirectly.\n"

func severityWord(s diag.Severity) string {
	switch s {
	case diag.Warning:
		return "A warning."
	case diag.Note:
		return "Advice."
	}
	return "An error."
}

const lintIntroduction = "`webhook-gen lint` finds webhook settings that an API server accepts but that cause trouble in a cluster. It reads markers, `+kubebuilder` ones too, or with `-f` any " +
	"webhook configuration in YAML:\n\n" +
	"```sh\nwebhook-gen lint\nwebhook-gen lint -f config/webhook/manifests.yaml\nkustomize build config/default | webhook-gen lint -f -\n" +
	"helm template charts/shop | webhook-gen lint -f -\nwebhook-gen lint --format sarif > lint.sarif\n```\n\n" +
	"If you can, lint the rendered manifests: overlays and charts add selectors and certificates. More rules apply if the input also holds the Namespaces, the Deployment and its roles. " +
	"Besides the rules below, lint reports what an API server refuses: the E rules of [Rules](rules.md).\n\n" +
	"Findings go to standard output. The exit code is 1 for errors and warnings, and 0 for advice or no findings.\n\n" +
	"A rule reports only what the configuration alone proves. Lint assumes the best of what it cannot see, such as the labels of a namespace or the requests that a match condition lets through.\n\n" +
	"Match conditions are read by `webhook-gen-explain`, a separate program, which keeps webhook-gen small and quick to start. If it is missing, " +
	"lint prints on standard error which rules were skipped, and how to install it.\n\n" +
	"## Allowances\n\nIf a webhook has to break a rule, allow it beside the marker, with the reason. The allowance covers every webhook in the same comment, unless it names one:\n\n" +
	"```go\n// +webhook:mutating(operations: \"create\", timeoutSeconds: 15)\n// +webhook:allow(rule: \"W18\")=\"the address book is slow, and orders are few\"\ntype Order struct { ... }\n```\n\n" +
	"In the comment of the package, `webhook` may name any of its webhooks; use it for a `+kubebuilder:webhook` marker that is not on a type. In a manifest, write the allowance in a comment directly above the webhook:\n\n" +
	"```yaml\nwebhooks:\n# +webhook:allow(rule: \"W18\")=\"the address book is slow, and orders are few\"\n- name: orders.shop.example.com\n```\n\n" +
	"## Rules\n"

func configurationPage() []byte {
	var b strings.Builder
	b.WriteString("# webhook-gen.yaml\n\n" + madeFrom("the keys in generator/internal/config") +
		"An optional file at the root of the module, so that `go:generate`, make and CI use the same settings. It is decoded strictly: an unknown key is an error. " +
		"Flags take precedence over it.\n\n| key | type | default | example | meaning |\n|---|---|---|---|---|\n")
	for _, k := range config.Docs() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, cell(k.Type), code(k.Default), code(k.Example), cell(k.Doc))
	}
	return []byte(b.String())
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + cell(text) + "`"
}
