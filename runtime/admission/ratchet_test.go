// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// crate is an object with lists of all sorts.
type crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec crateSpec `json:"spec"`
}

type crateSpec struct {
	Max    int            `json:"max,omitempty"`
	Items  []crateItem    `json:"items,omitempty"`
	Tags   []string       `json:"tags,omitempty"`
	Steps  []int          `json:"steps,omitempty"`
	Limits map[string]int `json:"limits,omitempty"`
	User   string         `json:"user,omitempty"`
	Fail   string         `json:"fail,omitempty"`
	Secret string         `json:"secret,omitempty"`
}

type crateItem struct {
	Name  string `json:"name"`
	Zone  *int   `json:"zone,omitempty"`
	Count int    `json:"count"`
}

// checkCrate wants counts, steps and limits below the maximum, tags without "bad", and neither secret nor user.
func checkCrate(c *crate) (list field.ErrorList) {
	spec := field.NewPath("spec")
	below := func(path *field.Path, n int) {
		if n > c.Spec.Max {
			list = append(list, field.Invalid(path, n, fmt.Sprint("must be at most ", c.Spec.Max)))
		}
	}
	for i, item := range c.Spec.Items {
		below(spec.Child("items").Index(i).Child("count"), item.Count)
	}
	for i, step := range c.Spec.Steps {
		below(spec.Child("steps").Index(i), step)
	}
	for key, n := range c.Spec.Limits {
		below(spec.Child("limits").Key(key), n)
	}
	for i, tag := range c.Spec.Tags {
		if strings.HasPrefix(tag, "bad") {
			list = append(list, field.NotSupported(spec.Child("tags").Index(i), tag, []string{"good"}))
		}
	}
	if c.Spec.Secret != "" {
		list = append(list, field.Invalid(spec.Child("secret"), "***", "must be empty"))
	}
	if c.Spec.User != "" {
		list = append(list, field.Forbidden(spec.Child("user"), "ask an admin"))
	}
	return list
}

// validateCrate returns the field errors of a crate as spec.fail wants it.
func validateCrate(_ context.Context, r *UpdateRequest[crate]) error {
	if _, err := r.OldObject(); err != nil {
		return err
	}
	r.Warn("called for " + r.Object.Name)
	err := error(checkCrate(r.Object).ToAggregate())
	switch r.Object.Spec.Fail {
	case "wrap":
		return fmt.Errorf("the crate: %w", err)
	case "plain":
		return errors.Join(err, errors.New("no"))
	case "alone":
		return errors.New("no")
	case "failure":
		return Failure(err)
	case "status":
		return errors.Join(err, apierrors.NewForbidden(schema.GroupResource{}, "web", errors.New("no")))
	case "panic":
		panic("no way")
	}
	return err
}

