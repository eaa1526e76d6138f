// SPDX-License-Identifier: Apache-2.0

// Package serving has what handlers of reviews have in common: they read the body of a call, answer a call that is not
// answered with a review ([Problem]), and count and log what callers do wrong ([Tally]).
package serving
