// Package apiserver has the API server's own code convert through our handler.
package apiserver
