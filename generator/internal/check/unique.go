package check

import "github.com/webhook-gen/webhook-gen/generator/internal/model"

// anotherName is what to do about two webhooks with the same name or path.
func anotherName(w *model.Webhook) string {
	if w.Kubebuilder {
		return "rename one of them"
	}
	return `give one of them a word of its own: name: "quota"`
}

// uniqueNames reports a name that stands in two objects of one kind. An API server takes that, but
// its metrics and audit annotations then do not tell the two webhooks apart. Those of a mutating and of
// a validating webhook are apart anyway, and many projects give both the same name.
func uniqueNames(p projectPass) {
	type key struct {
		mutating bool
		name     string
	}
	first := map[key]*model.Webhook{}
	for _, w := range p.Webhooks() {
		k := key{w.Mutating, w.Spec.Name}
		other, again := first[k]
		switch {
		case !again:
			first[k] = w
		case other.Configuration != w.Configuration:
			p.at(w, other, "name", "two %s webhooks are called %q", kind(w), w.Spec.Name)
		}
	}
}

func kind(w *model.Webhook) string {
	if w.Mutating {
		return "mutating"
	}
	return "validating"
}

// uniquePaths reports a path that two webhooks of one service claim: a server can register one handler for it.
func uniquePaths(p projectPass) {
	first := map[string]*model.Webhook{}
	for _, w := range p.Webhooks() {
		if w.Path() == "" {
			continue
		}
		s := w.Spec.ClientConfig.Service
		key := s.Namespace + "/" + s.Name + w.Path()
		other, again := first[key]
		switch {
		case !again:
			first[key] = w
			continue
		case other.Mutating == w.Mutating && other.Spec.Name == w.Spec.Name:
			continue // the same mistake, and reported as such
		}
		p.at(w, other, "clientConfig.service.path", "two webhooks are served at the path %s", w.Path())
	}
}
