// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// API is an API server.
type API struct {
	// URL is its address, as https://10.0.0.1:443.
	URL string
	// Client trusts it.
	Client *http.Client
	// Token returns the bearer token to present. Nil means none: the client presents a certificate.
	Token func() (string, error)
}

// InCluster is the API server of the cluster that the process runs in, as a pod finds it.
func InCluster() (*API, error) {
	const folder = "/var/run/secrets/kubernetes.io/serviceaccount/"
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, errors.New("this is no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set")
	}
	authorities, err := os.ReadFile(folder + "ca.crt")
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authorities) {
		return nil, errors.New(folder + "ca.crt holds no certificate")
	}
	return &API{
		URL:    "https://" + net.JoinHostPort(host, port),
		Client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}},
		Token: func() (string, error) { // the kubelet renews it
			token, err := os.ReadFile(folder + "token")
			return string(bytes.TrimSpace(token)), err
		},
	}, nil
}

// statusError is an answer of the API server with a code other than success.
type statusError struct {
	code         int
	method, path string
	Message      string `json:"message"`
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s %s: %d: %s", e.method, e.path, e.code, e.Message)
}

// isConflict reports whether something else has written the object meanwhile.
func isConflict(err error) bool {
	var s *statusError
	return errors.As(err, &s) && s.code == http.StatusConflict
}

func isNotFound(err error) bool {
	var s *statusError
	return errors.As(err, &s) && s.code == http.StatusNotFound
}

// call sends an object, if there is one, and decodes the answer into another object.
func (a *API) call(ctx context.Context, method, path, contentType string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.URL+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	if a.Token != nil {
		token, err := a.Token()
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := a.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		failure := &statusError{code: response.StatusCode, method: method, path: path}
		if json.Unmarshal(text, failure) != nil {
			failure.Message = string(text)
		}
		return failure
	}
	return json.Unmarshal(text, answer)
}
