package check

import "github.com/webhook-gen/webhook-gen/generator/internal/model"

// anotherName is what to do about two webhooks with the same name or path.
func anotherName(w *model.Webhook) string {
	if w.Kubebuilder {
		return "rename one of them"
	}
	return `give one of them a word of its own: name: "quota"`
}

// uniqueNames reports a name that stands in two objects. An API server takes that, but its
// metrics, audit annotations and messages then do not tell the two apart.
func uniqueNames(p projectPass) {
	first := map[string]*model.Webhook{}
	for _, w := range p.Webhooks() {
		other, again := first[w.Spec.Name]
		switch {
		case !again:
			first[w.Spec.Name] = w
		case other.Configuration != w.Configuration || other.Mutating != w.Mutating:
			p.at(w, other, "name", "two webhooks are called %q", w.Spec.Name)
		}
	}
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
		case other.Spec.Name == w.Spec.Name:
			continue // the same mistake, and reported as such
		}
		p.at(w, other, "clientConfig.service.path", "two webhooks are served at the path %s", w.Path())
	}
}