// TestRatchet updates crates that break a rule already, and crates that do not.
func TestRatchet(t *testing.T) {
	crateOf := func(spec string) string { return `{"metadata":{"name":"web"},"spec":` + spec + `}` }
	h := Validating("crates.example.com", OnUpdate(validateCrate), Ratchet(true),
		ListKeys[crateSpec]("items", "name", "zone"), ListKeys[crateSpec]("tags"))
	strict := Validating("crates.example.com", OnUpdate(validateCrate), Ratchet(true), Ratchet(false))
	for _, test := range []struct {
		name, old, object string
		// fields are the causes of the denial; nil if the update is allowed.
		fields []string
		// before is the number of errors that the stored object has, too.
		before int
	}{
		{"valid", `{"max":1}`, `{"max":2}`, nil, 0},
		{"nothing changes", `{"items":[{"name":"a","count":1}]}`, `{"items":[{"name":"a","count":1}]}`, nil, 1},
		{"another value", `{"items":[{"name":"a","count":1}]}`, `{"items":[{"name":"a","count":2}]}`, []string{"spec.items[0].count"}, 0},
		{"an error more", `{"items":[{"name":"a","count":1}]}`, `{"items":[{"name":"a","count":1},{"name":"b","count":1}]}`, []string{"spec.items[1].count"}, 1},
		{"an element moves", `{"items":[{"name":"a","count":1},{"name":"b","count":2}]}`, `{"items":[{"name":"b","count":2},{"name":"a","count":1}]}`, nil, 2},
		{"an element of another name", `{"items":[{"name":"a","count":1}]}`, `{"items":[{"name":"b","count":1}]}`, []string{"spec.items[0].count"}, 0},
		{"an element with another second key", `{"items":[{"name":"a","zone":1,"count":1}]}`, `{"items":[{"name":"a","zone":2,"count":1}]}`, []string{"spec.items[0].count"}, 0},
		{"an element twice", `{"items":[{"name":"a","count":1}]}`, `{"items":[{"name":"a","count":1},{"name":"a","count":1}]}`, []string{"spec.items[1].count"}, 1},
		{"another rule for the same value", `{"max":1,"items":[{"name":"a","count":7}]}`, `{"max":2,"items":[{"name":"a","count":7}]}`, []string{"spec.items[0].count"}, 0},
		{"a value of a set moves", `{"tags":["bad","good"]}`, `{"tags":["good","bad"]}`, nil, 1},
		{"another value of a set", `{"tags":["bad"]}`, `{"tags":["bad","bad2"]}`, []string{"spec.tags[1]"}, 1},
		{"an element of a list without keys moves", `{"steps":[1,0]}`, `{"steps":[0,1]}`, nil, 1},
		{"an entry of a map", `{"limits":{"a]":1,"b":0}}`, `{"limits":{"a]":1,"b":2}}`, []string{"spec.limits[b]"}, 1},
		{"the same entry of a map", `{"limits":{"a]":1}}`, `{"limits":{"a]":1,"b":0}}`, nil, 1},
		{"a hidden value", `{"secret":"a"}`, `{"secret":"a","max":1}`, nil, 1},
		{"another hidden value", `{"secret":"a"}`, `{"secret":"b"}`, []string{"spec.secret"}, 0},
		{"an error goes", `{"steps":[1,1]}`, `{"steps":[1]}`, nil, 1},
		{"forbidden", `{"user":"a"}`, `{"user":"a"}`, []string{"spec.user"}, 0},
		{"forbidden, and an error as before", `{"user":"a","steps":[1]}`, `{"user":"a","steps":[1]}`, []string{"spec.user"}, 1},
		{"wrapped", `{"fail":"wrap","steps":[1]}`, `{"fail":"wrap","steps":[1]}`, nil, 1},
		{"wrapped, and an error more", `{"fail":"wrap","steps":[1]}`, `{"fail":"wrap","steps":[1,2]}`, []string{"spec.steps[0]", "spec.steps[1]"}, 0},
		{"another error beside", `{"fail":"plain","steps":[1]}`, `{"fail":"plain","steps":[1]}`, []string{"spec.steps[0]"}, 0},
		{"another error alone", `{"fail":"alone"}`, `{"fail":"alone"}`, []string{}, 0},
		{"the stored object fails the validator", `{"fail":"failure","steps":[1]}`, `{"steps":[1]}`, []string{"spec.steps[0]"}, 0},
		{"a status", `{"fail":"status","steps":[1]}`, `{"fail":"status","steps":[1]}`, []string{}, 0},
		{"the stored object cannot be decoded", `{"steps":7}`, `{"steps":[1]}`, []string{}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			review := reviewOf(Update, crateOf(test.object), crateOf(test.old))
			got := verdictOf(t, h, review).Response
			var fields []string
			if got.Result != nil && got.Result.Details != nil {
				for _, cause := range got.Result.Details.Causes {
					fields = append(fields, cause.Field)
				}
			}
			if got.Allowed != (test.fields == nil) || !slices.Equal(fields, test.fields) && len(fields)+len(test.fields) > 0 {
				t.Errorf("allowed is %v, with causes %q, want %q: %v", got.Allowed, fields, test.fields, got.Result)
			}
			before, called := 0, 0
			for _, w := range got.Warnings {
				if strings.HasPrefix(w, "as before: spec.") {
					before++
				}
				if strings.HasPrefix(w, "called for") {
					called++
				}
			}
			if before != test.before {
				t.Errorf("%d errors are warnings, want %d: %q", before, test.before, got.Warnings)
			}
			if undecodable := strings.Contains(test.name, "cannot be decoded"); called != 1 && !undecodable {
				t.Errorf("the warnings of the validator: %q", got.Warnings)
			}
			if got := verdictOf(t, strict, review).Response; got.Allowed && test.name != "valid" && len(checkCrateJSON(t, crateOf(test.object))) > 0 {
				t.Errorf("without ratchet, the update is allowed")
			}
		})
	}
}

