package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"queue/policy"
)

func main() {
	config, _ := rest.InClusterConfig()
	config.QPS = -1
	clients, _ := kubernetes.NewForConfig(config)
	_, _ = clients, policy.Patient{}
}
