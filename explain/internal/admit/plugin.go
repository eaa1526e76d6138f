// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/configuration"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/generic"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/namespace"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// plugin is the API server's admission plugin for webhooks of one kind, with a dispatcher that calls no webhook.
type plugin struct {
	*generic.Webhook
	source     generic.Source
	namespaces *namespace.Matcher
	authorizer *Authorizer
	dispatched bool // by the last call of Dispatch
}

// Virtual are the resources of k8s.io/kubernetes/pkg/kubeapiserver/admission/exclusion.Excluded, which cannot be
// imported. An API server of 1.37 or newer calls no webhook for them.
func Virtual() []schema.GroupResource {
	return []schema.GroupResource{
		{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"},
		{Group: "authentication.k8s.io", Resource: "tokenreviews"},
		{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"},
		{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
		{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"},
		{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"},
	}
}

// newPlugin sets up a plugin that calls no webhook.
func newPlugin(c Cluster, mutating bool) (*plugin, error) {
	p := &plugin{}
	newSource := configuration.NewValidatingWebhookConfigurationManager
	if mutating {
		newSource = configuration.NewMutatingWebhookConfigurationManager
	}
	handler := admission.NewHandler(admission.Create, admission.Update, admission.Delete, admission.Connect)
	webhooks, err := generic.NewWebhook(handler, nil,
		func(f informers.SharedInformerFactory, excluded sets.Set[schema.GroupResource]) generic.Source {
			p.source = newSource(f, excluded)
			return p.source
		},
		func(*webhookutil.ClientManager) generic.Dispatcher { return dispatcher{p} })
	if err != nil {
		return nil, err
	}
	p.Webhook = webhooks
	return p, p.initialize(c)
}

// initialize sets up a plugin as an API server does, except that it fills the informers itself, without a server.
func (p *plugin) initialize(c Cluster) error {
	client, err := kubernetes.NewForConfig(&rest.Config{}) // the namespace is in the cache, so it is never asked
	if err != nil {
		return err
	}
	known, err := c.Informers(client)
	if err != nil {
		return err
	}
	p.namespaces = &namespace.Matcher{Client: client, NamespaceLister: known.Core().V1().Namespaces().Lister()}
	p.authorizer = &Authorizer{Answer: c.Authorized}
	p.SetExternalKubeClientSet(client)
	p.SetUnconditionalAuthorizer(p.authorizer)
	if c.Version == nil || c.Version.AtLeast(version.MajorMinor(1, 37)) {
		p.SetExcludedAdmissionResources(Virtual())
		p.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	}
	return p.know(known)
}

// know gives a plugin the webhooks and namespaces of informers.
func (p *plugin) know(known informers.SharedInformerFactory) error {
	p.SetExternalKubeInformerFactory(known)
	if err := p.ValidateInitialization(); err != nil {
		return err
	}
	p.SetReadyFunc(func() bool { return true })
	return nil
}

// Informers returns informers with the cluster's objects.
func (c Cluster) Informers(client kubernetes.Interface) (informers.SharedInformerFactory, error) {
	f := informers.NewSharedInformerFactory(client, 0)
	registrations := f.Admissionregistration().V1()
	var err error
	for _, m := range c.Configurations.Mutating {
		err = errors.Join(err, registrations.MutatingWebhookConfigurations().Informer().GetIndexer().Add(m))
	}
	for _, v := range c.Configurations.Validating {
		err = errors.Join(err, registrations.ValidatingWebhookConfigurations().Informer().GetIndexer().Add(v))
	}
	if c.Namespace != nil {
		err = errors.Join(err, f.Core().V1().Namespaces().Informer().GetIndexer().Add(c.Namespace))
	}
	return f, err
}

// dispatcher takes the place of the one that calls webhooks.
type dispatcher struct{ *plugin }

func (d dispatcher) Dispatch(context.Context, admission.Attributes, admission.ObjectInterfaces, []webhook.WebhookAccessor) error {
	d.dispatched = true
	return nil
}
