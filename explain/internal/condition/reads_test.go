// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"reflect"
	"testing"
)

func TestReads(t *testing.T) {
	compiler, err := NewCompiler(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := [][]string{nil}
	for expression, want := range map[string]Reads{
		"object.metadata.name == 'web'":                                        {},
		"object == null || oldObject != null":                                  {},
		"object.kind + object.apiVersion == 'Podv1'":                           {},
		"object.spec.replicas > 1 || oldObject.spec.replicas > 1":              {Fields: [][]string{{"spec", "replicas"}}},
		"has(object.spec.size)":                                                {Fields: [][]string{{"spec", "size"}}},
		"object.?spec.?size.orValue(1) > 1":                                    {Fields: [][]string{{"spec", "size"}}},
		"object['spec']['size'] > 1 && object[?'data'].hasValue()":             {Fields: [][]string{{"spec", "size"}, {"data"}}},
		"object.spec.ports.all(p, p.number > object.spec.first)":               {Fields: [][]string{{"spec", "ports"}, {"spec", "first"}}},
		"object.spec.ports[0].number > 1":                                      {Fields: [][]string{{"spec", "ports"}}},
		"object.spec[request.name] == 'x'":                                     {Fields: [][]string{{"spec"}}},
		"object == oldObject":                                                  {Fields: whole},
		"object.metadata.name in [request.name]":                               {},
		"authorizer.serviceAccount('a', 'b').path('/').check('get').allowed()": {Authorizer: true},
		"authorizer.requestResource.check('get').allowed() || object.x":        {Fields: [][]string{{"x"}}, Authorizer: true},
		"not an expression":                                                    {Fields: whole, Authorizer: true},
	} {
		if got := compiler.Reads(expression); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", expression, got, want)
		}
	}
}
