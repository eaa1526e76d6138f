// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// aggregated also serves webhooks as an aggregated API, if the field Aggregated is set: below /apis, the group and the
// version, with the discovery documents of both. An API server treats an APIService as available only while the
// version's document is there (k8s.io/kube-aggregator pkg/controllers/status/remote,
// availableConditionController.sync).
func (s *Server) aggregated(webhooks http.Handler) http.Handler {
	if s.Aggregated == "" {
		return webhooks
	}
	group, version, _ := strings.Cut(s.Aggregated, "/")
	known := metav1.GroupVersionForDiscovery{GroupVersion: s.Aggregated, Version: version}
	described := metav1.APIGroup{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"},
		Name:     group, Versions: []metav1.GroupVersionForDiscovery{known}, PreferredVersion: known,
	}
	listed := described
	listed.TypeMeta = metav1.TypeMeta{}
	documents := map[string]http.Handler{
		"/apis": document(metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{listed},
		}),
		"/apis/" + group: document(described),
		"/apis/" + s.Aggregated: document(metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: s.Aggregated, APIResources: s.resources(),
		}),
	}
	prefix := "/apis/" + s.Aggregated
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch known := documents[r.URL.Path]; {
		case known != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			known.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, prefix+"/"):
			http.StripPrefix(prefix, webhooks).ServeHTTP(w, r)
		default:
			webhooks.ServeHTTP(w, r)
		}
	})
}

// resources returns the webhooks as an API server lists them: reviews can be created, and nothing else.
func (s *Server) resources() []metav1.APIResource {
	resources := []metav1.APIResource{}
	for _, path := range s.paths {
		name := strings.Trim(path, "/")
		resources = append(resources, metav1.APIResource{Name: name, SingularName: name, Kind: "Review", Verbs: metav1.Verbs{"create"}})
	}
	return resources
}

// document answers with an object, as JSON.
func document(object any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// The objects are metav1's own, and a caller that hangs up wants no answer.
		_ = json.NewEncoder(w).Encode(object)
	})
}

// isGroupVersion reports whether a text is a group with a version.
func isGroupVersion(text string) bool {
	gv, err := schema.ParseGroupVersion(text)
	return err == nil && gv.Group != "" && gv.Version != ""
}
