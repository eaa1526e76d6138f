// SPDX-License-Identifier: Apache-2.0

// Package certificates lets a webhook server keep its certificates itself, where nothing else in the cluster does.
//
// A [Keeper] holds an authority and a serving certificate in a Secret that all replicas share, writes the certificate
// to the files that the server reads, and writes who signs it, caBundle, into the objects that name the server's
// Service: webhook configurations, CustomResourceDefinitions with a conversion, and APIServices. A [FrontProxy] writes
// who calls the server of an aggregated API to the files by which the server knows its callers.
//
// # Rotation
//
// A serving certificate lives 90 days and is renewed after 60. An authority lives a year. After eight months a new one
// is made and trusted beside the old one, in the Secret and in every caBundle; only a day later does it sign. The old
// one is trusted until it ends. So there is no moment at which an API server trusts an authority that a replica's
// certificate is not from, however late either of them looks.
//
// It talks to the API server with net/http alone. What a service account needs for it is to get and update the Secret,
// to create Secrets in its namespace, and to get and patch the objects.
package certificates
