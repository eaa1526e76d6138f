package v1

import (
	"context"

	v1 "k8s.io/api/core/v1"
)

type ConfigMapInterface interface {
	Get(ctx context.Context, name string) (*v1.ConfigMap, error)
	Update(ctx context.Context, c *v1.ConfigMap) (*v1.ConfigMap, error)
}

type CoreV1Interface interface {
	ConfigMaps(namespace string) ConfigMapInterface
}
