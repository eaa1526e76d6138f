// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestScan adds the statement of docs/guides/handlers.md to the program of a new project. The program then has the
// command scan, which finds the sample that a new rule refuses. All other arguments are still the server's.
func TestScan(t *testing.T) {
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	output(t, root, nil, "go", "build", "-o", webhookGen, "./cmd/webhook-gen")
	p := project{T: t, published: publish(t), dir: t.TempDir()}
	p.env = append(p.env, "PATH="+filepath.Dir(webhookGen)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	p.gen("init", "--module", "example.com/shop", "--domain", "example.com")
	p.gen("create", "api", "--group", "shop", "--version", "v1", "--kind", "Order")
	p.gen("create", "webhook", "--group", "shop", "--version", "v1", "--kind", "Order", "--validating", "--mutating")

	page, err := os.ReadFile("../../docs/guides/handlers.md")
	if err != nil {
		t.Fatal(err)
	}
	statement := regexp.MustCompile("(?s)```go\n(commands \".*?)```\n\n```go\n(if code, ran := commands.Run.*?)```").FindSubmatch(page)
	if statement == nil {
		t.Fatal("docs/guides/handlers.md has no statement that calls Run")
	}
	const main = "cmd/webhook/main.go"
	p.replace(main, "func main() {\n", "func main() {\n"+string(statement[2]))
	imports := "import (\n\t" + string(statement[1])
	if !strings.Contains(p.read(main), `"context"`) {
		imports += "\t\"context\"\n"
	}
	p.replace(main, "import (\n", imports)
	for name, rack := range map[string]string{"first": "a", "second": "b"} {
		p.write("config/samples/"+name+".yaml", "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: "+name+", namespace: shop, labels: {rack: "+rack+"}}\n")
	}
	w := p.follow("../../docs/guides/handlers.md", "## Try a rule before it is enforced")
	if !strings.HasSuffix(w.printed, "\nobjects scanned: 2, findings: 0\n") {
		t.Errorf("the commands of the page print\n%s", w.printed)
	}
	p.run("go", "mod", "tidy")
	p.run("go", "vet", "./...")
	p.run("go", "test", "./...")

	scan := []string{"bin/webhook", "scan", "-f", "config/samples"}
	p.run("go", "build", "-o", "bin/webhook", "./cmd/webhook")
	if said := p.run(scan...); said != "objects scanned: 2, findings: 0\n" {
		t.Errorf("the samples have findings:\n%s", said)
	}

	const validator = "internal/webhook/v1/order_webhook.go"
	create := regexp.MustCompile(`(?m)^func \(.*\) ValidateCreate\(.*\{\n`).FindString(p.read(validator))
	if create == "" {
		t.Fatalf("there is no ValidateCreate:\n%s", p.read(validator))
	}
	p.replace(validator, create, strings.Replace(create, "_ *", "r *", 1)+"\tif r.Object.Labels[\"rack\"] == \"b\" {\n\t\treturn errors.New(\"rack b is full\")\n\t}\n")
	p.replace(validator, "import (\n", "import (\n\t\"errors\"\n")
	p.run("go", "build", "-o", "bin/webhook", "./cmd/webhook")
	said, err := try(p.dir, p.env, scan...)
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(said, "second.yaml:1 shop/second") ||
		!strings.Contains(said, "rack b is full") || !strings.HasSuffix(said, "\nobjects scanned: 2, findings: 1\n") {
		t.Errorf("with the new rule: %v\n%s", err, said)
	}
	if said := p.run("bash", "-c", "bin/webhook --help 2>&1"); !strings.Contains(said, "-metrics-address") {
		t.Errorf("the server has other arguments:\n%s", said)
	}
}
