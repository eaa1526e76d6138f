// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// elsewhere returns the replacement of a flag of kubebuilder or of another command of this program. It is empty if
// nothing is known of the flag.
func elsewhere(command, flag string) string {
	const (
		fixed = "generated files are replaced, and files of yours never are: leave it out"
		types = "the type and its package are always written: leave it out"
	)
	flags := map[string]string{
		"webhook-gen create webhook --defaulting":              "write --mutating",
		"webhook-gen create webhook --programmatic-validation": "write --validating",
		"webhook-gen create webhook --validation":              "write --validating",
		"webhook-gen create webhook --verbs":                   "write --operations",
		"webhook-gen create webhook --subresource":             `add the argument to the marker, for example subresource: "status"`,
		"webhook-gen create webhook --defaulting-path":         `add the argument to the marker, for example path: "/mutate-orders"`,
		"webhook-gen create webhook --validation-path":         `add the argument to the marker, for example path: "/validate-orders"`,
		"webhook-gen create webhook --external-api-domain":     "write the group in full: --group cert-manager.io",
		"webhook-gen create webhook --external-api-module":     "write --external-api-path, and run go get for the module",
		"webhook-gen create webhook --resource":                "write the kind: --kind Order",
		"webhook-gen create webhook --force":                   fixed,
		"webhook-gen create api --force":                       fixed,
		"webhook-gen create api --resource":                    types,
		"webhook-gen create api --controller":                  "webhook-gen writes no controllers: leave it out",
		"webhook-gen create api --namespaced":                  "for a cluster-scoped kind, write +kubebuilder:resource:scope=Cluster above its type",
		"webhook-gen create api --external-api-path":           "a kind of another module needs no type: write webhook-gen create webhook --external-api-path",
		"webhook-gen create api --external-api-domain":         "a kind of another module needs no type: write webhook-gen create webhook with the group in full",
		"webhook-gen init --repo":                              "write --module",
		"webhook-gen init --project-name":                      "write --name",
		"webhook-gen init --owner":                             "name a file in webhook-gen.yaml: headerFile: hack/boilerplate.go.txt",
		"webhook-gen init --license":                           "name a file in webhook-gen.yaml: headerFile: hack/boilerplate.go.txt",
		"webhook-gen init --fetch-deps":                        "write --skip-tidy to fetch nothing",
		"webhook-gen edit --multigroup":                        "each group has a folder of its own in api as soon as there are two: there is nothing to set",
		"webhook-gen generate --header-file":                   "name the file in webhook-gen.yaml: headerFile: hack/boilerplate.go.txt",
		"webhook-gen generate --manifests":                     "write --output, or name the file in webhook-gen.yaml: manifests: {path: config/webhook/manifests.yaml}",
	}
	every := map[string]string{
		"plural":  "write +kubebuilder:resource:path=orders above the type",
		"make":    "webhook-gen generates by itself: leave it out",
		"plugins": "webhook-gen has no plugins: leave it out",
	}
	name := command + " --" + flag
	if strings.HasPrefix(name, "webhook-gen --") {
		name = "webhook-gen generate --" + flag
	}
	if text, ok := flags[name]; ok {
		return text
	}
	return every[flag]
}

// argumentElsewhere returns the replacement of an argument of controller-gen.
func argumentElsewhere(argument string) string {
	name, value, ok := strings.Cut(argument, "=")
	switch {
	case argument == "webhook" || argument == "webhook:" || ok && strings.HasPrefix(name, "webhook:"):
		return "write webhook-gen generate"
	case ok && name == "paths":
		return "packages are arguments: write webhook-gen generate " + strings.ReplaceAll(value, ";", " ")
	case ok && strings.HasPrefix(name, "output:") && !strings.HasPrefix(name, "output:crd"):
		return "the manifest is a file: write --output " + strings.TrimSuffix(value, "/") + "/manifests.yaml"
	case argument == "crd" || argument == "rbac" || argument == "object" || strings.HasPrefix(argument, "crd:") || strings.HasPrefix(argument, "rbac:") ||
		strings.HasPrefix(argument, "object:") || strings.HasPrefix(name, "output:crd"):
		return "controller-gen has this generator: run controller-gen for it"
	case argument == "edit":
		return "edit webhook-gen.yaml, whose keys docs/reference/configuration.md lists"
	}
	return ""
}

// checkWords reports words of a command line that are written as in another tool or another program: dashes that a word
// processor made, arguments of controller-gen, and separators of markers in flags.
func checkWords(c *cobra.Command, arguments []string) (err error) {
	for _, a := range arguments {
		if rest := strings.TrimLeft(a, "–—−"); rest != a {
			return fmt.Errorf("%q begins with a dash that is no hyphen: write --%s", a, strings.TrimLeft(rest, "-"))
		}
		if text := argumentElsewhere(a); text != "" && strings.ContainsAny(a, "=:") {
			return fmt.Errorf("%q is an argument of controller-gen: %s", a, text)
		}
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		values, ok := f.Value.(pflag.SliceValue)
		if !ok || err != nil || f.Name == "file" || f.Name == "policies" { // files have any name
			return
		}
		words := strings.FieldsFunc(strings.Join(values.GetSlice(), ","), func(r rune) bool { return strings.ContainsRune(",; ", r) })
		if strings.ContainsAny(strings.Join(values.GetSlice(), ""), "; ") {
			err = fmt.Errorf("commas alone separate the values of --%s: write --%[1]s %s", f.Name, strings.Join(words, ","))
		}
	})
	return err
}

// shorthand returns the flag that one hyphen was written for, as flags of Go programs may have.
func shorthand(c *cobra.Command, err *pflag.NotExistError) string {
	name, _, _ := strings.Cut(err.GetSpecifiedShortnames(), "=")
	if len(name) > 1 && c.Flags().Lookup(name) != nil {
		return name
	}
	return ""
}

// instead returns the replacement of an unknown flag: of one with a hyphen too few, or of another tool.
func instead(c *cobra.Command, err *pflag.NotExistError) string {
	if name := shorthand(c, err); name != "" {
		return "write --" + name
	}
	return elsewhere(c.CommandPath(), err.GetSpecifiedName())
}
