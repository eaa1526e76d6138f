// Package floor runs the tests of the emitted packages as their users have them: in another
// module, from the oldest Go and k8s.io/* that are promised to the newest.
package floor
