// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// requestContext returns the context of a function. It has the values of the request's context. It ends when the API
// server stops waiting, as its timeout parameter announces, and when the API server hangs up.
//
// Stopping the server must not end it, because a function that is cut short rejects the user's request. The context of
// a request derives from the BaseContext of its http.Server. With a BaseContext, the end of the server and the end of
// the connection look alike, so neither counts: the timeout alone ends the context. That is so under
// controller-runtime, whose base is the context of the manager. Without a BaseContext, the end of the connection ends
// it, too.
//
// The caller ends the deadline, which is nil if the API server has not announced a timeout.
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
