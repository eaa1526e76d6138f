// SPDX-License-Identifier: Apache-2.0

// Package worlds invents APIs and lets clients use them, to find faults of generated conversions.
package worlds
