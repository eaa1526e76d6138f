// SPDX-License-Identifier: Apache-2.0

//go:build !race

package server_test

const race = false
