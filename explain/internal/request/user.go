// SPDX-License-Identifier: Apache-2.0

package request

import (
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// User is who makes a request.
type User struct {
	// Name is empty for the administrator that kubeadm sets up.
	Name   string
	Groups []string
}

// UserInfo returns the user of a request that an API server sent.
func UserInfo(u authenticationv1.UserInfo) user.Info {
	extra := map[string][]string{}
	for key, values := range u.Extra {
		extra[key] = values
	}
	return &user.DefaultInfo{Name: u.Username, UID: u.UID, Groups: u.Groups, Extra: extra}
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
