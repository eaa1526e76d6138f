// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	programs "github.com/webhook-gen/webhook-gen/internal/program"
)

// errCluster means that the cluster could not be reached, or has refused something.
var errCluster = errors.New("the cluster")

// cluster is a cluster that kubectl reaches.
type cluster struct {
	command []string
	session session
	out     io.Writer
	// name is its context and address, for messages. local reports that it runs on this machine.
	name  string
	local bool
	// again is the command that restores it.
	again string
	// touched are the objects that this session may have changed, as resource/name. A message lists them if
	// kubectl cannot say which are left.
	touched []string
}

// connect finds out which cluster kubectl talks to, and prints it. The context stays the same from now on, whatever
// becomes the current one.
func connect(ctx context.Context, o Options) (*cluster, error) {
	c := &cluster{command: []string{o.Kubectl}, out: o.Out, again: "webhook-gen dev --restore"}
	if o.Kubectl != "kubectl" {
		c.again += " --kubectl " + programs.Word(o.Kubectl)
	}
	arguments := []string{"config", "view", "--minify", "-o", "json"}
	if o.Context != "" {
		arguments = append(arguments, "--context", o.Context)
	}
	text, err := c.kubectl(ctx, "", arguments...)
	if err != nil {
		return nil, err
	}
	var config struct {
		Context  string `json:"current-context"`
		Clusters []struct {
			Cluster struct{ Server string }
		}
	}
	if err := json.Unmarshal(text, &config); err != nil || len(config.Clusters) != 1 || config.Context == "" {
		return nil, fmt.Errorf("kubectl config view does not name one cluster: %s", text)
	}
	server := config.Clusters[0].Cluster.Server
	c.command = append(c.command, "--context", config.Context)
	c.again += " --context " + programs.Word(config.Context)
	c.name = fmt.Sprintf("the cluster of context %q, %s,", config.Context, server)
	c.local = isLocal(config.Context, server)
	fmt.Fprintf(o.Out, "dev: context %s, %s\n", config.Context, server)
	return c, nil
}

// isLocal reports that a context is for a cluster on this machine: by the names that local clusters give it, or by an
// address on loopback.
func isLocal(context, server string) bool {
	if slices.Contains([]string{"minikube", "docker-desktop", "rancher-desktop"}, context) || strings.HasPrefix(context, "kind-") || strings.HasPrefix(context, "k3d-") {
		return true
	}
	address, err := url.Parse(server)
	if err != nil {
		return false
	}
	return address.Hostname() == "localhost" || net.ParseIP(address.Hostname()).IsLoopback()
}

// kubectl runs kubectl and returns its output.
func (c *cluster) kubectl(ctx context.Context, stdin string, arguments ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, c.command[0], slices.Concat(c.command[1:], arguments)...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	command.WaitDelay = time.Second
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%w: kubectl %s: %w\n%s", errCluster, strings.Join(arguments, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}

// change runs kubectl where it changes the cluster. A session that ends lets it finish, and restores after it.
func (c *cluster) change(ctx context.Context, stdin string, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return c.kubectl(ctx, stdin, arguments...)
}
