// SPDX-License-Identifier: Apache-2.0

package config

import "strings"

// Key documents one key of the file.
type Key struct {
	// Name is the key's full name: "manifests.path".
	Name string
	// Type describes in words the kind of value that the key takes.
	Type string
	// Values are the allowed values of the key, or of an element of its list. It is nil if any value is allowed.
	Values []string
	// Default and Example are values in YAML.
	Default, Example string
	// Required is true if a file must have the key.
	Required bool
	Doc      string
}

// Docs documents all keys, in the recommended order for a file.
func Docs() []Key {
	var docs []Key
	for _, k := range keys(new(Config)) {
		k.Type, k.Default, k.Values = k.kind, k.preset, k.choice
		docs = append(docs, k.Key)
	}
	return docs
}

// key is a key with the field that it sets.
type key struct {
	Key
	variable
}

// keys declares every key of the file. Like package flag, it sets each field of the configuration to its default and
// binds the key to the field.
func keys(c *Config) []key {
	return []key{
		{Key{
			Name: "version", Required: true, Example: "1",
			Doc: "The version of this file's format, which is 1.",
		}, version(&c.Version)},
		{Key{
			Name: "packages", Example: `["./api/...", "./internal/webhook/external"]`,
			Doc: "Patterns of the packages to read if the command line names none: folders, import paths, and ... as in the go command.",
		}, texts(&c.Packages, []string{"./..."}, notEmpty)},
		{Key{
			Name: "tags", Example: "[integration]",
			Doc: "Build tags under which the packages are read.",
		}, texts(&c.Tags, nil, buildTag)},
		{Key{
			Name: "domain", Example: "example.com",
			Doc: "The project's domain. It ends the names of webhooks on kinds that are not the project's own, such as Pods.",
		}, text(&c.Domain, "", subdomain)},
		{Key{
			Name: "minKubernetesVersion", Example: `"1.34"`,
			Doc: "The oldest API server that the project supports. CEL expressions have to compile there: API servers compile new expressions with what the version before them has. " +
				"If empty: 1.36 with a mutating policy that replaces no webhook, else 1.30, which also goes for matchConditions of webhooks. In Chart.yaml, kubeVersion is at least this version.",
		}, positioned(&c.MinKubernetesVersion, kubernetesVersion)},
		{Key{
			Name: "strict", Example: "true",
			Doc: "Warnings are errors, as with --strict.",
		}, truth(&c.Strict, false)},
		{Key{
			Name: "kubebuilder", Example: "false",
			Doc: "Whether +kubebuilder:webhook markers are read. false leaves them to controller-gen, in a project that keeps running it. A kustomization.yaml is then written beside the manifest.",
		}, truth(&c.Kubebuilder, true)},
		{Key{
			Name: "headerFile", Example: "hack/boilerplate.go.txt",
			Doc: "A text file, such as a licence header, whose text is put at the top of every Go and YAML file that is generated or created: relative to this file, with slashes, inside the module. " +
				"A manifest of +kubebuilder markers alone and CustomResourceDefinitions of controller-gen stay without it.",
		}, positioned(&c.HeaderFile, localPath)},
		{Key{
			Name: "manifests.path", Example: "deploy/webhooks.yaml",
			Doc: "The file that the webhook configurations are written to: relative to this file, with slashes, inside the module, .yaml or .yml.",
		}, text(&c.Manifests.Path, "config/webhook/manifests.yaml", manifestPath)},
		{Key{
			Name: "manifests.admissionregistration", Example: "v1beta1",
			Doc: "The version of admissionregistration.k8s.io to write. v1beta1 is for clusters before Kubernetes 1.16; 1.22 no longer serves it.",
		}, word(&c.Manifests.AdmissionRegistration, "v1", "v1beta1")},
		{Key{
			Name: "manifests.header", Example: "false",
			Doc: "Whether a manifest with webhooks of +webhook markers begins with a line that marks it as generated. Without that line, the manifest is not removed when its last marker goes.",
		}, truth(&c.Manifests.Header, true)},
		{Key{
			Name: "manifests.namePrefix", Example: "shop-",
			Doc: "The prefix of the names of the configuration objects that no +webhook:configuration names. By default delivery.name and -, if that is set.",
		}, text(&c.Manifests.NamePrefix, "", namePrefix)},
		{Key{
			Name: "handlers.path", Example: "pkg/webhooks",
			Doc: "The folder for the handlers of API packages. Relative to this file, with slashes, inside the module.",
		}, text(&c.Handlers.Path, "internal/webhook", localPath)},
		{Key{
			Name: "handlers.runtime", Example: "vendor",
			Doc: "Where generated code has the runtime from: the module github.com/webhook-gen/webhook-gen/runtime, or a copy below handlers.path of the packages that the project uses. " +
				"`webhook-gen runtime` changes it, together with the import paths in your own files.",
		}, word(&c.Handlers.Runtime, "import", "vendor")},
		{Key{
			Name: "crds", Example: "[config/crd/bases]",
			Doc: "Files, folders and globs of the CustomResourceDefinitions that controller-gen writes: relative to this file, with slashes, inside the module. " +
				"If set, spec.conversion of each kind with a conversion is written into them instead of a patch for kustomize.",
		}, texts(&c.CRDs, nil, localPattern)},
		{Key{
			Name: "tests.samples", Example: "[config/samples, docs/examples]",
			Doc: "Folders of objects that users would create, as YAML: generated tests check that the webhooks allow them, and that an API server refuses those in folders named denied. Relative to this file, with slashes, inside the module.",
		}, texts(&c.Tests.Samples, []string{"config/samples"}, localPath)},
		{Key{
			Name: "tests.integration", Example: "test/webhook",
			Doc: "The folder of a test in which a real API server calls the webhooks, with controller-runtime's envtest: relative to this file, with slashes, inside the module. It becomes a module of its own. If empty, no such test is generated.",
		}, text(&c.Tests.Integration, "", localPath)},
		{Key{
			Name: "program", Example: "cmd/webhook",
			Doc: "The folder of the program that serves the webhooks: relative to this file, with slashes, inside the module. zz_generated.webhooks.go is generated there, " +
				"in the package of the folder. Its newWebhooks().Register(handle) registers every webhook of the project, later ones included.",
		}, text(&c.Program, "", localPath)},
		{Key{
			Name: "delivery.name", Example: "shop",
			Doc: "The name of the Deployment, the Service and the chart that deploy the program: kustomize bases below config, a Helm chart below charts. If empty, none are generated.",
		}, text(&c.Delivery.Name, "", objectName)},
		{Key{
			Name: "delivery.namespace", Example: "shop-system",
			Doc: "Their namespace; by default the name and -system. Webhooks without a +webhook:service are reached there.",
		}, text(&c.Delivery.Namespace, "", objectName)},
		{Key{
			Name: "delivery.topology", Example: "aggregated",
			Doc: "How API servers reach the webhooks: by the Service, or through kube-aggregator, as an aggregated API declared by an APIService. kube-aggregator presents a client certificate, which the server verifies.",
		}, word(&c.Delivery.Topology, "service", "aggregated")},
		{Key{
			Name: "delivery.certificates", Example: "secret",
			Doc: "Where the server's certificate comes from: cert-manager; the server itself, which keeps it in a Secret; or a Secret of your own. The name of the Secret is delivery.name and -tls.",
		}, word(&c.Delivery.Certificates, "cert-manager", "self-managed", "secret")},
		{Key{
			Name: "delivery.callers", Example: "certificate",
			Doc: "The credential that an API server has to present to the webhooks: none, or a certificate, token or password. config/apiserver then has the files that configure the API server.",
		}, word(&c.Delivery.Callers, "nothing", "certificate", "token", "password")},
		{Key{
			Name: "delivery.caFile", Example: "config/ca.crt",
			Doc: "A PEM file with the CA certificates that signed a certificate of your own. They become the caBundle of every webhook and conversion.",
		}, text(&c.Delivery.CAFile, "", localPath)},
		{Key{
			Name: "upgrade.accepted", Example: `["version v1beta1 of orders.shop.example.com is gone [G17]: nobody has asked for it since May"]`,
			Doc: "Findings of explain upgrade that are meant: each as it is printed, with its rule, a colon, and the reason. One counts in the step that adds it, and no more once both states have it.",
		}, texts(&c.Upgrade.Accepted, nil, acceptance)},
		{Key{
			Name: "outputs", Example: "[manifests]",
			Doc: "The outputs of the markers that are generated.",
		}, words(&c.Outputs, "manifests", "handlers", "conversions", "tests", "delivery")},
	}
}

// names lists the keys allowed in the mapping whose keys have a prefix; "" is the whole file.
func names(table []key, prefix string) []string {
	var list []string
	for _, k := range table {
		rest, below := strings.CutPrefix(k.Name, prefix)
		name, _, _ := strings.Cut(rest, ".")
		if below && (len(list) == 0 || list[len(list)-1] != name) {
			list = append(list, name)
		}
	}
	return list
}
