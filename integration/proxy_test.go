// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
)

// proxy is the API server's proxy to the outside: for any host, the webhooks answer.
type proxy struct {
	listener net.Listener
	target   string

	mu     sync.Mutex
	wanted []string
}

// startProxy starts a proxy that leads to one address.
func startProxy(target string) (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, target: target}
	go http.Serve(listener, p)
	return p, nil
}

func (p *proxy) url() string { return "http://" + p.listener.Addr().String() }

func (p *proxy) close() { p.listener.Close() }

// hosts are the hosts and ports that were wanted.
func (p *proxy) hosts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.wanted)
}

// ServeHTTP implements the method CONNECT.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "CONNECT alone", http.StatusMethodNotAllowed)
		return
	}
	p.mu.Lock()
	p.wanted = append(p.wanted, r.Host)
	p.mu.Unlock()
	out, err := net.Dial("tcp", p.target)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer out.Close()
	in, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer in.Close()
	io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		io.Copy(out, buffered)
		out.Close()
	}()
	io.Copy(in, out)
}
