package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"queue/policy"
)

func main() {
	config, _ := rest.InClusterConfig()
	clients, _ := kubernetes.NewForConfig(config) // want `this client sends 5 requests a second, and admission waits for it in Patient.ValidateCreate \(v1.ConfigMapInterface.Get at policy.go:25, through limit\)`
	_, _ = clients, policy.Patient{}
}
