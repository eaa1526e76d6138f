// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/explain/internal/cluster"
)

// Stored returns the name of a kind's CustomResourceDefinition in the cluster of a kubeconfig file, and its
// status.storedVersions. If the cluster has no definition of the kind, both are empty.
func Stored(ctx context.Context, kubeconfig string, kind schema.GroupKind) (name string, versions []string, err error) {
	c, err := cluster.Connect(kubeconfig, "")
	if err != nil {
		return "", nil, err
	}
	definition, err := c.Definition(ctx, kind)
	if err != nil || definition == nil {
		return "", nil, err
	}
	return definition.Name, definition.Status.StoredVersions, nil
}
