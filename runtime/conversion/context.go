// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// patience is how long an API server waits for a conversion webhook
// (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, newWebhookConverter).
const patience = 30 * time.Second

// requestContext returns the context for conversions. It has the values of the request's context. It ends when the API
// server stops waiting, after its timeout parameter or [patience], and when the API server hangs up.
//
// A server that is told to stop must not end the context, because an object that is not converted cannot be read. The
// context of a request derives from the BaseContext of its http.Server. With a BaseContext, the end of the server and
// the end of the connection look alike, so both are ignored: the timeout alone ends the context. This is the case under
// controller-runtime, whose BaseContext is the context of the manager. Without a BaseContext, only the connection can
// end the request's context.
func requestContext(r *http.Request, start time.Time) (context.Context, context.CancelFunc, error) {
	ctx := r.Context()
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok && server.BaseContext != nil {
		ctx = context.WithoutCancel(ctx)
	}
	timeout := patience
	if announced := r.URL.Query().Get("timeout"); announced != "" {
		var err error
		if timeout, err = time.ParseDuration(announced); err != nil {
			return nil, nil, fmt.Errorf("the timeout parameter is no duration such as 10s: %w", err)
		}
	}
	ctx, cancel := context.WithDeadline(ctx, start.Add(timeout))
	return ctx, cancel, nil
}
