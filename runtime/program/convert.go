// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// converter converts manifests with the program's handler of conversions.
type converter struct {
	handler        *conversion.Handler
	to             schema.GroupVersion // without a group, of every group
	stdout, stderr io.Writer
	written        int  // documents
	lost, failed   bool // a value; a document
}

func runConvert(ctx context.Context, args []string, register Register, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	c := &converter{stdout: stdout, stderr: stderr}
	var files []string
	flags := flag.NewFlagSet("convert", flag.ContinueOnError)
	flags.Func("f", "`file` or folder of YAML to convert, - for the standard input; repeatable", appendTo(&files))
	flags.Func("to", "`version` to convert to, such as v2 or shop.example.com/v2", func(value string) (err error) {
		c.to, err = schema.ParseGroupVersion(value)
		return err
	})
	const about = "convert prints manifests in another version of their API. Comments stay where their field stays. Documents of\n" +
		"other kinds stay as they are. Exit codes: 0 everything is converted, 1 values are lost, 2 a document is not converted.\n\n"
	switch helped, err := parseFlags(flags, args, about, stdout); {
	case helped || err != nil:
		return exitClean, err
	case len(files) == 0 || c.to.Version == "":
		return 0, errors.New("-f and --to are needed, as in: convert -f old.yaml --to v2")
	}
	err := register(func(_ string, h http.Handler) {
		if h, ok := h.(*conversion.Handler); ok {
			c.handler = h
		}
	})
	if err == nil && c.handler == nil {
		err = errors.New("the program has no conversions: register the handler of package conversion at /convert")
	}
	if err != nil {
		return 0, err
	}
	if err := c.files(ctx, files, stdin); err != nil {
		return 0, err
	}
	switch {
	case c.failed:
		return exitProblem, nil
	case c.lost:
		return exitFindings, nil
	}
	return exitClean, nil
}

