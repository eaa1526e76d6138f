// Package templates holds the Go packages that webhook-gen emits into its users' projects. They
// are real packages: compiled, documented, tested and benchmarked where they stand.
package templates

import "embed"

// Admission is the package of what all generated handlers of a project share.
//
//go:embed admission/*.go
var Admission embed.FS
