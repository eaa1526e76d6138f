// SPDX-License-Identifier: Apache-2.0

package program

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// waitName is the client's name in the API server's logs.
	waitName = "webhook-wait"
	// waitPause is the time between two attempts.
	waitPause = time.Second
)

// runWait creates objects in dry runs until the API server reaches the webhooks. A denial is an answer, too.
func runWait(ctx context.Context, args []string, stdout io.Writer) (int, error) {
	var from clusterFlags
	var files []string
	var timeout time.Duration
	flags := flag.NewFlagSet("wait", flag.ContinueOnError)
	flags.Func("f", "`file` or folder of YAML with objects to create in a dry run; repeatable, required", appendTo(&files))
	from.add(flags)
	flags.DurationVar(&timeout, "timeout", 2*time.Minute, "longest `duration` to wait")
	const about = "wait creates objects in dry runs until the API server reaches the webhooks that it calls for them. Exit codes:\n" +
		"0 the webhooks answer, 1 they do not in time, 2 the API server refuses an object before it calls them.\n\n"
	switch helped, err := parseFlags(flags, args, about, stdout); {
	case helped || err != nil:
		return exitClean, err
	case len(files) == 0:
		return 0, errors.New("-f is missing: name a file with an object that the webhooks are called for")
	case timeout <= 0:
		return 0, fmt.Errorf("--timeout is %s: use a longer one, such as 2m", timeout)
	}
	all, err := readObjects(files)
	if err != nil {
		return 0, err
	}
	c := &definitions{}
	if err := c.connect(from, waitName, conversionRate); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, o := range all {
		what := fmt.Sprintf("%s %s", o.kind.Kind, strings.TrimPrefix(o.namespace+"/"+o.name, "/"))
		last, err := c.answered(ctx, o)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%s: %s: %w", o.source, what, err)
		case last != nil:
			fmt.Fprintf(stdout, "not reached in %s: the webhooks for %s: %s\n", timeout, cell(what), cell(last.Error()))
			return exitFindings, nil
		}
		fmt.Fprintf(stdout, "reached: the webhooks for %s\n", cell(what))
	}
	return exitClean, nil
}

// readObjects returns the objects of files. There is at least one.
func readObjects(names []string) (all []object, err error) {
	files, err := manifests(names)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, d := range documents(text) {
			of, err := d.objects(fmt.Sprintf("%s:%d", name, d.line))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, d.line, err)
			}
			for _, o := range of {
				if o.kind.Kind == "" || o.kind.Version == "" || o.name == "" {
					return nil, fmt.Errorf("%s: an object needs apiVersion, kind and metadata.name", o.source)
				}
			}
			all = append(all, of...)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no object", strings.Join(names, ", "))
	}
	return all, nil
}

// answered creates an object in dry runs until a webhook answers or time is over; last is then the last problem. err is
// a problem that waiting does not solve.
func (c *definitions) answered(ctx context.Context, o object) (last, err error) {
	for {
		err := c.create(ctx, o)
		switch status := apierrors.APIStatus(nil); {
		case err == nil, apierrors.IsAlreadyExists(err):
			return nil, nil
		case errors.As(err, &status) && isDenial(status.Status()):
			return nil, nil
		case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err), apierrors.IsUnauthorized(err):
			return nil, err
		case ctx.Err() == nil || last == nil:
			last = err
		}
		select {
		case <-time.After(waitPause):
		case <-ctx.Done():
			return last, nil
		}
	}
}

// isDenial reports whether an admission webhook has denied the request. The text is that of ToStatusErr in
// k8s.io/apiserver/pkg/admission/plugin/webhook/errors; a call that failed has another one.
func isDenial(s metav1.Status) bool {
	return strings.HasPrefix(s.Message, "admission webhook ") && strings.Contains(s.Message, " denied the request")
}

func (c *definitions) create(ctx context.Context, o object) error {
	gv := schema.GroupVersion{Group: o.kind.Group, Version: o.kind.Version}
	list, err := c.known.ServerResourcesForGroupVersion(gv.String())
	if err != nil {
		return err
	}
	resources := listed(list, o.kind.Kind)
	if len(resources) == 0 {
		return fmt.Errorf("the cluster has no kind %s of %s", o.kind.Kind, gv)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(o.text); err != nil {
		return err
	}
	namespace := ""
	if resources[0].namespaced {
		namespace = cmp.Or(o.namespace, metav1.NamespaceDefault)
	}
	_, err = c.dynamic.Resource(gv.WithResource(resources[0].name)).Namespace(namespace).
		Create(ctx, u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
