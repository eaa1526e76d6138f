// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// requestContext returns the context that a policy gets: with the values of the request's, ending when the API server
// stops waiting, which its timeout parameter announces, and when it hangs up.
//
// That a server is told to stop must not end it, for a policy that is cut short then rejects what the user asked. The
// context of a request derives from the BaseContext of its http.Server. Where there is one, the end of the server and
// the end of the connection look alike, so neither counts: the timeout alone ends the context. That is so under
// controller-runtime, whose base is the context of the manager. Without a BaseContext only the connection can end it.
//
// The caller ends the deadline, which is nil if no timeout has been announced.
func requestContext(r *http.Request, start time.Time) (context.Context, *deadline, error) {
	ctx := r.Context()
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok && server.BaseContext != nil {
		ctx = context.WithoutCancel(ctx)
	}
	announced, ok := timeoutOf(r.URL.RawQuery)
	if !ok {
		return ctx, nil, nil
	}
	timeout, err := time.ParseDuration(announced)
	if err != nil {
		return nil, nil, fmt.Errorf("the timeout parameter is no duration such as 10s: %w", err)
	}
	d := &deadline{parent: ctx, at: start.Add(timeout)}
	return d, d, nil
}

// timeoutOf returns the timeout parameter of a query.
func timeoutOf(query string) (string, bool) {
	for query != "" {
		var parameter string
		parameter, query, _ = strings.Cut(query, "&")
		if value, ok := strings.CutPrefix(parameter, "timeout="); ok {
			return value, true
		}
	}
	return "", false
}
