// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"
)

// auditAnnotations waits for the audit event of the creation of an object, and returns the event's annotations.
func (e *environment) auditAnnotations(t *testing.T, namespace, name string) map[string]string {
	t.Helper()
	for range 200 {
		text, err := os.ReadFile(e.auditLog)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var event struct {
				Verb        string
				ObjectRef   struct{ Namespace, Name string }
				Annotations map[string]string
			}
			if json.Unmarshal(line, &event) == nil && event.Verb == "create" &&
				event.ObjectRef.Namespace == namespace && event.ObjectRef.Name == name {
				return event.Annotations
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the audit log does not have the creation of %s", name)
	return nil
}
