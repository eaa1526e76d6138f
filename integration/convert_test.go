// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
	"github.com/webhook-gen/webhook-gen/runtime/program"
)

// TestConvertFleets runs the command convert with the generated conversions of Fleet: files of several documents, with
// comments, and with kinds that the program does not convert. The output has no annotation of the conversions.
func TestConvertFleets(t *testing.T) {
	for name, test := range map[string]struct {
		text, to, want, problems string
		code                     int
	}{
		"renamed, moved and restructured": {
			text: `# The tea fleet.
apiVersion: fleet.example.com/v1alpha1
kind: Fleet # of the company
metadata:
  # its first name
  name: tea
  labels: {sea: "south"}
spec:
  # how many ships
  size: 3
  cargo: tea # in small letters
  owner: company
  dockingTimeout: 1m30s
  # those that have a name
  ships:
  - name: Cutty Sark # the fastest
    tons: 963
  pace: steady
  route: Canton/London
`,
			to: "v1",
			want: `# The tea fleet.
apiVersion: fleet.example.com/v1
kind: Fleet # of the company
metadata:
  # its first name
  name: tea
  labels: {sea: "south"}
spec:
  cargo: Tea # in small letters
  # those that have a name
  ships:
    - name: Cutty Sark # the fastest
      tons: 963
  pace: steady
  route:
    - Canton
    - London
  docking:
    timeoutSeconds: 90
  owners:
    - company
  replicas: 3
`,
		},
		"several documents, and kinds of others": {
			text: `apiVersion: fleet.example.com/v1beta1
kind: Fleet
metadata: {name: spices} # in flow style
spec: {replicas: 2, cargo: Spices, dockingTimeoutSeconds: 60, pilot: true}
---
# A setting.
apiVersion: v1
kind: ConfigMap
metadata:
  name: prices # stays
data: {pepper: "7"}
---
apiVersion: fleet.example.com/v1 # is there already
kind: Fleet
metadata: {name: silk}
---
apiVersion: fleet.example.com/v1
kind: Harbour # has no conversion
metadata: {name: london}
---
apiVersion: fleet.example.com/v1beta1
kind: Fleet
metadata: {name: porcelain}
spec:
  cover: # of the ships
    company: Lloyd
    stolen: true # theft, too
---
apiVersion: fleet.example.com/v1beta1
kind: Fleet
metadata: {name: paper}
spec: {cover: {company: Lloyd}}
`,
			to: "fleet.example.com/v1",
			want: `apiVersion: fleet.example.com/v1
kind: Fleet
metadata: {name: spices} # in flow style
spec: {replicas: 2, cargo: Spices, docking: {pilot: true, timeoutSeconds: 60}}
---
# A setting.
apiVersion: v1
kind: ConfigMap
metadata:
  name: prices # stays
data: {pepper: "7"}
---
apiVersion: fleet.example.com/v1 # is there already
kind: Fleet
metadata: {name: silk}
---
apiVersion: fleet.example.com/v1
kind: Harbour # has no conversion
metadata: {name: london}
---
apiVersion: fleet.example.com/v1
kind: Fleet
metadata: {name: porcelain}
spec:
  cover: # of the ships
    company: Lloyd
    stolen: true # theft, too
---
apiVersion: fleet.example.com/v1
kind: Fleet
metadata: {name: paper}
spec: {cover: {company: Lloyd, stolen: false}}
`,
		},
		"a loss for each value that an annotation would keep": {
			text: `apiVersion: fleet.example.com/v1
kind: Fleet
metadata:
  name: tea
spec:
  replicas: 3 # ships
  owners: [company, king]
  docking: {pilot: true, timeoutSeconds: 90}
  ships:
  # the fastest
  - name: Cutty Sark
    flag: red # lost
---
apiVersion: fleet.example.com/v1
kind: Fleet
metadata: {name: whole}
spec: {replicas: 1}
`,
			to: "v1alpha1", code: 1,
			want: `apiVersion: fleet.example.com/v1alpha1
kind: Fleet
metadata:
  name: tea
spec:
  ships:
    # the fastest
    - name: Cutty Sark
  dockingTimeout: 1m30s
  owner: company
  size: 3
---
apiVersion: fleet.example.com/v1alpha1
kind: Fleet
metadata: {name: whole}
spec: {size: 1}
`,
			problems: `fleets.yaml:1: Fleet tea: spec.docking.pilot: true is lost
fleets.yaml:1: Fleet tea: spec.owners[1]: king is lost
fleets.yaml:1: Fleet tea: spec.ships[0].flag: red is lost
`,
		},
		"dropped, and kept by an annotation alone": {
			text: `apiVersion: fleet.example.com/v1alpha1
kind: Fleet
metadata: {name: tea}
spec:
  # on the sails
  motto: semper
  size: 1
status: {phase: Sailing}
`,
			to: "v1", code: 1,
			want: `apiVersion: fleet.example.com/v1
kind: Fleet
metadata: {name: tea}
spec:
  pace: steady
  replicas: 1
status: {}
`,
			problems: `fleets.yaml:1: Fleet tea: spec.motto: semper is lost
fleets.yaml:1: Fleet tea: status.phase: Sailing is lost
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, problems := convertFleets(t, test.text, test.to)
			if code != test.code || out != test.want || problems != test.problems {
				t.Errorf("exit code %d, want %d\n%s\nwant\n%s\nit says\n%s\nwant\n%s", code, test.code, out, test.want, problems, test.problems)
			}
			if strings.Contains(out, conversion.Annotation) {
				t.Errorf("the output has the annotation\n%s", out)
			}
		})
	}
}

// convertFleets converts a file, and returns the exit code and what convert writes to its standard output and error.
func convertFleets(t *testing.T, text, to string) (code int, out, problems string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "fleets.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var streams [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		stream, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		streams[i] = stream
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = streams[0], streams[1]
	code, ran := program.Run(t.Context(), []string{"convert", "-f", file, "--to", to},
		func(handle func(string, http.Handler), _ ...admission.Option) error {
			handle(conversion.Path, newConverter())
			return nil
		})
	os.Stdout, os.Stderr = stdout, stderr
	if !ran {
		t.Fatal("convert is no command")
	}
	var said [2]string
	for i, stream := range streams {
		text, err := os.ReadFile(stream.Name())
		if err != nil {
			t.Fatal(err)
		}
		said[i] = strings.ReplaceAll(string(text), dir+string(filepath.Separator), "")
	}
	return code, said[0], said[1]
}
