// Package beside compares our handler with controller-runtime's, in processor time and in memory.
package beside
