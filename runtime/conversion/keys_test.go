// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// converting has a handler convert one object. It returns the converted object, or the message of the failure.
func converting(t *testing.T, h *Handler, desired, object string) (converted, failure string) {
	t.Helper()
	a := answerOf(t, call(h, reviewOf("example.com/"+desired, object)))
	if len(a.Response.ConvertedObjects) != 1 {
		return "", a.Response.Result.Message
	}
	return string(a.Response.ConvertedObjects[0]), ""
}

// TestKeys checks that annotations are signed, and that an annotation which nobody has signed for the object is
// dropped.
func TestKeys(t *testing.T) {
	first, second := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	with := func(keys ...[]byte) *Handler {
		return NewHandler(Serve(wide("v1", lampSame)), Keys(func() ([][]byte, error) { return keys, nil }))
	}
	h := with(first)
	hub := `{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"namespace":"n","name":"a","uid":"1","labels":{"l":"l"}},"spec":{"watts":60,"color":"red","room":{"a":"b"}},"status":{"on":true}}`
	spoke, failure := converting(t, h, "v1", hub)
	if failure != "" || !strings.Contains(spoke, Signature) {
		t.Fatal(failure, spoke)
	}
	edited := func(change func(o map[string]any)) string {
		var o map[string]any
		if err := json.Unmarshal([]byte(spoke), &o); err != nil {
			t.Fatal(err)
		}
		change(o)
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	metadata := func(o map[string]any) map[string]any { return o["metadata"].(map[string]any) }
	annotations := func(o map[string]any) map[string]any { return metadata(o)["annotations"].(map[string]any) }
	for _, tc := range []struct {
		name     string
		handler  *Handler
		object   string
		restored bool
	}{
		{"as it was written", h, spoke, true},
		{"edited", h, edited(func(o map[string]any) { o["spec"].(map[string]any)["watts"] = "75" }), true},
		{"restored from a backup", h, edited(func(o map[string]any) { metadata(o)["uid"] = "2" }), true},
		{"under a new key", with(second, first), spoke, true},
		{"when the key is gone", with(second), spoke, false},
		{"changed", h, edited(func(o map[string]any) {
			annotations(o)[Annotation] = `{"v2":[{"at":["spec","color"],"is":"blue"}]}`
		}), false},
		{"without its signature", h, edited(func(o map[string]any) { delete(annotations(o), Signature) }), false},
		{"with nonsense for a signature", h, edited(func(o map[string]any) { annotations(o)[Signature] = "*" }), false},
		{"copied to another name", h, edited(func(o map[string]any) { metadata(o)["name"] = "b" }), false},
		{"copied to another namespace", h, edited(func(o map[string]any) { metadata(o)["namespace"] = "b" }), false},
		{"without a signature where none is needed", NewHandler(Serve(wide("v1", lampSame)), Keys(func() ([][]byte, error) { return [][]byte{first}, nil }), AcceptUnsigned()),
			edited(func(o map[string]any) { delete(annotations(o), Signature) }), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, failure := converting(t, tc.handler, "v2", tc.object)
			if failure != "" || strings.Contains(got, `"color":"red"`) != tc.restored || strings.Contains(got, "blue") {
				t.Errorf("%s %s, restored: want %v", failure, got, tc.restored)
			}
			if strings.Contains(got, Annotation) {
				t.Errorf("%s keeps the annotation", got)
			}
		})
	}
	generated := strings.Replace(hub, `"name":"a"`, `"generateName":"a-"`, 1)
	spoke, _ = converting(t, h, "v1", generated)
	named := strings.Replace(spoke, `"generateName":"a-"`, `"generateName":"a-","name":"a-x7f2q"`, 1)
	if got, failure := converting(t, h, "v2", named); !strings.Contains(got, `"color":"red"`) {
		t.Errorf("%s %s: what was signed before the object had its name is not restored", failure, got)
	}
}

// TestKeptOfSameMember restores a member that both versions have by now. An older program kept the member because the
// spoke had no field for it yet. Otherwise the member is copied as text, past the code that restores.
func TestKeptOfSameMember(t *testing.T) {
	keys := [][]byte{bytes.Repeat([]byte{1}, 32)}
	h := NewHandler(Serve(wide("v1", lampSame)), Keys(func() ([][]byte, error) { return keys, nil }))
	for name, test := range map[string]struct{ room, want string }{
		"the spoke has no value": {"", `"room":{"a":"b"}`},
		"the spoke has a value":  {`,"room":{"c":"d"}`, `"room":{"c":"d"}`},
	} {
		t.Run(name, func(t *testing.T) {
			kept := lamp[textSpec]{}
			kept.Name = "a"
			kept.Annotations = map[string]string{Annotation: `{"v2":[{"at":["spec","room"],"is":{"a":"b"}}]}`}
			sign(keys, "example.com", "Lamp", &kept)
			metadata, err := json.Marshal(map[string]any{"name": kept.Name, "annotations": kept.Annotations})
			if err != nil {
				t.Fatal(err)
			}
			object := `{"kind":"Lamp","apiVersion":"example.com/v1","metadata":` + string(metadata) + `,"spec":{"watts":"60"` + test.room + `}}`
			if got, failure := converting(t, h, "v2", object); !strings.Contains(got, test.want) {
				t.Errorf("%s %s, want %s in it", failure, got, test.want)
			}
		})
	}
}

// TestKeysAreNeeded checks that nothing is converted without a key that is long enough.
func TestKeysAreNeeded(t *testing.T) {
	object := `{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a"},"spec":{}}`
	for want, source := range map[string]func() ([][]byte, error){
		"there is no key":    func() ([][]byte, error) { return nil, nil },
		"key 1, which signs": func() ([][]byte, error) { return [][]byte{[]byte("short")}, nil },
		"the keys that sign": func() ([][]byte, error) { return nil, errors.New("gone") },
		"no such file":       KeyFile(filepath.Join(t.TempDir(), "keys")),
	} {
		if _, failure := converting(t, NewHandler(Serve(wide("v1", lampSame)), Keys(source)), "v1", object); !strings.Contains(failure, want) {
			t.Errorf("%q, want %q", failure, want)
		}
	}
}

func TestKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	key := bytes.Repeat([]byte{7}, 32)
	if err := os.WriteFile(file, []byte(base64.StdEncoding.EncodeToString(key)+"\n"+base64.StdEncoding.EncodeToString(key)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if keys, err := KeyFile(file)(); err != nil || len(keys) != 2 || !bytes.Equal(keys[1], key) {
		t.Errorf("%v %v", keys, err)
	}
	if err := os.WriteFile(file, []byte("secret!"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := KeyFile(file)(); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v, which should not show the key", err)
	}
}
