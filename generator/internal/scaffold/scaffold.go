// SPDX-License-Identifier: Apache-2.0

// Package scaffold writes what a user goes on from: a project, the types of an API, a policy. These files
// are the user's from then on. It also puts markers on types and takes them off.
package scaffold
