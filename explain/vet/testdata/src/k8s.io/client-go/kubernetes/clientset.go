package kubernetes

import (
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

type Interface interface {
	CoreV1() corev1.CoreV1Interface
	AuthorizationV1() authorizationv1.AuthorizationV1Interface
}

func NewForConfig(c *rest.Config) (Interface, error) { return nil, nil }
