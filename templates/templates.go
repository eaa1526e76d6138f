// SPDX-License-Identifier: Apache-2.0

// Package templates holds the text templates of the files that webhook-gen writes into its users' projects.
package templates

import "embed"

// Project is the content of a new project and its parts: text templates with actions in [[ ]].
// A file or folder name with "dot_" in front gets a dot instead, and every file name ends with ".tmpl".
//
//go:embed project
var Project embed.FS

// RuntimePath is the import path of the runtime module.
const RuntimePath = "github.com/webhook-gen/webhook-gen/runtime"

// IntegrationPath is the import path of the module with the test on a real API server.
const IntegrationPath = RuntimePath + "/integrationtest"
