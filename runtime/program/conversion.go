// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// conversionName is the client's name in the API server's logs and in managedFields.
	conversionName = "webhook-conversion"
	// conversionRate is the greatest number of requests a second.
	conversionRate = 100
	// serveWait is how long `on` waits until the API server serves a version, and failWait how long reads in it may
	// fail.
	serveWait, failWait = time.Minute, 10 * time.Second
)

// switcher serves versions of the definitions of a cluster, or stops to serve them.
type switcher struct {
	definitions
	action   string // status, on or off
	version  string
	storage  bool
	dryRun   bool
	progress *progress
	report   definitionsReport[reportedDefinition]
}

func runConversion(ctx context.Context, args []string, register Register, stdout, stderr io.Writer) (int, error) {
	s := &switcher{progress: newProgress(stderr)}
	if len(args) > 0 && slices.Contains([]string{"status", "on", "off"}, args[0]) {
		s.action, args = args[0], args[1:]
	}
	var from clusterFlags
	var output string
	var names []string
	flags := flag.NewFlagSet(strings.TrimSpace("conversion "+s.action), flag.ContinueOnError)
	from.add(flags)
	flags.Func("definition", "`name` of a CustomResourceDefinition, in place of those that the program converts; repeatable", appendTo(&names))
	flags.StringVar(&output, "output", "table", "`format` of the report: table or json")
	if s.action == "on" || s.action == "off" {
		flags.StringVar(&s.version, "version", "", "`name` of the version to turn "+s.action+"; required")
		flags.BoolVar(&s.dryRun, "dry-run", false, "make all checks and change nothing")
	}
	if s.action == "on" {
		flags.BoolVar(&s.storage, "storage", false, "make a version that is served the storage version")
	}
	about := map[string]string{
		"": "conversion has three actions: status, on and off. See conversion on --help.\n\n",
		"status": "status shows which versions of the program's kinds are served and stored, and whether the conversion webhook answers\n" +
			"for them. Exit codes: 0 all versions in use are answered, 1 one is not, 2 something could not be read.\n\n",
		"on": "on sends all stored objects to the conversion webhook, as the API server would. If it converts them to the version\n" +
			"and back, on serves the version. With --storage, on makes a served version the storage version. Exit codes: 0 the\n" +
			"version is on, 1 it is not because the webhook does not convert, 2 something could not be read or written.\n\n",
		"off": "off no longer serves a version. It refuses if objects may be stored in the version. Exit codes: 0 the version is off,\n" +
			"1 it is in use, 2 something could not be read or written.\n\n",
	}[s.action]
	switch helped, err := parseFlags(flags, args, about, stdout); {
	case helped || err != nil && s.action != "":
		return exitClean, err
	case s.action == "":
		return 0, errors.New("name an action: conversion status, conversion on or conversion off")
	case output != "table" && output != "json":
		return 0, fmt.Errorf("--output is %q: use table or json", output)
	case s.version == "" && s.action != "status":
		return 0, fmt.Errorf("--version is missing: name the version to turn %s, as in --version v2", s.action)
	}
	err := s.connect(from, conversionName, conversionRate)
	if err == nil && len(names) == 0 {
		names, err = s.converted(register, s.report.skip)
	}
	if err != nil {
		return 0, err
	}
	err = s.report.each(ctx, names, func(ctx context.Context, name string) error {
		defer s.progress.clear()
		return s.definition(ctx, name)
	})
	if err != nil {
		return 0, err
	}
	if len(s.report.Definitions)+len(s.report.Problems) == 0 && s.action != "status" {
		s.report.Problems = append(s.report.Problems, "no definition has a version "+s.version)
	}
	if err := s.report.write(stdout, output, conversionTable); err != nil {
		return 0, err
	}
	return s.report.code(), nil
}

// definition reports a definition, and changes it for the actions on and off.
func (s *switcher) definition(ctx context.Context, name string) error {
	d, err := s.read(ctx, name)
	if err != nil {
		return err
	}
	if s.action != "status" && d.version(s.version) == nil {
		s.report.skip(name, "it has no version "+s.version)
		return nil
	}
	s.report.Definitions = append(s.report.Definitions, reportedDefinition{Name: name, Kind: d.Spec.Names.Kind, Failures: []failure{}})
	done := &s.report.Definitions[len(s.report.Definitions)-1]
	switch s.action {
	case "on":
		err = s.on(ctx, d, done)
	case "off":
		err = s.off(ctx, d, done)
	default:
		err = s.status(ctx, d, done)
	}
	if s.action != "status" && !s.dryRun && done.Changed != "" {
		if now, again := s.read(ctx, name); again == nil {
			d = now
		}
	}
	done.describe(d)
	return err
}

// version returns a version of the definition, or nil.
func (d *customResourceDefinition) version(name string) *definedVersion {
	if i := slices.IndexFunc(d.Spec.Versions, func(v definedVersion) bool { return v.Name == name }); i >= 0 {
		return &d.Spec.Versions[i]
	}
	return nil
}

