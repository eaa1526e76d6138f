// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

// reviewsFolder is the environment variable with the folder for the reviews of findings.
const reviewsFolder = "WEBHOOK_REVIEWS"

// sentReviews are the bodies that the handler of a webhook gets, while they are recorded.
type sentReviews struct {
	recording bool
	all       []sentReview
	// files is the number of files for each operation.
	files map[admissionv1.Operation]int
}

// sentReview is the body of a POST.
type sentReview struct {
	operation admissionv1.Operation
	body      []byte
}

// add records a body that is not among the others.
func (s *sentReviews) add(operation admissionv1.Operation, body []byte) {
	if s.recording && !slices.ContainsFunc(s.all, func(r sentReview) bool { return bytes.Equal(r.body, body) }) {
		s.all = append(s.all, sentReview{operation, body})
	}
}

// written calls a function that shows a defect, and writes the reviews that the handler got to the folder for them. It
// returns the names of the files as the last lines of the finding.
func (c existingCheck) written(t testing.TB, show func()) string {
	t.Helper()
	folder := os.Getenv(reviewsFolder)
	if folder == "" {
		show()
		return ""
	}
	c.sent.recording, c.sent.all = true, nil
	show()
	c.sent.recording = false
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatalf("admissiontest: %s: %v", reviewsFolder, err)
	}
	if c.sent.files == nil {
		c.sent.files = map[admissionv1.Operation]int{}
	}
	var lines strings.Builder
	for _, r := range c.sent.all {
		c.sent.files[r.operation]++
		path := filepath.Join(folder, fmt.Sprintf("%s-%s-%d.json", c.Name, r.operation, c.sent.files[r.operation]))
		if err := os.WriteFile(path, r.body, 0o600); err != nil {
			t.Fatalf("admissiontest: %s: %v", reviewsFolder, err)
		}
		fmt.Fprintf(&lines, "\nPOST %s < %s", c.Path, path)
	}
	return lines.String()
}
