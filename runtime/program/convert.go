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
	items, isList := whole["items"].([]any)
	switch of, ok := strings.CutSuffix(all[0].kind.Kind, "List"); {
	case isList && whole["kind"] == "List" && len(items) == len(all):
	case isList && ok && len(all) == 1 && c.concerns(all[0].of(of)):
		all = itemsOf(all[0].of(of), items)
		whole["apiVersion"] = c.target(all, whole["apiVersion"])
	case c.concerns(all[0]):
		there, err := c.object(ctx, name, d, all[0])
		if err != nil {
			return nil, d.located(err)
		}
		return d.rendered(there)
	default:
		return d.text, nil
	}
	changed := false
	for i, o := range all {
		if !c.concerns(o) {
			continue
		}
		there, err := c.object(ctx, name, d, o)
		if err != nil {
			return nil, d.located(fmt.Errorf("items[%d]: %w", i, err))
		}
		items[i], changed = there, true
	}
	if !changed {
		return d.text, nil
	}
	return d.rendered(whole)
}

// concerns reports whether an object is of a kind that the program converts, and of another version.
func (c *converter) concerns(o object) bool {
	return (c.to.Group == "" || c.to.Group == o.kind.Group) && c.to.Version != o.kind.Version && c.versions(o) != nil
}

// target returns the version of a list of these objects after their conversion.
func (c *converter) target(all []object, was any) any {
	if len(all) == 0 {
		return was
	}
	return schema.GroupVersion{Group: all[0].kind.Group, Version: c.to.Version}.String()
}

// object returns an object in the wanted version, without the annotation of kept values.
func (c *converter) object(ctx context.Context, name string, d document, o object) (map[string]any, error) {
	if known := c.versions(o); !slices.Contains(known, c.to.Version) {
		return nil, fmt.Errorf("%s has no version %s: the program converts %s", o.kind.Kind, c.to.Version, strings.Join(known, ", "))
	}
	there, err := c.call(ctx, schema.GroupVersion{Group: o.kind.Group, Version: c.to.Version}.String(), o.text)
	if err != nil {
		return nil, err
	}
	withoutKept(there)
	text, err := json.Marshal(there)
	if err != nil {
		return nil, err
	}
	back, err := c.call(ctx, apiVersion(o.kind), text)
	if err != nil {
		return nil, fmt.Errorf("the result does not convert back: %w", err)
	}
	was, err := decoded(o.text)
	if err != nil {
		return nil, err
	}
	withoutKept(was)
	for _, lost := range lostPaths("", was, back) {
		c.lost = true
		fmt.Fprintf(c.stderr, "%s:%d: %s %s: %s is lost\n", name, d.line, o.kind.Kind, cell(o.name), cell(lost))
	}
	dropEmpty(there, was)
	return there, nil
}

// of returns an object with another kind of its version.
func (o object) of(kind string) object {
	o.kind.Kind = kind
	return o
}

// itemsOf returns the items of a list of one kind, which may lack apiVersion and kind.
func itemsOf(like object, items []any) []object {
	var all []object
	for _, item := range items {
		o := like
		if members, ok := item.(map[string]any); ok {
			members["apiVersion"], members["kind"] = apiVersion(o.kind), o.kind.Kind
			meta, _ := members["metadata"].(map[string]any)
			o.name, _ = meta["name"].(string)
		}
		o.text, _ = json.Marshal(item) // the JSON of an object can always be written
		all = append(all, o)
	}
	return all
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
func (c *converter) call(ctx context.Context, to string, object []byte) (_ map[string]any, err error) {
	body, err := json.Marshal(review{
		TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "ConversionReview"},
		Request:  &reviewRequest{UID: string(uuid.NewUUID()), DesiredAPIVersion: to, Objects: []json.RawMessage{object}},
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
