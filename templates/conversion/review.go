package conversion

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// review is a ConversionReview's request: type ConversionRequest of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions.
type review struct {
	// apiVersion is the review's own, in which it is answered.
	apiVersion string
	uid        string
	desired    string
	// objects are the texts of what is to be converted.
	objects [][]byte
}

// read takes the request out of a body, to which its objects go on belonging. Members of no interest are passed over; one
// that is of interest may stand only once, because of two the API server and this package might mean different ones.
func (r *review) read(body []byte) error {
	if body = bytes.Trim(body, " \n\t\r"); len(body) == 0 {
		return errors.New("the body is empty, send a ConversionReview")
	}
	if !json.Valid(body) {
		return errors.New("the body is not JSON, send a ConversionReview")
	}
	var kind string
	var request []byte
	err := take(body, map[string]func([]byte) error{
		"apiVersion": into(&r.apiVersion),
		"kind":       into(&kind),
		"request":    func(text []byte) error { request = text; return nil },
	})
	if err != nil {
		return err
	}
	if kind != "ConversionReview" || r.apiVersion != "apiextensions.k8s.io/v1" && r.apiVersion != "apiextensions.k8s.io/v1beta1" {
		return fmt.Errorf("the body is kind %q of %q, send a ConversionReview of apiextensions.k8s.io/v1 or v1beta1", kind, r.apiVersion)
	}
	if request == nil || !isObject(request) {
		return errors.New("the review has no request")
	}
	return take(request, map[string]func([]byte) error{
		"uid":               into(&r.uid),
		"desiredAPIVersion": into(&r.desired),
		"objects":           r.readObjects,
	})
}

func (r *review) readObjects(text []byte) error {
	if text[0] != '[' && !isNull(text) {
		return fmt.Errorf("%s stands where a list belongs", kindOf(text))
	}
	for object := range elements(text) {
		r.objects = append(r.objects, object)
	}
	return nil
}

// take gives members of an object to functions.
func take(object []byte, to map[string]func([]byte) error) error {
	taken := make(map[string]bool, len(to))
	for m := range members(object) {
		name := unquoted(m.key)
		f, ok := to[name]
		if !ok {
			continue
		}
		if taken[name] {
			return fmt.Errorf("the review has %q twice", name)
		}
		taken[name] = true
		if err := f(m.value); err != nil {
			return fmt.Errorf("%s of the review: %w", name, err)
		}
	}
	return nil
}

// into takes a string.
func into(s *string) func([]byte) error {
	return func(text []byte) (err error) {
		*s, err = stringOf(text)
		return err
	}
}

// answer is the text of the review that answers, in parts: it has every object converted, or none and a status that says why.
func (r *review) answer(converted [][]byte, failure *metav1.Status) ([][]byte, error) {
	result := failure
	if result == nil {
		result = &metav1.Status{Status: metav1.StatusSuccess}
	}
	status, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	begin := []byte(`{"kind":"ConversionReview","apiVersion":"` + r.apiVersion + `","response":{"uid":`)
	begin = append(appendString(begin, r.uid), `,"convertedObjects":[`...)
	answer := append(make([][]byte, 0, 2*len(converted)+2), begin)
	for i, object := range converted {
		if i > 0 {
			answer = append(answer, []byte{','})
		}
		answer = append(answer, object)
	}
	return append(answer, append(append([]byte(`],"result":`), status...), "}}"...)), nil
}
