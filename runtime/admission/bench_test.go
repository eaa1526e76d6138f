// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// podText returns a Pod with so many variables.
func podText(variables int) []byte {
	env := make([]string, variables)
	for i := range env {
		env[i] = fmt.Sprintf(`{"name":"SETTING_%d","value":"the value of %d","future":%d}`, i, i, i)
	}
	return []byte(`{"kind":"Pod","metadata":{"name":"p","labels":{"app.kubernetes.io/name":"p"}},"spec":{"containers":[{"name":"c",` +
		`"image":"registry.example.com/p:1","resources":{"limits":{"cpu":"0.5"}},"env":[` + strings.Join(env, ",") + `]}]}}`)
}

// The steps of a call, by themselves.
func BenchmarkSteps(b *testing.B) {
	s := new(wire.Shapes).Of(reflect.TypeFor[corev1.Pod]())
	for _, variables := range []int{10, 100, 1000} {
		src := podText(variables)
		at := wire.Whole(src)
		run := func(name string, step func()) {
			b.Run(fmt.Sprintf("%s/%dkB", name, len(src)>>10), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
			})
		}
		var kept wire.Texts
		var p patcher
		pod := new(corev1.Pod)
		if err := wire.Decode(src, at, &kept, s, reflect.ValueOf(pod).Elem()); err != nil {
			b.Fatal(err)
		}
		run("scan", func() { wire.ScanValue(src, 0, wire.MaxDepth) })
		run("decode", func() {
			if err := wire.Decode(src, at, &kept, s, reflect.ValueOf(new(corev1.Pod)).Elem()); err != nil {
				b.Fatal(err)
			}
		})
		run("diff", func() {
			if patch, err := p.diff(src, at, s, reflect.ValueOf(pod).Elem()); err != nil || patch != nil {
				b.Fatal(string(patch), err)
			}
		})
	}
}
