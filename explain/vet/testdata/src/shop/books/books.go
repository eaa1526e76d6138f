// Package books is code that handlers call, and that is not theirs.
package books

import (
	"context"

	"k8s.io/client-go/kubernetes"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func Enter(ctx context.Context, c client.Client, name string) error {
	return write(ctx, c, name)
}

func write(ctx context.Context, c client.Client, name string) error {
	return c.Create(ctx, &corev1.ConfigMap{Name: name})
}

func Try(ctx context.Context, c client.Client, name string) error {
	return c.Create(ctx, &corev1.ConfigMap{Name: name}, client.DryRunAll)
}

func Read(ctx context.Context, c client.Client, name string) error {
	return c.Get(ctx, name, &corev1.ConfigMap{})
}

func Limit(ctx context.Context, c kubernetes.Interface) error {
	_, err := c.CoreV1().ConfigMaps("shop").Get(ctx, "limit")
	return err
}
