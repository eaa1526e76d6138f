// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strconv"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// serve serves the webhooks on the ports of both Services, with the generated server, and returns the address.
func (e *environment) serve(serving *certificate) (address string, err error) {
	address, listeners, err := listen(mainPort, annexPort)
	if err != nil {
		return "", err
	}
	for _, listener := range listeners {
		server := &server.Server{CertFile: serving.certFile, KeyFile: serving.keyFile, DrainPeriod: -1}
		err := register(func(path string, handler http.Handler) { server.Handle(path, e.calls.record(path, handler)) })
		if err != nil {
			return "", err
		}
		server.Handle(conversion.Path, e.conversions)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(ctx, listener) }()
		e.stops = append(e.stops, func() {
			stop()
			<-ended
		})
	}
	return address, nil
}

// listen listens on ports that a manifest has fixed. On Linux every address of 127.0.0.0/8 is this machine's, so that
// two runs at once find one each.
func listen(ports ...int) (address string, listeners []net.Listener, err error) {
	const attempts = 20
	for range attempts {
		address = "127.0.0.1"
		if runtime.GOOS == "linux" {
			address = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
		}
		listeners, err = listenAt(address, ports)
		if err == nil {
			return address, listeners, nil
		}
	}
	return "", nil, err
}

func listenAt(address string, ports []int) (listeners []net.Listener, err error) {
	for _, port := range ports {
		listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
		if err != nil {
			for _, l := range listeners {
				l.Close()
			}
			return nil, err
		}
		listeners = append(listeners, listener)
	}
	return listeners, nil
}
