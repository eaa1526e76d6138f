// SPDX-License-Identifier: Apache-2.0

// Package server serves webhooks to API servers over TLS.
//
// A [Server] reloads rotated certificates, authenticates callers, bounds the requests that it handles at once, answers
// health checks, and drains before it stops. It takes any http.Handler: the handlers of package admission, of package
// conversion, or others.
package server
