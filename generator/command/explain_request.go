// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/webhook-gen/webhook-gen/explain"
	"github.com/webhook-gen/webhook-gen/explain/project"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

func explainRequestCommand(s streams) *cobra.Command {
	flags := runFlags{format: "text"} // findings are for people; --format applies to the answer
	var request explain.Options
	c := &cobra.Command{
		Use:   "request",
		Short: "Show everything that happens to a request: policies and webhooks in the API server's order, verdicts, changes",
		Long: "request runs the API server's own code.\n\n" +
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
			described := &project.Project{}
			var err error
			if !c.Flags().Changed("configurations") && !c.Flags().Changed("context") && !c.Flags().Changed("kubeconfig") {
				var diags diag.List
				if described, diags, err = inspect.Describe(c.Context(), config); err != nil {
					return err
				}
				if err := flags.report(s, config.Dir, diags); err != nil {
					return err
				}
			}
			request.Dir = config.Dir
			request.Collection = c.Flags().Changed("name") && request.Name == ""
			from(flags.Dir, &request)
			if request.Refused, err = inspect.RefusedPolicies(request.Configurations); err != nil {
				return err
			}
			return explain.Request(c.Context(), s.out, request, described)
		}),
	}
	c.Flags().StringVarP(&flags.Dir, "directory", "C", "", "run as if started in this folder")
	c.Flags().StringSliceVar(&flags.Tags, "tags", nil, "build tags, comma-separated")
	addRequest(c.Flags(), &request)
	complete(c, "operation", "CREATE", "UPDATE", "DELETE", "CONNECT")
	complete(c, "authorizer", "allow", "deny")
	complete(c, "field-validation", "Strict", "Warn", "Ignore")
	addWord(c, &request.Format, "format", "text", "form of the answer: text or json", "text", "json")
	return c
}

// from makes the relative paths of a request relative to a folder, unless that is empty.
func from(dir string, o *explain.Options) {
	if dir == "" {
		return
	}
	for _, path := range []*string{&o.Filename, &o.OldFile, &o.Kubeconfig, &o.WebhooksCA} {
		if *path != "" {
			*path = absolute(dir, *path)
		}
	}
	for _, list := range [][]string{o.Configurations, o.CRDs, o.Params} {
		for i := range list {
			list[i] = absolute(dir, list[i])
		}
	}
}

// addRequest adds the flags that describe a request and its surroundings.
func addRequest(flags *pflag.FlagSet, o *explain.Options) {
	text := func(value *string, name, short, usage string) { flags.StringVarP(value, name, short, "", usage) }
	list := func(value *[]string, name, short, usage string) {
		flags.StringArrayVarP(value, name, short, nil, usage)
	}
	text(&o.Filename, "filename", "f", "file of the object that is sent or, for a DELETE, deleted; or of an AdmissionReview, which needs no other flags")
	text(&o.OldFile, "old", "", "file of the object before an UPDATE (default the object itself)")
	text(&o.Operation, "operation", "", "CREATE, UPDATE, DELETE or CONNECT (default UPDATE with --old, else CREATE)")
	text(&o.Resource, "resource", "", "the resource as kubectl names it, deployments or deployments.v1.apps, if it does not follow from the object's kind")
	text(&o.Subresource, "subresource", "", "status, scale, eviction, exec, ...")
	text(&o.Namespace, "namespace", "n", "namespace of the request (default the object's)")
	text(&o.Options.Name, "name", "", "name of the object (default the object's); empty for a DELETE of a collection, of which the object is an item")
	text(&o.NamespaceLabels, "namespace-labels", "", "labels of the namespace, as environment=prod,team=a (default its name alone, or the cluster's)")
	text(&o.User.Name, "as", "", "user, as kubectl's --as (default an administrator)")
	list(&o.User.Groups, "as-group", "", "a group of the user; repeatable")
	text(&o.FieldValidation, "field-validation", "", "the API server's answer to unknown and duplicate fields: Strict, Warn or Ignore (default Warn, the API server's default)")
	flags.BoolVar(&o.DryRun, "dry-run", false, "the request is a dry run")
	text(&o.Authorizer, "authorizer", "", "the authorizer's answer in expressions: allow or deny (default undecided)")
	list(&o.Configurations, "configurations", "c", "file or folder of webhook configurations, policies and params, in place of the project's; repeatable")
	list(&o.Params, "params", "", "file or folder of objects that are params of policies; repeatable")
	text(&o.Webhooks, "webhooks", "", "URL of a running program that answers for the webhooks, as https://127.0.0.1:9443; each is called at its path")
	text(&o.WebhooksCA, "webhooks-ca", "", "file of the program's certificate, or of its authority (default the system's, and the webhook's caBundle)")
	list(&o.CRDs, "crds", "", "file or folder of CustomResourceDefinitions besides the project's; repeatable")
	text(&o.Context, "context", "", "context of a cluster whose configurations, policies, params, resources and namespaces are asked for, in place of the project's")
	text(&o.Kubeconfig, "kubeconfig", "", "kubeconfig file of the cluster (default kubectl's)")
	text(&o.KubeVersion, "kube-version", "", "version of Kubernetes, as 1.34 (default the newest known, or the cluster's)")
	flags.BoolVar(&o.CalledOnly, "called-only", false, "leave out webhooks and policies that are skipped")
}
