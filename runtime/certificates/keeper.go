// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Keeper keeps the certificates of one server. Fields must not change once it has started.
type Keeper struct {
	// Secret is the Secret of the certificates, as namespace/name.
	Secret string
	// Service is the name of the server's Service, in the namespace of the Secret.
	Service string
	// Objects are the objects with the authority of the certificate, as resource/name:
	// "validatingwebhookconfigurations/shop", "mutatingwebhookconfigurations/shop",
	// "customresourcedefinitions/orders.shop.example.com", "apiservices/v1.shop.shop-system.svc". A missing object is
	// skipped until it exists.
	Objects []string
	// CertFile and KeyFile are the files from which the server reads its certificate and key, PEM.
	CertFile, KeyFile string
	// API is the API server. Nil means the one of the cluster that the process runs in.
	API *API
	// Interval is how often all of it is looked at. Zero means one minute.
	Interval time.Duration
	// Now tells the time. Nil means time.Now.
	Now func() time.Time
	// Log receives renewals and failures. Nil means slog.Default().
	Log *slog.Logger
}

// Start returns when the files have the certificate and the existing objects have its authority. It goes on in the
// background until ctx is done. Until the API server answers, Start tries again. It returns an error only for the end
// of ctx, or if the configuration must change.
func (k *Keeper) Start(ctx context.Context) error {
	namespace, name, ok := strings.Cut(k.Secret, "/")
	if !ok || namespace == "" || name == "" || k.Service == "" {
		return fmt.Errorf("certificates: secret %q and service %q: want namespace/name and a name", k.Secret, k.Service)
	}
	targets, err := targetsOf(k.Objects)
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	api := k.API
	if api == nil {
		if api, err = InCluster(); err != nil {
			return fmt.Errorf("certificates: %w", err)
		}
	}
	round := round{
		Keeper: k, api: api, namespace: namespace, name: name, targets: targets,
		log: cmp.Or(k.Log, slog.Default()), now: k.Now,
	}
	if round.now == nil {
		round.now = time.Now
	}
	return follow(ctx, round.log, k.Interval, round.run)
}

// round is one look at everything.
type round struct {
	*Keeper
	api             *API
	namespace, name string
	targets         []target
	log             *slog.Logger
	now             func() time.Time
}

// run brings the Secret, the files and the objects up to date. When a replica serves a certificate, its authority has
// been published.
func (r *round) run(ctx context.Context) error {
	held, err := r.renew(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range r.targets {
		changed, err := t.inject(ctx, r.api, r.namespace, r.Service, held.authorities())
		if err != nil {
			failed = append(failed, err)
		}
		if changed {
			r.log.Info("updated caBundle", "object", t.String())
		}
	}
	failed = append(failed, write(r.CertFile, held.data[certKey]), write(r.KeyFile, held.data[keyKey]))
	return errors.Join(failed...)
}

// renew reads the Secret and renews certificates that are due. If another replica is quicker, its certificates count.
func (r *round) renew(ctx context.Context) (*held, error) {
	names := []string{r.Service + "." + r.namespace + ".svc", r.Service + "." + r.namespace + ".svc.cluster.local"}
	const attempts = 5
	for attempt := 1; ; attempt++ {
		secret, err := readSecret(ctx, r.api, r.namespace, r.name)
		if err != nil {
			return nil, err
		}
		now, what, err := next(secret.Data, names, r.now())
		if err != nil {
			return nil, err
		}
		if what == "" {
			return now, nil
		}
		secret.Data = now.data
		err = secret.write(ctx, r.api)
		if err == nil {
			r.log.Info("renewed", "what", what, "until", now.leaf.NotAfter.UTC().Format(time.RFC3339))
			return now, nil
		}
		if !isConflict(err) || attempt == attempts {
			return nil, err
		}
	}
}
