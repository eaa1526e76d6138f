// SPDX-License-Identifier: Apache-2.0

// Package version makes the build fail when generated code and runtime do not fit each other.
//
// Every generated file that imports the runtime asserts both directions with two constants:
//
//	const (
//		_ = version.UpdateRuntimeInGoMod(version.Max - 1)
//		_ = version.RunWebhookGenAgain(1 - version.Min)
//	)
//
// Version 1 is the version of the generated code. A constant below zero overflows its type, and the compiler's message
// contains the type's name: what to do.
package version

// Min and Max are the oldest and the newest version of generated code that this runtime supports. Max grows when
// generated code starts to use something new; Min grows when the runtime drops something that generated code used.
const (
	Min = 1
	Max = 1
)

// UpdateRuntimeInGoMod is the type of a constant that overflows if the runtime is too old for the generated code. Run
// go get github.com/webhook-gen/webhook-gen/runtime with the version that webhook-gen version prints.
type UpdateRuntimeInGoMod uint

// RunWebhookGenAgain is the type of a constant that overflows if the generated code is too old for the runtime. Run
// a webhook-gen of the runtime's version.
type RunWebhookGenAgain uint
