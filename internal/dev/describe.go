// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sentReview has the members of an admission review and of a conversion review that a line shows.
type sentReview struct {
	Kind    string
	Request struct {
		Operation   string
		Resource    metav1.GroupVersionResource
		SubResource string
		Namespace   string
		Name        string
		DryRun      bool
		Object      struct {
			Metadata struct{ Name, GenerateName string }
		}

		DesiredAPIVersion string
		Objects           []struct {
			APIVersion string
			Kind       string
		}
	}
}

// answeredReview has the members of the answers.
type answeredReview struct {
	Response struct {
		Allowed  bool
		Status   metav1.Status
		Warnings []string
		Patch    []byte

		Result metav1.Status
	}
	// Message is the message of a Status in place of a review.
	Message string
}

// describe returns a line about a call: operation, object, webhook and verdict. Users of the cluster choose all of the
// words, so it is one line of limited length without control characters.
func describe(path, webhook string, sent []byte, code int, received []byte) string {
	var review sentReview
	var answer answeredReview
	sentErr, receivedErr := json.Unmarshal(sent, &review), json.Unmarshal(received, &answer)
	var what, verdict string
	r := review.Request
	switch {
	case sentErr == nil && review.Kind == "AdmissionReview":
		resource := r.Resource.Resource
		if r.SubResource != "" {
			resource += "/" + r.SubResource
		}
		if r.Resource.Group != "" {
			resource += "." + r.Resource.Group
		}
		name := cmp.Or(r.Name, r.Object.Metadata.Name, r.Object.Metadata.GenerateName+"*")
		if r.Namespace != "" {
			name = r.Namespace + "/" + name
		}
		what = fmt.Sprintf("%s %s %s", r.Operation, resource, name)
		if r.DryRun {
			what += " (dry run)"
		}
		verdict = admitted(answer)
	case sentErr == nil && review.Kind == "ConversionReview":
		what = "CONVERT " + converted(review)
		if verdict = "converted"; answer.Response.Result.Status != metav1.StatusSuccess {
			verdict = "failed: " + answer.Response.Result.Message
		}
		webhook = ""
	default:
		what = "call without review"
	}
	switch {
	case code != http.StatusOK:
		verdict = fmt.Sprintf("failed %d: %s", code, cmp.Or(answer.Message, string(received)))
	case receivedErr != nil || verdict == "":
		verdict = fmt.Sprintf("HTTP %d", code)
	}
	return fmt.Sprintf("%s, %s: %s", oneLine(what, 200), oneLine(cmp.Or(webhook, path), 100), oneLine(verdict, 300))
}

// admitted is the verdict of a webhook.
func admitted(a answeredReview) string {
	verdict, status := "allowed", a.Response.Status
	switch {
	case a.Response.Allowed:
	case status.Code == 0 && status.Message == "":
		verdict = "denied"
	default:
		verdict = fmt.Sprintf("denied %d: %s", status.Code, status.Message)
	}
	if len(a.Response.Patch) > 0 {
		verdict += ", patched"
	}
	for _, w := range a.Response.Warnings {
		verdict += ", warning: " + w
	}
	return verdict
}

// converted names the objects of a conversion review.
func converted(r sentReview) string {
	objects := r.Request.Objects
	if len(objects) == 0 {
		return "nothing to " + r.Request.DesiredAPIVersion
	}
	return fmt.Sprintf("%d %s from %s to %s", len(objects), objects[0].Kind, objects[0].APIVersion, r.Request.DesiredAPIVersion)
}

// oneLine returns a text as one line of at most so many characters.
func oneLine(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
