// SPDX-License-Identifier: Apache-2.0

package check

import "github.com/webhook-gen/webhook-gen/generator/internal/model"

const servicePath = "clientConfig.service.path"

// anotherName is the advice for two webhooks with the same name or path. A path follows from the name unless a marker
// has it.
func anotherName(w *model.Webhook, field string) string {
	switch {
	case field == servicePath && (w.Kubebuilder || w.At[servicePath].IsValid()):
		return "give one of them another path"
	case w.Kubebuilder:
		return "rename one of them"
	}
	return `give one of them a word of its own: name: "quota"`
}

// uniqueNames reports a name used in two objects of one kind. An API server accepts it, but its metrics and audit
// annotations then mix up the two webhooks. They do distinguish a mutating from a validating webhook, and many projects
// give both the same name.
func uniqueNames(p projectPass) {
	first := map[string]*model.Webhook{}
	for _, w := range p.Webhooks() {
		key := model.KindWord(w.Mutating) + " " + w.Spec.Name
		other, again := first[key]
		switch {
		case !again:
			first[key] = w
		case other.Configuration != w.Configuration:
			p.at(w, other, "name", "two %s webhooks are called %q", model.KindWord(w.Mutating), w.Spec.Name)
		}
	}
}

// uniquePaths reports a path that two webhooks of one service claim. It allows a path at which one handler can answer
// both.
func uniquePaths(p projectPass) {
	claims := map[string][]*model.Webhook{}
	for _, w := range p.Webhooks() {
		if w.Path() == "" {
			continue
		}
		s := w.Spec.ClientConfig.Service
		key := s.Namespace + "/" + s.Name + w.Path()
		for _, other := range claims[key] {
			if !isSameMistake(w, other) && !isOneHandler(w, other) {
				p.at(w, other, servicePath, "two webhooks are served at the path %s", w.Path())
				break
			}
		}
		claims[key] = append(claims[key], w)
	}
}

// isSameMistake reports whether two webhooks have the same name. The finding about the name also covers their paths.
func isSameMistake(w, other *model.Webhook) bool {
	return w.Mutating == other.Mutating && w.Spec.Name == other.Spec.Name
}

// isOneHandler reports whether one handler answers two webhooks: a generated one, or one of the project's own that can.
func isOneHandler(w, other *model.Webhook) bool {
	return w.Handler == other.Handler && (w.Handler != nil || w.CanShare(other))
}
