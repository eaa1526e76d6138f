// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

func explainRequestCommand(s streams) *cobra.Command {
	flags := runFlags{format: "text"} // findings are for people; --format applies to the answer
	request := requestFlags()
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
		RunE: flags.with(func(c *cobra.Command, config engine.Config, _ []string) error {
			q := question{inspect.Description{Version: 1}, membersOf(request)}
			if !request.Changed("configurations") && !request.Changed("context") && !request.Changed("kubeconfig") {
				described, diags := inspect.Describe(c.Context(), config)
				if err := flags.report(s, config.Dir, diags); err != nil {
					return err
				}
				q.Description = described
			}
			return companion.run(c.Context(), s.out, config.Dir, "request", q)
		}),
	}
	c.Flags().StringVarP(&flags.Dir, "directory", "C", "", "run as if started in this folder")
	c.Flags().StringSliceVar(&flags.Tags, "tags", nil, "build tags, comma-separated")
	c.Flags().AddFlagSet(request)
	companion.add(c)
	complete(c, "operation", "CREATE", "UPDATE", "DELETE", "CONNECT")
	complete(c, "authorizer", "allow", "deny")
	complete(c, "format", "text", "json")
	return c
}

// question is a project, and the flags and arguments by their names.
type question struct {
	inspect.Description
	Request map[string]any `json:"request"`
}

// requestFlags declares the flags that the companion gets.
func requestFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("request", pflag.ContinueOnError)
	text := func(name, short, usage string) { flags.StringP(name, short, "", usage) }
	list := func(name, short, usage string) { flags.StringArrayP(name, short, nil, usage) }
	text("filename", "f", "file of the object that is sent or, for a DELETE, deleted; or of an AdmissionReview, which needs no other flags")
	text("old", "", "file of the object before an UPDATE (default the object itself)")
	text("operation", "", "CREATE, UPDATE, DELETE or CONNECT (default UPDATE with --old, else CREATE)")
	text("resource", "", "the resource as kubectl names it, deployments or deployments.v1.apps, if it does not follow from the object's kind")
	text("subresource", "", "status, scale, eviction, exec, ...")
	text("namespace", "n", "namespace of the request (default the object's)")
	text("name", "", "name of the object (default the object's)")
	text("namespace-labels", "", "labels of the namespace, as environment=prod,team=a (default its name alone, or the cluster's)")
	text("as", "", "user, as kubectl's --as (default an administrator)")
	list("as-group", "", "a group of the user; repeatable")
	flags.Bool("dry-run", false, "the request is a dry run")
	text("authorizer", "", "the authorizer's answer in expressions: allow or deny (default undecided)")
	list("configurations", "c", "file or folder of webhook configurations, policies and params, in place of the project's; repeatable")
	list("params", "", "file or folder of objects that are params of policies; repeatable")
	text("webhooks", "", "URL of a running program that answers for the webhooks, as https://127.0.0.1:9443; each is called at its path")
	text("webhooks-ca", "", "file of the program's certificate, or of its authority (default the system's, and the webhook's caBundle)")
	list("crds", "", "file or folder of CustomResourceDefinitions besides the project's; repeatable")
	text("context", "", "context of a cluster whose configurations, policies, params, resources and namespaces are asked for, in place of the project's")
	text("kubeconfig", "", "kubeconfig file of the cluster (default kubectl's)")
	text("kube-version", "", "version of Kubernetes, as 1.34 (default the newest known, or the cluster's)")
	flags.Bool("called-only", false, "leave out webhooks and policies that are skipped")
	text("format", "", "form of the answer: text (default) or json")
	return flags
}

// membersOf returns the flags that are set, by their names, as JSON has them.
func membersOf(flags *pflag.FlagSet) map[string]any {
	members := map[string]any{}
	flags.VisitAll(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case !f.Changed:
		case isList:
			members[f.Name] = list.GetSlice()
		case f.Value.Type() == "bool":
			members[f.Name] = f.Value.String() == "true"
		default:
			members[f.Name] = f.Value.String()
		}
	})
	return members
}
