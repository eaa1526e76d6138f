// SPDX-License-Identifier: Apache-2.0

package config

import "strings"

// Key is a key of the file with its documentation and the field that it sets.
type Key struct {
	// Name is the key's full name: "manifests.path". Example is a value in YAML.
	Name, Example string
	variable
	Doc string
}

// Docs documents all keys, in the recommended order for a file.
func Docs() []Key { return keys(new(Config)) }

// keys declares every key of the file. Like package flag, it sets each field of the configuration to its default and
// binds the key to the field.
func keys(c *Config) []Key {
	return []Key{
		{"version", "1", version(&c.Version),
			"The version of this file's format, which is 1."},
		{"packages", `["./api/...", "./internal/webhook/external"]`, texts(&c.Packages, []string{"./..."}, notEmpty),
			"Patterns of the packages to read if the command line names none: folders, import paths, and ... as in the go command."},
		{"tags", "[integration]", texts(&c.Tags, nil, buildTag),
			"Build tags under which the packages are read."},
		{"domain", "example.com", text(&c.Domain, "", subdomain),
			"The project's domain. It ends the names of webhooks on kinds that are not the project's own, such as Pods."},
		{"minKubernetesVersion", `"1.34"`, positioned(&c.MinKubernetesVersion, kubernetesVersion),
			"The oldest API server that the project supports. CEL expressions have to compile there: API servers compile new expressions with what the version before them has. " +
				"If empty: 1.36 with a mutating policy that replaces no webhook, else 1.30, which also goes for matchConditions of webhooks. In Chart.yaml, kubeVersion is at least this version."},
		{"strict", "true", truth(&c.Strict, false),
			"Warnings are errors, as with --strict."},
		{"kubebuilder", "false", truth(&c.Kubebuilder, true),
			"Whether +kubebuilder:webhook markers are read. false leaves them to controller-gen, in a project that keeps running it. A kustomization.yaml is then written beside the manifest."},
		{"headerFile", "hack/boilerplate.go.txt", positioned(&c.HeaderFile, localPath),
			"A text file, such as a licence header, whose text is put at the top of every Go and YAML file that is generated or created: relative to this file, with slashes, inside the module. " +
				"A manifest of +kubebuilder markers alone or with manifests.header: false, and CustomResourceDefinitions of controller-gen stay without it, but keep comments above their first document."},
		{"manifests.path", "deploy/webhooks.yaml", text(&c.Manifests.Path, "config/webhook/manifests.yaml", manifestPath),
			"The file that the webhook configurations are written to: relative to this file, with slashes, inside the module, .yaml or .yml."},
		{"manifests.admissionregistration", "v1beta1", word(&c.Manifests.AdmissionRegistration, "v1", "v1beta1"),
			"The version of admissionregistration.k8s.io to write. v1beta1 is for clusters before Kubernetes 1.16; 1.22 no longer serves it."},
		{"manifests.header", "false", truth(&c.Manifests.Header, true),
			"Whether a manifest with webhooks of +webhook markers begins with a line that marks it as generated, and contains the defaults of API servers. Without that, the manifest is the one that controller-gen would write, and is not removed when its last marker goes."},
		{"manifests.namePrefix", "shop-", text(&c.Manifests.NamePrefix, "", namePrefix),
			"The prefix of the names of the configuration objects that no +webhook:configuration names. By default delivery.name and -, if that is set."},
		{"manifests.files", `[{path: config/edge/manifests.yaml, packages: ["./internal/webhook/edge/..."]}]`, manifests(&c.Manifests.Files),
			"Further manifests, for a module with several programs or kustomize components: a list of path and packages. Packages are read with those of packages. " +
				"The webhooks and policies of a package are in the first manifest that lists it, and in manifests.path if none does. Each manifest needs a folder of its own."},
		{"handlers.path", "pkg/webhooks", text(&c.Handlers.Path, "internal/webhook", localPath),
			"The folder for the handlers of API packages. Relative to this file, with slashes, inside the module."},
		{"crds", "[config/crd/bases]", texts(&c.CRDs, nil, localPattern),
			"Files, folders and globs of the CustomResourceDefinitions that controller-gen writes: relative to this file, with slashes, inside the module. " +
				"If set, spec.conversion of each kind with a conversion is written into them instead of a patch for kustomize."},
		{"tests.samples", "[config/samples, docs/examples]", texts(&c.Tests.Samples, []string{"config/samples"}, localPath),
			"Folders of objects that users would create, as YAML: generated tests check that the webhooks allow them, and that an API server refuses those in folders named denied. Relative to this file, with slashes, inside the module."},
		{"tests.integration", "test/webhook", text(&c.Tests.Integration, "", localPath),
			"The folder of a test in which a real API server calls the webhooks, with controller-runtime's envtest: relative to this file, with slashes, inside the module. It becomes a module of its own. If empty, no such test is generated."},
		{"program", "cmd/webhook", text(&c.Program, "", localPath),
			"The folder of the program that serves the webhooks: relative to this file, with slashes, inside the module. zz_generated.webhooks.go is generated there, " +
				"in the package of the folder. Its newWebhooks().Register(handle) registers every webhook of the project, later ones included."},
		{"delivery.name", "shop", text(&c.Delivery.Name, "", objectName),
			"The name of the Deployment, the Service and the chart that deploy the program: kustomize bases below config, a Helm chart below charts. If empty, none are generated."},
		{"delivery.namespace", "shop-system", text(&c.Delivery.Namespace, "", objectName),
			"Their namespace; by default the name and -system. Webhooks without a +webhook:service are reached there."},
		{"delivery.topology", "aggregated", word(&c.Delivery.Topology, "service", "aggregated"),
			"How API servers reach the webhooks: by the Service, or through kube-aggregator, as an aggregated API declared by an APIService. kube-aggregator presents a client certificate, which the server verifies."},
		{"delivery.certificates", "secret", word(&c.Delivery.Certificates, "cert-manager", "self-managed", "secret"),
			"Where the server's certificate comes from: cert-manager; the server itself, which keeps it in a Secret; or a Secret of your own. The name of the Secret is delivery.name and -tls."},
		{"delivery.callers", "certificate", word(&c.Delivery.Callers, "nothing", "certificate", "token", "password"),
			"The credential that an API server has to present to the webhooks: none, or a certificate, token or password. config/apiserver then has the files that configure the API server."},
		{"delivery.caFile", "config/ca.crt", text(&c.Delivery.CAFile, "", localPath),
			"A PEM file with the CA certificates that signed a certificate of your own. They become the caBundle of every webhook and conversion."},
		{"upgrade.accepted", `["version v1beta1 of orders.shop.example.com is gone [G17]: nobody has asked for it since May"]`, texts(&c.Upgrade.Accepted, nil, acceptance),
			"Findings of explain upgrade that are meant: each as it is printed, with its rule, a colon, and the reason. One counts in the step that adds it, and no more once both states have it."},
		{"outputs", "[manifests]", words(&c.Outputs, "manifests", "handlers", "conversions", "tests", "delivery"),
			"The outputs of the markers that are generated."},
	}
}

// names lists the keys allowed in the mapping whose keys have a prefix; "" is the whole file.
func names(table []Key, prefix string) []string {
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
