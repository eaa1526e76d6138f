// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// FrontProxy learns how kube-aggregator authenticates itself to a server of an aggregated API: the authority of its
// client certificate, and the allowed common names. An API server publishes both in the ConfigMap
// extension-apiserver-authentication of kube-system, and the Role extension-apiserver-authentication-reader lets a
// service account read it (k8s.io/kubernetes pkg/controlplane/controller/clusterauthenticationtrust). Fields must not
// change once it has started.
type FrontProxy struct {
	// AuthorityFile is the file from which the server reads the authority of the client certificate, PEM.
	AuthorityFile string
	// NamesFile is the file from which it reads the common names, one a line; * means any.
	NamesFile string
	// API is the API server. Nil means the one of the cluster that the process runs in.
	API *API
	// Interval is how often the ConfigMap is looked at. Zero means one minute.
	Interval time.Duration
	// Log receives what fails. Nil means slog.Default().
	Log *slog.Logger
}

// Start returns when both files are written, and goes on in the background until ctx is done. Until the API server
// answers, Start tries again. It returns an error only for the end of ctx, or if the configuration must change.
func (f *FrontProxy) Start(ctx context.Context) error {
	api := f.API
	if api == nil {
		var err error
		if api, err = InCluster(); err != nil {
			return fmt.Errorf("certificates: %w", err)
		}
	}
	return follow(ctx, cmp.Or(f.Log, slog.Default()), f.Interval, func(ctx context.Context) error { return f.look(ctx, api) })
}

// look reads the ConfigMap and writes the files.
func (f *FrontProxy) look(ctx context.Context, api *API) error {
	var settings corev1.ConfigMap
	if err := api.call(ctx, http.MethodGet, "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", "", nil, &settings); err != nil {
		return err
	}
	authorities := []byte(settings.Data["requestheader-client-ca-file"])
	if len(certificates(authorities)) == 0 {
		return errors.New("the API server does not say who signs kube-aggregator's certificate: it runs without --requestheader-client-ca-file")
	}
	var names []string
	if text := settings.Data["requestheader-allowed-names"]; text != "" {
		if err := json.Unmarshal([]byte(text), &names); err != nil {
			return fmt.Errorf("requestheader-allowed-names: %w", err)
		}
	}
	if len(names) == 0 {
		names = []string{"*"} // as kube-aggregator does; for the server, an empty file revokes all names
	}
	var lines strings.Builder
	for _, name := range names {
		lines.WriteString(name + "\n")
	}
	// The names first: authorities without them would let any name in.
	if err := write(f.NamesFile, []byte(lines.String())); err != nil {
		return err
	}
	return write(f.AuthorityFile, authorities)
}
