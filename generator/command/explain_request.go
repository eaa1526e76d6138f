// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

func explainRequestCommand(s streams) *cobra.Command {
	flags := runFlags{format: "text"} // findings are for people; --format applies to the answer
	var request requestFlags
	companion := companion{own: s.origin}
	c := &cobra.Command{
		Use:   "request",
		Short: "Show everything that happens to a request: policies and webhooks in the API server's order, verdicts, changes",
		Long: "request runs the API server's own code, in the command webhook-gen-explain. webhook-gen runs the one\n" +
			"beside itself, or one in PATH outside the project; if it finds neither, request prints the command that installs it.\n\n" +
			"The configurations and policies are generated from the project's markers, or read with -c or from a cluster.\n" +
			"Policies are evaluated. With --webhooks, a running program answers for the webhooks; otherwise their verdicts are\n" +
			"unknown, and the answer shows what that leaves open. No code of the project is run, and no cluster is changed.",
		Example: "  webhook-gen explain request -f order.yaml\n" +
			"  webhook-gen explain request -f order.yaml --old before.yaml --namespace-labels environment=prod --as system:serviceaccount:shop:robot\n" +
			"  webhook-gen explain request --operation CONNECT --resource pods --subresource exec --name web-0 -n shop\n" +
			"  webhook-gen explain request -f review.json -c manifests.yaml\n" +
			"  webhook-gen explain request -f pod.yaml --context production\n" +
			"  webhook-gen explain request -f order.yaml --webhooks https://127.0.0.1:9443 --webhooks-ca tls.crt",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := flags.config(nil)
			if err != nil {
				return err
			}
			arguments := append([]string{"request"}, request.arguments(c)...)
			var project any
			if !request.otherConfigurations(c) {
				described, diags := inspect.Describe(c.Context(), config)
				if err := flags.report(s, config.Dir, diags); err != nil {
					return err
				}
				project, arguments = described, append(arguments, "--project")
			}
			return companion.run(c.Context(), s.out, config.Dir, arguments, project)
		},
	}
	c.Flags().StringVarP(&flags.dir, "directory", "C", "", "run as if started in this folder")
	c.Flags().StringSliceVar(&flags.tags, "tags", nil, "build tags, comma-separated")
	request.add(c)
	companion.add(c)
	complete(c, "operation", "CREATE", "UPDATE", "DELETE", "CONNECT")
	complete(c, "authorizer", "allow", "deny")
	complete(c, "format", "text", "json")
	return c
}

// requestFlags are the flags that the companion accepts.
type requestFlags struct {
	texts              map[string]*string
	lists              map[string]*[]string
	dryRun, calledOnly bool
}

func (f *requestFlags) add(c *cobra.Command) {
	f.texts, f.lists = map[string]*string{}, map[string]*[]string{}
	flags := c.Flags()
	text := func(name, short, usage string) { f.texts[name] = flags.StringP(name, short, "", usage) }
	list := func(name, short, usage string) { f.lists[name] = flags.StringArrayP(name, short, nil, usage) }
	text("filename", "f", "file of the object that is sent or, for a DELETE, deleted; or of an AdmissionReview, which says all the rest itself")
	text("old", "", "file of the object before an UPDATE (default the object itself)")
	text("operation", "", "CREATE, UPDATE, DELETE or CONNECT (default UPDATE with --old, else CREATE)")
	text("resource", "", "the resource as kubectl names it, deployments or deployments.v1.apps, where the object's kind does not say it")
	text("subresource", "", "status, scale, eviction, exec, ...")
	text("namespace", "n", "namespace of the request (default the object's)")
	text("name", "", "name of the object (default the object's)")
	text("namespace-labels", "", "labels of the namespace, as environment=prod,team=a (default its name alone, or what the cluster says)")
	text("as", "", "user, as kubectl's --as (default an administrator)")
	list("as-group", "", "a group of the user; repeatable")
	flags.BoolVar(&f.dryRun, "dry-run", false, "the request is a dry run")
	text("authorizer", "", "the authorizer's answer in expressions: allow or deny (default undecided)")
	list("configurations", "c", "file or folder of webhook configurations, policies and params, in place of the project's; repeatable")
	list("params", "", "file or folder of objects that are params of policies; repeatable")
	text("webhooks", "", "URL of a running program that answers for the webhooks, as https://127.0.0.1:9443; each is called at its path")
	text("webhooks-ca", "", "file of the program's certificate, or of its authority (default the system's, and the webhook's caBundle)")
	list("crds", "", "file or folder of CustomResourceDefinitions besides the project's; repeatable")
	text("context", "", "context of a cluster whose configurations, policies, params, resources and namespaces are asked for, in place of the project's")
	text("kubeconfig", "", "kubeconfig file of the cluster (default kubectl's)")
	text("kube-version", "", "version of Kubernetes, as 1.34 (default the newest known, or the cluster's)")
	flags.BoolVar(&f.calledOnly, "called-only", false, "leave out webhooks and policies that are skipped")
	text("format", "", "form of the answer: text (default) or json")
}

// otherConfigurations reports whether the configurations come from elsewhere than the project.
func (f *requestFlags) otherConfigurations(c *cobra.Command) bool {
	return c.Flags().Changed("configurations") || c.Flags().Changed("context") || c.Flags().Changed("kubeconfig")
}

// arguments are the flags that are set, for the companion.
func (f *requestFlags) arguments(c *cobra.Command) []string {
	var arguments []string
	for name, value := range f.texts {
		if c.Flags().Changed(name) {
			arguments = append(arguments, fmt.Sprintf("--%s=%s", name, *value))
		}
	}
	for name, values := range f.lists {
		for _, value := range *values {
			arguments = append(arguments, fmt.Sprintf("--%s=%s", name, value))
		}
	}
	if f.dryRun {
		arguments = append(arguments, "--dry-run")
	}
	if f.calledOnly {
		arguments = append(arguments, "--called-only")
	}
	return arguments
}
