// SPDX-License-Identifier: Apache-2.0

//go:build race

package server_test

// race reports whether the race detector is on, which takes several times the memory and the time.
const race = true