func checkCrateJSON(t *testing.T, text string) field.ErrorList {
	t.Helper()
	var c crate
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil
	}
	return checkCrate(&c)
}

// TestRatchetFailures has a validator that fails or panics. Neither becomes a warning.
func TestRatchetFailures(t *testing.T) {
	h := Validating("crates.example.com", OnUpdate(validateCrate), Ratchet(true))
	failing := `{"metadata":{"name":"web"},"spec":{"fail":"failure","steps":[1]}}`
	if w := ask(h, reviewOf(Update, failing, failing)); w.Code != http.StatusInternalServerError {
		t.Errorf("HTTP %d %s", w.Code, w.Body)
	}
	panicking := `{"metadata":{"name":"web"},"spec":{"fail":"panic","steps":[1]}}`
	bad := `{"metadata":{"name":"web"},"spec":{"steps":[1]}}`
	for name, object := range map[string]string{"the new object": panicking, "the stored object": bad} {
		if got := verdictOf(t, h, reviewOf(Update, object, panicking)).Response; got.Allowed || got.Result.Code != http.StatusInternalServerError {
			t.Errorf("%s panics: %v %v", name, got.Allowed, got.Result)
		}
	}
}

// TestRatchetRequest has the validator see a request that changes nothing, by the same user, in the second call.
func TestRatchetRequest(t *testing.T) {
	var seen []string
	h := Validating("crates.example.com", Ratchet(true), OnUpdate(func(_ context.Context, r *UpdateRequest[crate]) error {
		old, err := r.OldObject()
		if err != nil {
			return err
		}
		sent := r.AdmissionRequest()
		seen = append(seen, fmt.Sprint(r.UserInfo.Username, " ", r.Options.FieldManager, " ", old.Spec.Max, old.Spec.Max == r.Object.Spec.Max, string(sent.Object.Raw) == string(sent.OldObject.Raw)))
		old.Spec.Max, r.Object.Spec.Max = 7, 7 // a validator that edits cannot confuse the second call
		r.AuditAnnotation("calls", fmt.Sprint(len(seen)))
		return field.Invalid(field.NewPath("spec"), 1, "no")
	}))
	got := verdictOf(t, h, reviewOf(Update, `{"spec":{"max":2}}`, `{"spec":{"max":1}}`)).Response
	if want := []string{"jane kubectl 1 false false", "jane kubectl 1 true true"}; !slices.Equal(seen, want) {
		t.Errorf("the validator sees %q, want %q", seen, want)
	}
	if !got.Allowed || got.AuditAnnotations["calls"] != "1" {
		t.Errorf("got %v with %v", got.Allowed, got.AuditAnnotations)
	}
}

// TestRatchetOfAList has an error about a whole list, which contains the list.
func TestRatchetOfAList(t *testing.T) {
	h := Validating("words.example.com", Ratchet(true), OnUpdate(func(_ context.Context, r *UpdateRequest[lists]) error {
		return field.Invalid(field.NewPath("words"), r.Object.Words, "must be sorted")
	}))
	for words, allowed := range map[string]bool{
		`["d","c","b"]`: true, `["c","b"]`: true, `["d","b"]`: true, `["b","c","d"]`: true, `[]`: true,
		`["d","c","x"]`: false, `["d","x"]`: false, `["d","c","b","a"]`: false, `["d","c","b","b"]`: false, `["b","b"]`: false,
	} {
		got := verdictOf(t, h, reviewOf(Update, `{"words":`+words+`}`, `{"words":["d","c","b"]}`)).Response
		if got.Allowed != allowed {
			t.Errorf("%s after d, c, b: allowed is %t, want %t: %v", words, got.Allowed, allowed, got.Result)
		}
	}
}
