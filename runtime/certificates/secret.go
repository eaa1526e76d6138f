// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// secret is the Secret that all replicas share.
type secret struct{ corev1.Secret }

// readSecret reads the Secret; a missing one is empty.
func readSecret(ctx context.Context, api *API, namespace, name string) (*secret, error) {
	s := &secret{}
	err := api.call(ctx, http.MethodGet, "/api/v1/namespaces/"+namespace+"/secrets/"+name, "", nil, &s.Secret)
	if isNotFound(err) {
		s.Secret = corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Type:       corev1.SecretTypeTLS,
		}
		return s, nil
	}
	return s, err
}

// write creates or updates the Secret. It returns a conflict if another replica has been quicker.
func (s *secret) write(ctx context.Context, api *API) error {
	path, method := "/api/v1/namespaces/"+s.Namespace+"/secrets", http.MethodPost
	if s.ResourceVersion != "" {
		path, method = path+"/"+s.Name, http.MethodPut
	}
	return api.call(ctx, method, path, "application/json", &s.Secret, &s.Secret)
}
