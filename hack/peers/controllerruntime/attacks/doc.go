// SPDX-License-Identifier: Apache-2.0

// Package attacks sends the input of hostile users and clients: make test-attacks runs it.
//
//   - Random JSON for types with every Go kind of field is decoded as sigs.k8s.io/json decodes it.
//   - The patch of random edits is applied by the API server's engine.
//   - Hostile reviews, conversion reviews and annotations are answered in bounded time and memory.
//   - Slow, large and many connections meet server.Server and controller-runtime's server. Slow senders may cost the
//     callers of server.Server little more than the callers of the peer.
//   - A million requests leave neither memory nor goroutines behind.
//
// Random tests have fixed seeds, so that each run of the same code gives the same result. With ATTACKTIME, a duration,
// they run for that time with new seeds instead. A finding names its seed: ATTACKSEED repeats it alone.
package attacks
