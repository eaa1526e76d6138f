// SPDX-License-Identifier: Apache-2.0

package request

import (
	"slices"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// User is who makes a request.
type User struct {
	// Name is empty for the administrator that kubeadm sets up.
	Name   string   `json:"as"`
	Groups []string `json:"as-group"`
}

// info adds the groups that every user without explicit groups has, as impersonation does
// (k8s.io/apiserver/pkg/endpoints/filters/impersonation).
func (u User) info() user.Info {
	info := &user.DefaultInfo{Name: u.Name, Groups: slices.Clone(u.Groups)}
	if u.Name == "" {
		info.Name = "kubernetes-admin"
		if len(u.Groups) == 0 {
			info.Groups = []string{user.SystemPrivilegedGroup}
		}
	}
	if namespace, _, err := serviceaccount.SplitUsername(u.Name); err == nil && len(u.Groups) == 0 {
		info.Groups = serviceaccount.MakeGroupNames(namespace)
	}
	everybody := user.AllAuthenticated
	if u.Name == user.Anonymous {
		everybody = user.AllUnauthenticated
	}
	if !slices.Contains(info.Groups, everybody) {
		info.Groups = append(info.Groups, everybody)
	}
	return info
}
