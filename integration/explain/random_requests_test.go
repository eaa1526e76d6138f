// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// recipe is a random request, without the names of a batch.
type recipe struct {
	Group       string `json:"group"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	// Version is the version in which the request is sent; Stored and the bodies of creations have v1.
	Version string `json:"version"`
	// Verb is create, update, delete, deletecollection, or the type of a patch: json, merge, strategic, apply.
	Verb      string `json:"verb"`
	User      string `json:"user"`
	Namespace string `json:"namespace"`
	// Kept requests are no dry runs.
	Kept bool `json:"kept,omitempty"`
	// Stored is the object before the request.
	Stored map[string]any `json:"stored,omitempty"`
	// Body is the object that is created, the changed part of an updated object, or the patch.
	Body any `json:"body,omitempty"`
}

// patchTypes are the types of patches by verb.
func patchTypes() map[string]types.PatchType {
	return map[string]types.PatchType{
		"json": types.JSONPatchType, "merge": types.MergePatchType, "strategic": types.StrategicMergePatchType, "apply": types.ApplyPatchType,
	}
}

// request makes a request on a subject.
func (g *grammar) request(on subject) recipe {
	r := recipe{
		Group: on.group, Resource: on.resource, Subresource: on.subresource, Version: pick(g, on.versions...), User: pick(g, "ann", "root", "mallory"),
		Namespace: pick(g, "policies-prod", "policies-dev", "policies-plain"), Kept: g.IntN(4) == 0,
	}
	verbs := []string{"create", "create", "create", "update", "update", "update", "delete", "deletecollection", "json", "json", "merge", "merge", "apply"}
	if on.subresource != "" {
		verbs = []string{"update", "update", "json", "merge", "apply"}
	}
	if on.kind == "Deployment" {
		verbs = append(verbs, "strategic", "strategic")
	}
	r.Verb = pick(g, verbs...)
	g.features[r.Verb+" "+on.String()]++
	if r.Version != "v1" {
		g.features["another version"]++
	}
	if r.Kept {
		g.features["no dry run"]++
	}
	if r.Verb == "create" || r.Verb == "apply" && on.subresource == "" && g.IntN(3) == 0 {
		r.Body = g.object(on)
		if r.Verb == "create" && g.generates {
			metadata := r.Body.(map[string]any)["metadata"].(map[string]any)
			delete(metadata, "name")
			metadata["generateName"] = pick(g, batchName+"-", "g-")
			g.features["generateName"]++
		}
		if r.Verb == "apply" {
			g.features["creation by apply"]++
			r.Body = withoutNulls(r.Body)
		}
		return r
	}
	r.Stored = withoutNulls(g.object(on)).(map[string]any)
	if on.subresource == "status" {
		r.Stored["status"] = withoutNulls(g.status(on))
	}
	switch {
	case r.Verb == "delete" || r.Verb == "deletecollection":
	case on.subresource != "":
		r.Body = g.changesOf(on, r.Verb)
	case r.Verb == "update":
		r.Body = g.object(on)
	case r.Verb == "json":
		r.Body = g.jsonPatch(on)
	default:
		patch := g.object(on)
		metadata := patch["metadata"].(map[string]any)
		delete(metadata, "name")
		if r.Verb == "apply" {
			patch = withoutNulls(patch).(map[string]any)
		} else {
			delete(patch, "apiVersion")
			delete(patch, "kind")
		}
		r.Body = patch
	}
	return r
}

// changesOf are the changes of a request on a subresource.
func (g *grammar) changesOf(on subject, verb string) any {
	var body map[string]any
	switch {
	case on.subresource == "scale" && verb == "json":
		return []any{map[string]any{"op": pick(g, "add", "replace"), "path": "/spec/replicas", "value": int64(g.IntN(6))}}
	case on.subresource == "scale":
		body = map[string]any{"spec": map[string]any{"replicas": int64(g.IntN(6))}}
	case verb == "json":
		return []any{map[string]any{"op": "add", "path": "/status/replicas", "value": int64(g.IntN(6))}}
	default:
		body = map[string]any{"status": g.status(on)}
	}
	if verb == "apply" {
		body = withoutNulls(body).(map[string]any)
	}
	return body
}

func (g *grammar) status(on subject) map[string]any {
	if on.kind == "Deployment" {
		status := map[string]any{"replicas": int64(3 + g.IntN(3))}
		if g.IntN(2) == 0 {
			status["readyReplicas"] = int64(g.IntN(3))
		}
		if g.IntN(2) == 0 {
			status["conditions"] = []any{map[string]any{"type": "Available", "status": pick(g, "True", "False")}}
		}
		return status
	}
	return g.some(map[string]func() any{
		"replicas": func() any { return int64(g.IntN(5)) }, "phase": func() any { return pick(g, "Ready", "a", "") },
		"note": func() any { return g.word() }, "seen": func() any { return pick(g, []any{}, []any{g.word(), "a"}) },
	})
}

func (g *grammar) word() any {
	return pick[any](g, "a", "b-c", "", "10Mi", "192.168.0.1", "ä", "1.2.3", "abc")
}

// some returns a part of an object's fields. Some are null.
func (g *grammar) some(fields map[string]func() any) map[string]any {
	object := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		switch g.IntN(5) {
		case 0:
		case 1:
			if g.IntN(3) == 0 {
				object[field] = nil
				g.features["null"]++
			}
		default:
			object[field] = fields[field]()
		}
	}
	return object
}

// object makes a random object of a subject's stored kind.
func (g *grammar) object(on subject) map[string]any {
	metadata := map[string]any{"name": batchName + "-name", "labels": map[string]any{"random": batchName}}
	switch g.IntN(8) {
	case 0:
		metadata["annotations"] = pick[any](g, nil, map[string]any{}, map[string]any{"a": g.word()})
	case 1:
		metadata["finalizers"] = pick[any](g, nil, []any{})
	case 2:
		metadata["ownerReferences"] = pick[any](g, nil, []any{})
	case 3:
		metadata["labels"].(map[string]any)["team"] = "a"
	case 4:
		metadata["unknown"] = int64(1)
	}
	if on.kind == "Deployment" {
		return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": g.deployment()}
	}
	object := map[string]any{"apiVersion": "random.example.com/v1", "kind": "Gadget", "metadata": metadata}
	if g.IntN(10) > 0 {
		object["spec"] = g.gadget()
	}
	return object
}

func (g *grammar) gadget() map[string]any {
	fields := map[string]func() any{
		"replicas": func() any { return int64(g.IntN(5)) }, "count": func() any { return int64(g.IntN(9) - 3) },
		"ratio": func() any { return pick[any](g, 0.25, 1.5, int64(3)) }, "active": func() any { return g.IntN(2) == 0 }, "name": g.word,
		"maybe": func() any { return pick(g, nil, g.word()) }, "address": g.word, "memory": func() any { return pick[any](g, int64(5), "10Mi", "x", "500m") },
		"words":   func() any { return pick(g, []any{}, []any{g.word()}, []any{g.word(), g.word(), g.word()}) },
		"numbers": func() any { return pick(g, []any{}, []any{int64(1), int64(g.IntN(4))}) },
		"options": func() any {
			return pick(g, map[string]any{}, map[string]any{"a": g.word()}, map[string]any{"a": g.word(), "b/c": g.word()})
		},
		"template": func() any {
			g.features["embedded resource"]++
			return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": pick(g, map[string]any{"name": "t"}, map[string]any{"labels": map[string]any{}},
				map[string]any{"labels": nil, "annotations": map[string]any{"a": "b"}}, map[string]any{"finalizers": []any{}, "unknown": "x"},
				map[string]any{"labels": map[string]any{"a": "b"}, "creationTimestamp": nil}), "spec": pick[any](g, nil, map[string]any{"nodeName": nil})}
		},
		"items": func() any {
			return pick(g, []any{}, []any{map[string]any{"name": "a"}}, []any{map[string]any{"name": "a", "size": int64(4)}, map[string]any{"name": "b"}},
				[]any{map[string]any{"name": "b", "size": nil}})
		},
		"unknown": func() any { return map[string]any{"a": int64(1)} },
	}
	return g.some(fields)
}

func (g *grammar) deployment() map[string]any {
	container := func(name string, port int) any {
		fields := map[string]func() any{
			"command": func() any { return pick(g, []any{}, []any{"a", "b-c"}) }, "imagePullPolicy": func() any { return pick(g, "Always", "Never") },
			"resources": func() any {
				return pick(g, map[string]any{}, map[string]any{"limits": map[string]any{"memory": pick(g, "10Mi", "2Gi", "1024Mi")}})
			},
			"ports": func() any { return pick(g, []any{}, []any{map[string]any{"containerPort": int64(port + g.IntN(3))}}) },
			"env":   func() any { return []any{map[string]any{"name": "a", "value": g.word()}} },
		}
		c := g.some(fields)
		c["name"], c["image"] = name, pick(g, "a", "b:1", "c:latest")
		return c
	}
	containers := []any{container("a", 8080)}
	if g.IntN(2) == 0 {
		containers = append(containers, container("b", 9090))
	}
	pod := g.some(map[string]func() any{
		"hostNetwork": func() any { return g.IntN(2) == 0 }, "securityContext": func() any { return map[string]any{} },
		"nodeSelector": func() any { return pick(g, map[string]any{}, map[string]any{"a": "b"}) }, "serviceAccountName": func() any { return "default" },
		"volumes": func() any { return []any{map[string]any{"name": "v", "emptyDir": map[string]any{}}} },
	})
	pod["containers"] = containers
	spec := g.some(map[string]func() any{
		"replicas": func() any { return int64(g.IntN(5)) }, "minReadySeconds": func() any { return int64(g.IntN(3)) }, "paused": func() any { return g.IntN(2) == 0 },
		"strategy": func() any {
			return pick(g, map[string]any{}, map[string]any{"type": "Recreate"}, map[string]any{"type": "RollingUpdate"})
		},
		"revisionHistoryLimit": func() any { return int64(g.IntN(4)) },
	})
	spec["selector"] = map[string]any{"matchLabels": map[string]any{"app": "a"}}
	spec["template"] = map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "a"}}, "spec": pod}
	return spec
}

// jsonPatch makes a JSON patch. Some have an operation that fails.
func (g *grammar) jsonPatch(on subject) any {
	op := func(op, path string, value ...any) any {
		o := map[string]any{"op": op, "path": path}
		if len(value) > 0 {
			o["value"] = value[0]
		}
		return o
	}
	if on.kind == "Deployment" {
		return pick(g,
			[]any{op("add", "/spec/replicas", int64(g.IntN(5)))}, []any{op("remove", "/spec/replicas")}, []any{op("add", "/metadata/labels/team", "a")},
			[]any{op("replace", "/spec/template/spec/containers/0/image", "d"), op("test", "/kind", "Deployment")},
			[]any{op("add", "/spec/template/spec/containers/-", map[string]any{"name": "c", "image": "c"})}, []any{op("remove", "/spec/strategy")})
	}
	return pick(g,
		[]any{op("add", "/spec", g.gadget())}, []any{op("add", "/spec/name", g.word()), op("test", "/spec/name", "a")}, []any{op("remove", "/spec")},
		[]any{op("add", "/spec/items", []any{map[string]any{"name": "n"}})}, []any{op("replace", "/spec/replicas", nil)}, []any{op("remove", "/spec/replicas")},
		[]any{map[string]any{"op": "copy", "from": "/spec/words", "path": "/spec/more"}}, []any{map[string]any{"op": "move", "from": "/spec/name", "path": "/spec/address"}},
		[]any{op("add", "/metadata/labels/team", "a")}, []any{op("add", "/spec/unknown", map[string]any{})}, []any{op("add", "/spec/words/-", g.word())},
		[]any{op("add", "/metadata/annotations", map[string]any{})}, []any{op("add", "/spec/count", int64(4)), op("add", "/spec/maybe", nil)})
}

// withoutNulls returns a copy of a value without nulls, which applied objects lack.
func withoutNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		clean := map[string]any{}
		for key, member := range v {
			if member != nil && key != "unknown" {
				clean[key] = withoutNulls(member)
			}
		}
		return clean
	case []any:
		clean := []any{}
		for _, item := range v {
			clean = append(clean, withoutNulls(item))
		}
		return clean
	}
	return value
}
