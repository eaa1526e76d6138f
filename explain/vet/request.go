// SPDX-License-Identifier: Apache-2.0

package vet

import "fmt"

const contextRequestDoc = "report handlers that look for controller-runtime's request in their context (W33)\n\n" +
	"Only controller-runtime puts it there, and the adapters of runtime/controllerruntime do. In another handler RequestFromContext returns an error, and code that checks " +
	"permissions only if there is a request checks none."

// contextRequest is W33.
func contextRequest(h handler) string {
	if h.Ask == nil || h.Provides || h.Handwritten {
		return ""
	}
	return fmt.Sprintf("finds no request in its context (%s): read its parameter, or adapt the validator or defaulter with package controllerruntime", h.Ask)
}
