// SPDX-License-Identifier: Apache-2.0

// Package controllerruntime connects generated webhooks with validators and defaulters that are written for
// controller-runtime.
//
// [FromValidator] and [FromDefaulter] make existing code fit the generated interfaces:
//
//	webhookv1.Webhooks{Job: controllerruntime.FromValidator(&JobValidator{})}.Register(mgr.GetWebhookServer().Register)
//
// The code gets what controller-runtime gives it: RequestFromContext of its package admission finds the request, and
// FromContext of its package log finds a logger with object, namespace, name, resource, user and requestID. An error
// with a status keeps it, and any other is 403 Forbidden. Panics are denied with 500; the handler logs them with their
// stack.
//
// [ToValidator] and [ToDefaulter] make a validator or defaulter of typed requests fit controller-runtime's builder,
// as its Validator[*T] and Defaulter[*T]. Nothing makes them fit the deprecated CustomValidator and CustomDefaulter.
package controllerruntime
