// SPDX-License-Identifier: Apache-2.0

package arguments

// Elsewhere is served by another Service, on another port, under another path.
//
// +webhook:validating(for: "v1/ConfigMap", name: elsewhere, operations: "create", decode: none, objectSelector: "topic=elsewhere",
// service: "integration-system/annex:9443", path: "/upstairs/second-door")
type Elsewhere struct{ bystander }

// Outside has no Service. The name has an address only with the proxy that the suite gives the API server.
//
// +webhook:validating(for: "v1/ConfigMap", name: outside, operations: "create", decode: none, objectSelector: "topic=outside",
// url: "https://outside.example.com:10443/outside")
type Outside struct{ bystander }

// Distrusted is served like all others, but its caBundle is of an authority that has not signed the server's
// certificate.
//
// +webhook:validating(caBundle: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJXVENCLzZBREFnRUNBZ0VCTUFvR0NDcUdTTTQ5QkFNQ01CTXhFVEFQQmdOVkJBTVRDRzV2WW05a2VTZHoKTUNBWERUSXdNREV3TVRBd01EQXdNRm9ZRHpJeE1qQXdNVEF4TURBd01EQXdXakFUTVJFd0R3WURWUVFERXdodQpiMkp2WkhrbmN6QlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJHN2FlQ0piTXRxM3N6RjBPSWtICk43aXFNLzZFa2NjMXVLemNvVWh4NjBHbCt2amFuR1d3a0VEQTVPRGxWQVhLZzQwMjRONnhNNzRXUnJ1UjByZXUKWlYyalFqQkFNQTRHQTFVZER3RUIvd1FFQXdJQ0JEQVBCZ05WSFJNQkFmOEVCVEFEQVFIL01CMEdBMVVkRGdRVwpCQlQxTHJUbHVpQVZycmdwanY5dlQza2FEWFJ4alRBS0JnZ3Foa2pPUFFRREFnTkpBREJHQWlFQXI2MjFhZVhJCmhkdXJrZDRCY2tadkNhc1BJejBtdngyNkdFOWJjZXlYZlBvQ0lRRERkb3RWSnhIbDN3TjFKVDkyRnl1aStGWGMKUk1tQ3prbW5Ka0UvZ003OUlnPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=",
// for: "v1/ConfigMap", name: distrusted, operations: "create", decode: none, objectSelector: "topic=distrusted")
type Distrusted struct{ bystander }
