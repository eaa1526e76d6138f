// SPDX-License-Identifier: Apache-2.0

package serving

import "context"

type failuresKey struct{}

// WithFailures returns a context for tests. The error of a failed call goes to a function in place of the log.
func WithFailures(ctx context.Context, failed func(error)) context.Context {
	return context.WithValue(ctx, failuresKey{}, failed)
}

// Failures returns the function of a context for failed calls; nil if they are logged.
func Failures(ctx context.Context) func(error) {
	failed, _ := ctx.Value(failuresKey{}).(func(error))
	return failed
}
