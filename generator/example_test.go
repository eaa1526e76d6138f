// SPDX-License-Identifier: Apache-2.0

package generator_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/generator"
)

// A tool that embeds webhook-gen shows the findings of a run, and writes its files once there are no errors.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	generate := func() {
		result := generator.Generate(context.Background(), generator.Config{Dir: dir, Outputs: []string{"manifests"}})
		for _, d := range result.Diagnostics {
			fmt.Printf("line %d, column %d: %s: %s: %s\n", d.Position.Line, d.Position.Column, d.Severity, d.Message, d.Hint)
		}
		for _, f := range result.Changes {
			name, err := filepath.Rel(result.Root, f.Path)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println("writing", filepath.ToSlash(name))
		}
		for _, d := range result.Write() {
			log.Fatal(d)
		}
	}

	write("go.mod", "module example.com/app\n\ngo 1.26\n")
	const order = "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\n// +webhook:validating(%s: \"create\")\ntype Order struct{}\n"
	write("order.go", fmt.Sprintf(order, "operation"))
	generate()
	write("order.go", fmt.Sprintf(order, "operations"))
	generate()
	generate()
	// Output:
	// line 5, column 24: error: +webhook:validating has no argument "operation": write operations: "create"
	// writing config/webhook/manifests.yaml
}