// files converts the documents of files.
func (c *converter) files(ctx context.Context, names []string, stdin io.Reader) error {
	for _, name := range names {
		if name == "-" {
			text, err := io.ReadAll(stdin)
			if err != nil {
				return err
			}
			if err := c.file(ctx, "standard input", text); err != nil {
				return err
			}
			continue
		}
		found, err := manifests([]string{name})
		if err != nil {
			return err
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := c.file(ctx, file, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// file converts the documents of a file, and prints them. A document that does not convert is printed as it is.
func (c *converter) file(ctx context.Context, name string, text []byte) error {
	for _, d := range documents(text) {
		if err := ctx.Err(); err != nil {
			return err
		}
		converted, err := c.document(ctx, name, d)
		if err != nil {
			c.failed = true
			line := d.line
			if at := (*positioned)(nil); errors.As(err, &at) {
				line += at.line
			}
			fmt.Fprintf(c.stderr, "%s:%d: %s\n", name, line, cell(err.Error()))
			converted = d.text
		}
		if converted = bytes.TrimPrefix(converted, []byte("\n")); len(bytes.TrimSpace(converted)) == 0 {
			continue
		}
		if c.written > 0 {
			fmt.Fprintln(c.stdout, "---")
		}
		c.written++
		if _, err := c.stdout.Write(converted); err != nil {
			return err
		}
	}
	return nil
}

// document returns a document in the wanted version.
func (c *converter) document(ctx context.Context, name string, d document) ([]byte, error) {
	all, err := d.objects(name)
	if err != nil || len(all) == 0 {
		return d.text, err
	}
	whole, err := d.decoded()
	if err != nil {
		return nil, err
	}
	there, err := c.value(ctx, fmt.Sprintf("%s:%d", name, d.line), whole)
	if err != nil {
		return nil, d.located(err)
	}
	if there == nil {
		return d.text, nil
	}
	return d.rendered(there)
}

// value returns an object in the wanted version, or a list with its items in that version. It returns nil if nothing
// changes. The source is the file and the line of the document.
func (c *converter) value(ctx context.Context, source string, whole map[string]any) (map[string]any, error) {
	o := objectIn(source, whole)
	items, isList := whole["items"].([]any)
	of := o
	of.kind.Kind = strings.TrimSuffix(o.kind.Kind, "List")
	isOwn := isList && of.kind != o.kind && c.concerns(of)
	switch {
	case isOwn:
	case !isList || o.kind.Kind != "List":
		if !c.concerns(o) {
			return nil, nil
		}
		return c.object(ctx, o, whole)
	}
	changed := false
	for i, item := range items {
		members, isObject := item.(map[string]any)
		if isOwn && isObject { // items of such a list may lack both
			members["apiVersion"], members["kind"] = apiVersion(of.kind), of.kind.Kind
		}
		there, err := c.value(ctx, source, members)
		if isOwn && !isObject {
			err = errors.New("it is not an object")
		}
		if err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
		if there != nil {
			items[i], changed = there, true
		}
	}
	if isOwn && len(items) > 0 {
		whole["apiVersion"] = schema.GroupVersion{Group: of.kind.Group, Version: c.to.Version}.String()
	}
	if !changed {
		return nil, nil
	}
	return whole, nil
}

// objectIn identifies an object.
func objectIn(source string, whole map[string]any) (o object) {
	o.source = source
	o.kind.Kind, _ = whole["kind"].(string)
	version, _ := whole["apiVersion"].(string)
	gv, _ := schema.ParseGroupVersion(version) // of no version: no conversion
	o.kind.Group, o.kind.Version = gv.Group, gv.Version
	meta, _ := whole["metadata"].(map[string]any)
	o.name, _ = meta["name"].(string)
	return o
}

// concerns reports whether an object is of a kind that the program converts, and of another version.
func (c *converter) concerns(o object) bool {
	return (c.to.Group == "" || c.to.Group == o.kind.Group) && c.to.Version != o.kind.Version && c.versions(o) != nil
}

// object returns an object in the wanted version, without the annotation of kept values.
func (c *converter) object(ctx context.Context, o object, was map[string]any) (map[string]any, error) {
	if known := c.versions(o); !slices.Contains(known, c.to.Version) {
		return nil, fmt.Errorf("%s has no version %s: the program converts %s", o.kind.Kind, c.to.Version, strings.Join(known, ", "))
	}
	there, err := c.call(ctx, schema.GroupVersion{Group: o.kind.Group, Version: c.to.Version}.String(), was)
	if err != nil {
		return nil, err
	}
	withoutKept(there)
	back, err := c.call(ctx, apiVersion(o.kind), there)
	if err != nil {
		return nil, fmt.Errorf("the result does not convert back: %w", err)
	}
	withoutKept(was)
	for _, lost := range lostPaths("", was, back) {
		c.lost = true
		fmt.Fprintf(c.stderr, "%s: %s %s: %s is lost\n", o.source, o.kind.Kind, cell(o.name), cell(lost))
	}
	dropEmpty(there, was, func() bool {
		without, err := c.call(ctx, apiVersion(o.kind), there)
		return err == nil && lostPaths("", back, without) == nil && hasParts(was, back, without)
	})
	return there, nil
}

// versions returns the versions of an object's kind; nil if the program does not convert it.
func (c *converter) versions(o object) []string {
	return c.handler.Versions(schema.GroupKind{Group: o.kind.Group, Kind: o.kind.Kind})
}

// review is a ConversionReview of apiextensions.k8s.io/v1.
type review struct {
	metav1.TypeMeta `json:",inline"`
	Request         *reviewRequest  `json:"request,omitempty"`
	Response        *reviewResponse `json:"response,omitempty"`
}

type reviewRequest struct {
	UID               string            `json:"uid"`
	DesiredAPIVersion string            `json:"desiredAPIVersion"`
	Objects           []json.RawMessage `json:"objects"`
}

type reviewResponse struct {
	UID              string            `json:"uid"`
	ConvertedObjects []json.RawMessage `json:"convertedObjects"`
	Result           metav1.Status     `json:"result"`
}

// call converts an object with the handler, as an API server does.
func (c *converter) call(ctx context.Context, to string, object map[string]any) (_ map[string]any, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(review{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "ConversionReview"},
		Request:  &reviewRequest{UID: string(uuid.NewUUID()), DesiredAPIVersion: to, Objects: []json.RawMessage{text}},
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, conversion.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	a := &answer{code: http.StatusOK, header: http.Header{}}
	c.handler.ServeHTTP(a, request)
	var r review
	if err := json.Unmarshal(a.body.Bytes(), &r); err != nil || r.Response == nil {
		return nil, fmt.Errorf("HTTP %d: %s", a.code, bytes.TrimSpace(a.body.Bytes()))
	}
	if r.Response.Result.Status != metav1.StatusSuccess || len(r.Response.ConvertedObjects) != 1 {
		return nil, errors.New(r.Response.Result.Message)
	}
	return decoded(r.Response.ConvertedObjects[0])
}