// status sends some objects to the conversion webhook for each version but the storage version.
func (s *switcher) status(ctx context.Context, d *customResourceDefinition, done *reportedDefinition) error {
	if d.Spec.Conversion.Strategy != "Webhook" {
		if len(d.served()) > 1 {
			done.refuse("it serves several versions with the strategy None: apply the definition with its conversion")
		}
		return nil
	}
	for _, v := range d.Spec.Versions {
		if v.Storage {
			continue
		}
		p, err := s.newProbe(ctx, d, v.Name)
		if err != nil {
			return err
		}
		_, failures, err := p.objects(ctx, true)
		if err != nil {
			return err
		}
		answer := answered{Version: v.Name}
		if len(failures) > 0 {
			answer.Message = failures[0].Message
		}
		if done.answers = append(done.answers, answer); len(failures) > 0 && (v.Served || slices.Contains(d.Status.StoredVersions, v.Name)) {
			done.Failures = append(done.Failures, failures...)
		}
	}
	return nil
}

// on serves a version, or makes a served version the storage version, once the webhook has converted all objects.
func (s *switcher) on(ctx context.Context, d *customResourceDefinition, done *reportedDefinition) error {
	v := d.version(s.version)
	switch {
	case s.storage && !v.Served:
		done.refuse(fmt.Sprintf("%s is not served: run conversion on --version %[1]s without --storage first", v.Name))
		return nil
	case d.Spec.Conversion.Strategy != "Webhook" && slices.ContainsFunc(d.Spec.Versions, func(o definedVersion) bool { return o.Served && o.Name != v.Name }):
		done.refuse("its strategy is None, which converts no field: apply the definition with its conversion first")
		return nil
	case d.Spec.Conversion.Strategy == "Webhook" && (!v.Storage || !v.Served):
		p, err := s.newProbe(ctx, d, v.Name)
		if err != nil {
			return err
		}
		objects, failures, err := p.objects(ctx, false)
		done.Objects, done.Failures = objects, append(done.Failures, failures...)
		if err != nil || len(failures) > 0 {
			return err
		}
		done.answers = append(done.answers, answered{Version: v.Name})
	}
	switch {
	case s.storage && !v.Storage:
		done.Changed = v.Name + " is the storage version"
		return s.patch(ctx, d, func(o *definedVersion) { o.Storage = o.Name == v.Name })
	case s.storage || v.Served:
		return nil
	}
	serve := func(served bool) error {
		return s.patch(ctx, d, func(o *definedVersion) { o.Served = o.Served && o.Name != v.Name || served && o.Name == v.Name })
	}
	done.Changed = v.Name + " is served"
	if err := serve(true); err != nil || s.dryRun {
		return err
	}
	// Only now the API server itself can ask the webhook.
	if err := s.readable(ctx, d); err != nil {
		if ctx.Err() != nil {
			return err
		}
		done.refuse(fmt.Sprintf("the API server cannot read objects in %s, so it is not served again: %v", v.Name, err))
		done.Changed = ""
		return serve(false)
	}
	return nil
}

// readable waits until the API server lists objects in the version. It returns an error if that fails for longer.
func (s *switcher) readable(ctx context.Context, d *customResourceDefinition) error {
	objects := s.dynamic.Resource(d.resource(s.version))
	for start := time.Now(); ; {
		_, err := objects.List(ctx, metav1.ListOptions{Limit: probePage})
		wait := failWait
		if apierrors.IsNotFound(err) {
			wait = serveWait
		}
		if err == nil || time.Since(start) > wait {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// off no longer serves a version in which nothing is stored.
func (s *switcher) off(ctx context.Context, d *customResourceDefinition, done *reportedDefinition) error {
	v := d.version(s.version)
	switch {
	case v.Storage:
		done.refuse(fmt.Sprintf("%s is the storage version: make another one that with conversion on --version VERSION --storage, then run migrate", v.Name))
	case slices.Contains(d.Status.StoredVersions, v.Name):
		done.refuse(fmt.Sprintf("objects may be stored in %s: run migrate", v.Name))
	case v.Served:
		done.Changed = v.Name + " is not served"
		return s.patch(ctx, d, func(o *definedVersion) { o.Served = o.Served && o.Name != v.Name })
	}
	return nil
}

// patch changes served and storage of the definition's versions. It fails if somebody else has changed the definition
// since it was checked.
func (s *switcher) patch(ctx context.Context, d *customResourceDefinition, change func(*definedVersion)) error {
	for attempt := 0; ; attempt++ {
		now, err := s.read(ctx, d.Metadata.Name)
		switch {
		case err != nil:
			return err
		case now.Metadata.UID != d.Metadata.UID || now.Metadata.Generation != d.Metadata.Generation:
			return errors.New("somebody else has changed the definition meanwhile: run the command again")
		}
		operations := []map[string]any{{"op": "replace", "path": "/metadata/resourceVersion", "value": now.Metadata.ResourceVersion}}
		for i, v := range now.Spec.Versions {
			change(&v)
			operations = append(operations,
				map[string]any{"op": "replace", "path": fmt.Sprintf("/spec/versions/%d/served", i), "value": v.Served},
				map[string]any{"op": "replace", "path": fmt.Sprintf("/spec/versions/%d/storage", i), "value": v.Storage})
		}
		text, err := json.Marshal(operations)
		if err != nil {
			return err
		}
		options := metav1.PatchOptions{FieldManager: conversionName}
		if s.dryRun {
			options.DryRun = []string{metav1.DryRunAll}
		}
		u, err := s.resources().Patch(ctx, d.Metadata.Name, types.JSONPatchType, text, options)
		switch {
		case err == nil:
			d.Metadata.Generation = u.GetGeneration()
			return nil
		case !apierrors.IsConflict(err) || attempt == conflicts:
			return err
		}
	}
}
