// SPDX-License-Identifier: Apache-2.0

// Package program has commands that run inside a program of webhooks, with its own validators and defaulters. The main
// of new projects has a type program, and so imports this package under another name. It calls [Run] before it reads
// its flags:
//
//	import commands "github.com/webhook-gen/webhook-gen/runtime/program"
//
//	if code, ran := commands.Run(context.Background(), os.Args[1:], newWebhooks().Register); ran {
//		os.Exit(code)
//	}
//
// The last argument registers the webhooks. Programs without newWebhooks pass the method of their package of handlers,
// or a function that calls several:
//
//	commands.Run(ctx, os.Args[1:], webhookv1.Webhooks{Order: &OrderWebhook{}}.Register)
//
// The command scan tries a rule before it is enforced. It sends stored objects, or objects of YAML files, to the
// webhooks as dry-run creations, and lists the objects that they refuse:
//
//	webhook scan --context staging
//	webhook scan -f config/samples --output json
//
// The command convert prints manifests in another version of their API, by the conversions of the program. Comments
// stay where their field stays, no annotation is written, and values that this version cannot hold are listed:
//
//	webhook convert -f orders.yaml --to v2
//
// The command migrate writes stored objects back in the storage version of their CustomResourceDefinition, and then
// removes the other versions from status.storedVersions:
//
//	webhook migrate --context staging
//
// The command conversion serves a new version once the conversion webhook answers for all stored objects, goes back,
// and shows what is stored, served and answered:
//
//	webhook conversion on --version v2
//
// The command wait creates objects in dry runs until the API server reaches the webhooks. A Job of charts runs it, so
// that objects can follow as later hooks:
//
//	webhook wait -f config/samples/order.yaml
//
// This module imports client-go, which the other modules of the runtime do not. Require client-go in the version of
// k8s.io/api.
package program
