// SPDX-License-Identifier: Apache-2.0

// Package certificates lets a webhook server keep its own certificates, in clusters where nothing else keeps them.
//
// A [Keeper] holds an authority and a serving certificate in a Secret that all replicas share, and writes the
// certificate to the files that the server reads. It writes the authority, as caBundle, into the objects that name the
// server's Service: webhook configurations, CustomResourceDefinitions with a conversion, and APIServices. A
// [FrontProxy] writes the callers of an aggregated API's server to the files by which the server authenticates its
// callers.
//
// # Rotation
//
// A serving certificate lives 90 days and is renewed after 60. An authority lives a year. After eight months a new one
// is made and trusted beside the old one, in the Secret and in every caBundle; only a day later does it sign. The old
// one is trusted until it ends. So an API server always trusts the authority of a replica's certificate, however late
// either of them looks.
//
// The package talks to the API server with net/http alone. Its service account needs permission to get and update the
// Secret, to create Secrets in its namespace, and to get and patch the objects.
package certificates
