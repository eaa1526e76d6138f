// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
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
	id := make([]byte, 8)
	if _, err := rand.Read(id); err != nil {
		return session{}, err
	}
	return session{
		ID: hex.EncodeToString(id), Module: o.Module, Host: host, Process: os.Getpid(), Since: time.Now().UTC().Truncate(time.Second),
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

// annotation is the session as JSON.
func (s session) annotation() string {
	text, _ := json.Marshal(s) // texts, a number and the present always marshal
	return string(text)
}

func (s session) String() string {
	return fmt.Sprintf("dev of %s on %s, process %d, since %s", s.Module, s.Host, s.Process, s.Since.Local().Format(time.DateTime))
}

// url is the address that the session writes into the objects of the cluster.
func (s session) url() string { return "https://" + s.Advertise }

// trust returns the settings of a client that trusts the session's certificate, and no other.
func (s session) trust() *tls.Config {
	host, _, _ := net.SplitHostPort(s.Advertise) // certify has split it, too
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(s.Authority))
	return &tls.Config{RootCAs: roots, ServerName: host}
}

// here reports that the session ran on this machine.
func (s session) here() bool {
	host, err := os.Hostname()
	return err == nil && host == s.Host
}

// runs reports that a session of this machine still runs: a session holds its address until the cluster is restored,
// and answers there with its ID.
func (s session) runs(ctx context.Context) bool {
	transport := &http.Transport{
		TLSClientConfig: s.trust(),
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", s.Listen)
		},
	}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+sessionPath, nil)
	if err != nil {
		return false
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	id, err := io.ReadAll(io.LimitReader(response.Body, 100))
	return err == nil && string(id) == s.ID
}
