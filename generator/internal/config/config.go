// SPDX-License-Identifier: Apache-2.0

// Package config reads webhook-gen.yaml, the optional file at a module's root. With it, make, CI and //go:generate
// lines run the generator with the same settings.
//
// Every key is declared once, in keys.go. Decoding, defaults, suggestions for misspelt keys and the manual's table use
// that declaration. Decoding is strict, and reports all mistakes at once, each at its line and column.
package config

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// FileName is the name of the file, at the root of a module.
const FileName = "webhook-gen.yaml"

// Config is the content of the file, with defaults for the missing keys.
type Config struct {
	// Version is the version of the file's format.
	Version int
	// Packages are the patterns of the packages to read if the command line names none.
	Packages []string
	// Tags are build tags.
	Tags []string
	// Domain ends the names of webhooks on kinds that the project does not own; it may be empty.
	Domain string
	// MinKubernetesVersion is the oldest API server that the project supports, such as 1.34. It may be empty.
	MinKubernetesVersion diag.Sourced[string]
	// Strict turns warnings into errors.
	Strict bool
	// Kubebuilder is true if +kubebuilder:webhook markers are read.
	Kubebuilder bool
	// HeaderFile is the file with the text for the top of generated files, relative to the module's root,
	// slash-separated. It may be empty.
	HeaderFile diag.Sourced[string]
	Manifests  Manifests
	Handlers   Handlers
	Tests      Tests
	// CRDs are files, folders and globs, relative to the module's root, slash-separated.
	CRDs []string
	// Program is the folder of the program that serves the webhooks, relative to the module's root, slash-separated. It
	// is empty if the program registers them by hand.
	Program  string
	Delivery Delivery
	Upgrade  Upgrade
	// Outputs are the kinds of files to generate.
	Outputs []string
}

// Manifests sets how the webhook configurations are written.
type Manifests struct {
	// Path is relative to the module's root, slash-separated, and stays below it.
	Path string
	// AdmissionRegistration is the version of admissionregistration.k8s.io: "v1" or "v1beta1".
	AdmissionRegistration string
	// Header is true if manifests of +webhook markers begin with a line that marks them as generated.
	Header bool
	// NamePrefix begins the names of configurations without a name in a marker; it may be empty.
	NamePrefix string
	// Files are further manifests. A package's webhooks are in the first one that lists it, or else in Path.
	Files []Manifest
}

// Manifest is the manifest of some packages.
type Manifest struct {
	// Path is relative to the module's root, slash-separated, and stays below it.
	Path diag.Sourced[string]
	// Packages are patterns of packages. Folders are relative to the module's root.
	Packages []string
}

// Handlers sets where generated Go code is written.
type Handlers struct {
	// Path is the folder, relative to the module's root, slash-separated, and stays below it.
	Path string
}

// Delivery sets how the program is deployed to a cluster.
type Delivery struct {
	// Name is the name of the Deployment, the Service and the chart. If it is empty, no delivery is generated.
	Name string
	// Namespace is the namespace of these objects. If it is empty, the namespace is the name with the suffix -system.
	Namespace string
	// Topology is the way in which API servers reach the program: "service" or "aggregated".
	Topology string
	// Certificates is the source of the server's certificate.
	Certificates string
	// Callers is the credential that an API server has to present: "nothing", "certificate", "token" or "password".
	Callers string
	// CAFile is the file with the CA of the server's certificate, in PEM, relative to the module's root,
	// slash-separated. It is empty if something in the cluster provides the CA.
	CAFile string
}

// Upgrade lists the accepted effects of an upgrade to this state.
type Upgrade struct {
	// Accepted are findings as printed, each followed by a colon and the reason: "MESSAGE [G17]: REASON".
	Accepted []string
}

// Tests sets the subjects of generated tests.
type Tests struct {
	// Samples are folders, relative to the module's root, slash-separated, and stay below it.
	Samples []string
	// Integration is the folder of the test that uses a real API server, relative to the module's root,
	// slash-separated. It is empty without such a test.
	Integration string
}

// Default is the configuration of a module without the file.
func Default() Config {
	var c Config
	keys(&c)
	return c
}
