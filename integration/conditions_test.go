// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestMatchConditions has two webhooks of one type. The API server calls the first if all its conditions are true, and
// the second for everything, as no condition names it.
func TestMatchConditions(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, configMap(namespace, "matched", nil))
	e.create(t, configMap(namespace, "other", nil))
	exempt := configMap(namespace, "matched-but-exempt", nil)
	exempt.Data = map[string]string{"exempt": ""}
	e.create(t, exempt)
	e.calls.want(t, arguments.ValidateConditionsPath, namespace, "CREATE matched")
	e.calls.want(t, arguments.ValidateConditionsUnconditionalPath, namespace,
		"CREATE matched", "CREATE other", "CREATE matched-but-exempt")
}

// TestMatchConditionError has a condition that fails. The API server denies the request without a call, and names the
// condition.
func TestMatchConditionError(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	unsure := map[string]string{"topic": "unsure"}
	err := e.client.Create(t.Context(), configMap(namespace, "without-annotations", unsure))
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "no such key: annotations") {
		t.Errorf("got %v", err)
	}
	for name, value := range map[string]string{"false": "a", "true": "b"} {
		annotated := configMap(namespace, name, unsure)
		annotated.Annotations = map[string]string{"a": value}
		e.create(t, annotated)
	}
	e.calls.want(t, arguments.ValidateUnsurePath, namespace, "CREATE true")
}
