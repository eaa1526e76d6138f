// Package templates holds the Go packages that webhook-gen emits into its users' projects. They
// are real packages: compiled, documented, tested and benchmarked where they stand.
package templates

import "embed"

// Path is the import path of this folder, which emitted packages that import each other have to be rid of.
const Path = "github.com/webhook-gen/webhook-gen/templates"

// Admission is the package of what all generated handlers of a project share, and below it the
// package for tests of policies.
//
//go:embed admission/*.go admission/admissiontest/*.go
var Admission embed.FS

// Conversion is the package of what all generated conversions of a project share, and below it the
// package that tests them.
//
//go:embed conversion/*.go conversion/conversiontest/*.go
var Conversion embed.FS

// Wire is the package by which both of these read and write JSON.
//
//go:embed wire/*.go
var Wire embed.FS

// Certificates is the package with which a server keeps its certificates itself.
//
//go:embed certificates/*.go
var Certificates embed.FS

// Project is what a new project and its parts begin with: text templates whose actions stand in [[ ]].
// "dot_" begins the name of a file or folder that begins with a dot, and ".tmpl" ends that of every file.
//
//go:embed project
var Project embed.FS
