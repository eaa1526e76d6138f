// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Label marks every object that a session has created or changed. Its value is the session's ID.
	Label = "webhook-gen.github.io/dev"
	// sessionAnnotation has the session of a marked object, as JSON.
	sessionAnnotation = "webhook-gen.github.io/dev-session"
	// previousAnnotation has the former state of a changed object. A marked object without it was created by the session.
	previousAnnotation = "webhook-gen.github.io/dev-previous"
	// fieldManager is the field manager of every change.
	fieldManager = "webhook-gen-dev"
	// sessionPath is the path at which a session answers with its ID.
	sessionPath = "/.webhook-gen-dev"
)

// session is a run of dev, as it describes itself in the objects that it changes.
type session struct {
	ID        string    `json:"id"`
	Module    string    `json:"module"`
	Host      string    `json:"host"`
	Process   int       `json:"process"`
	Since     time.Time `json:"since"`
	Listen    string    `json:"listen"`
	Advertise string    `json:"advertise"`
	Authority string    `json:"authority"` // PEM
}

func newSession(o Options, authority []byte) (session, error) {
	host, err := os.Hostname()
	if err != nil {
		return session{}, err
	}
	return session{
		ID: rand.Text(), Module: o.Module, Host: host, Process: os.Getpid(), Since: time.Now().UTC().Truncate(time.Second),
		Listen: o.Listen, Advertise: o.Advertise, Authority: string(authority),
	}, nil
}

// sessionOf returns the session that has marked an object. Only the ID is known if the annotation is not one of ours.
func sessionOf(o object) session {
	var s session
	if err := json.Unmarshal([]byte(o.Annotations[sessionAnnotation]), &s); err != nil {
		s = session{}
	}
	s.ID = o.Labels[Label]
	return s
}

// mark marks an object as one of the session.
func (s session) mark(o *metav1.ObjectMeta) {
	text, _ := json.Marshal(s) // texts, a number and the present always marshal
	metav1.SetMetaDataLabel(o, Label, s.ID)
	metav1.SetMetaDataAnnotation(o, sessionAnnotation, string(text))
}

func (s session) String() string {
	return fmt.Sprintf("dev of %s on %s, process %d, since %s", s.Module, s.Host, s.Process, s.Since.Local().Format(time.DateTime))
}

// url is the address that the session writes into the objects of the cluster.
func (s session) url() string { return "https://" + s.Advertise }

// trust returns the settings of a client that trusts the session's certificate, and no other. With a damaged session it
// trusts no server.
func (s session) trust() *tls.Config {
	host, _, _ := net.SplitHostPort(s.Advertise)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(s.Authority))
	return &tls.Config{RootCAs: roots, ServerName: host}
}

// transport connects to an address as the session's. Each call has a connection of its own: the next one may be for
// another program.
func (s session) transport(address func(context.Context) (string, error)) *http.Transport {
	return &http.Transport{
		TLSClientConfig: s.trust(),
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			to, err := address(ctx)
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", to)
		},
		DisableKeepAlives: true,
	}
}

// here reports that the session ran on this machine. A machine that does not know its name is another one.
func (s session) here() bool {
	host, err := os.Hostname()
	return err == nil && host == s.Host
}

// runs reports that a session of this machine still runs: a session holds its address until the cluster is restored,
// and answers there with its ID. Any error means that it has ended.
func (s session) runs(ctx context.Context) bool {
	listen := func(context.Context) (string, error) { return s.Listen, nil }
	client := http.Client{Transport: s.transport(listen), Timeout: 5 * time.Second}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+sessionPath, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	id, err := io.ReadAll(io.LimitReader(response.Body, 100))
	return err == nil && string(id) == s.ID
}
