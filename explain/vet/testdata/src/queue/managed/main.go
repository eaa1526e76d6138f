package main

import (
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"

	"queue/policy"
)

func main() {
	clients, _ := kubernetes.NewForConfig(ctrl.GetConfigOrDie())
	_, _ = clients, policy.Patient{}
}
