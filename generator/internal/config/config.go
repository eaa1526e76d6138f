// SPDX-License-Identifier: Apache-2.0

// Package config reads webhook-gen.yaml, the optional file at a module's root by which make,
// CI and //go:generate lines run the generator alike.
//
// Every key is declared once, in keys.go: decoding, defaults, suggestions for misspelt keys and
// the manual's table come from there. Decoding is strict, and reports all mistakes at once, each
// at its line and column.
package config

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// FileName is the name of the file, at the root of a module.
const FileName = "webhook-gen.yaml"

// Config is what the file says, with defaults in place of what it leaves out.
type Config struct {
	// Version is that of the file's format.
	Version int
	// Packages are the patterns of the packages to read where the command line names none.
	Packages []string
	// Tags are build tags.
	Tags []string
	// Domain ends the names of webhooks on kinds that are not the project's own; it may be empty.
	Domain string
	// Strict makes errors of warnings.
	Strict bool
	// Kubebuilder says whether +kubebuilder:webhook markers are read.
	Kubebuilder bool
	// HeaderFile is the text at the top of files.
	HeaderFile HeaderFile
	Manifests  Manifests
	Handlers   Handlers
	Tests      Tests
	// CRDs are files, folders and globs, relative to the module's root, slash-separated.
	CRDs []string
	// Program is the folder of the program that serves the webhooks, relative to the module's root,
	// slash-separated; empty where it registers them by hand.
	Program  string
	Delivery Delivery
	Upgrade  Upgrade
	// Outputs are the kinds of files to generate.
	Outputs []string
}

// HeaderFile names the file of a text that is put at the top of files.
type HeaderFile struct {
	// Path is relative to the module's root, slash-separated; empty for none.
	Path string
	// Place is that of the path in webhook-gen.yaml.
	Place diag.Range
}

// Manifests says how the webhook configurations are written.
type Manifests struct {
	// Path is relative to the module's root, slash-separated, and stays below it.
	Path string
	// AdmissionRegistration is the version of admissionregistration.k8s.io: "v1" or "v1beta1".
	AdmissionRegistration string
	// Header says whether manifests of +webhook markers begin with the line that marks them as generated.
	Header bool
	// NamePrefix begins the names of configurations that no marker names; it may be empty.
	NamePrefix string
}

// Handlers says where generated Go code goes.
type Handlers struct {
	// Path is the folder, relative to the module's root, slash-separated, and stays below it.
	Path string
	// Runtime says where generated code has the runtime from: "import" or "vendor".
	Runtime string
}

// Delivery says how the program gets into a cluster.
type Delivery struct {
	// Name is that of the Deployment, the Service and the chart; empty where nothing of it is generated.
	Name string
	// Namespace is where they go; empty means the name and -system.
	Namespace string
	// Topology says how API servers reach it: "service" or "aggregated".
	Topology string
	// Certificates says where the server's certificate comes from.
	Certificates string
	// Callers says what an API server has to present: "nothing", "certificate", "token" or "password".
	Callers string
	// CAFile holds who signs it, in PEM: relative to the module's root, slash-separated; empty where
	// something in the cluster says it.
	CAFile string
}

// Upgrade says what of a step to this state is meant.
type Upgrade struct {
	// Accepted are findings as they are printed, each with a colon and the reason: "MESSAGE [G17]: REASON".
	Accepted []string
}

// Tests says what generated tests are about.
type Tests struct {
	// Samples are folders, relative to the module's root, slash-separated, and stay below it.
	Samples []string
	// Integration is the folder of the test that asks a real API server, relative to the module's root,
	// slash-separated; empty for none.
	Integration string
}

// Default is the configuration of a module without the file.
func Default() Config {
	var c Config
	keys(&c)
	return c
}
