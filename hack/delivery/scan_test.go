// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestScan runs the commands of a new project's program: scan finds a sample that a new rule refuses, and convert
// converts manifests to another version. All other arguments are still the server's. The statement of
// docs/guides/handlers.md gives them to a program without.
func TestScan(t *testing.T) {
	dir := everyCommand.in(t, "webhook-gen")
	p := project{T: t, published: publish(t), dir: t.TempDir()}
	p.env = append(p.env, "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	p.gen("init", "--module", "example.com/shop", "--domain", "example.com")
	p.gen("create", "api", "--group", "shop", "--version", "v1", "--kind", "Order")
	p.gen("create", "webhook", "--group", "shop", "--version", "v1", "--kind", "Order", "--validating", "--mutating")
	p.gen("create", "version", "--group", "shop", "--version", "v2", "--kind", "Order")
	const spec = "type OrderSpec struct{}\n"
	p.replace("api/v1/order_types.go", spec, "type OrderSpec struct {\n\t// +webhook:conversion:to=\"article\"\n\tSKU string `json:\"sku,omitempty\"`\n\tCount int64 `json:\"count,omitempty\"`\n}\n")
	p.replace("api/v2/order_types.go", spec, "type OrderSpec struct {\n\tArticle string `json:\"article,omitempty\"`\n\tCount int64 `json:\"count,omitempty\"`\n\tGift bool `json:\"gift,omitempty\"`\n}\n")
	p.gen()

	const order = "apiVersion: shop.example.com/v1\nkind: Order # of the shop\nmetadata: {name: %s, namespace: shop, labels: {rack: %s}}\n" +
		"spec:\n  sku: tea\n  # how many\n  count: 2\n"
	const first, second = "config/samples/first.yaml", "config/samples/second.yaml"
	p.write(first, fmt.Sprintf(order, "first", "a"))
	p.write(second, fmt.Sprintf(order, "second", "b"))
	p.run("go", "vet", "./...")
	p.run("go", "test", "./...")
	p.run("go", "build", "-o", "bin/webhook", "./cmd/webhook")
	scan := []string{"scan", "-f", "config/samples"}
	p.command(0, "objects scanned: 2, findings: 0\n", scan...)
	p.convert()

	const validator = "internal/webhook/v1/order_webhook.go"
	create := regexp.MustCompile(`(?m)^func \(.*\) ValidateCreate\(.*\{\n`).FindString(p.read(validator))
	if create == "" {
		t.Fatalf("there is no ValidateCreate:\n%s", p.read(validator))
	}
	p.replace(validator, create, strings.Replace(create, "_ *", "r *", 1)+"\tif r.Object.Labels[\"rack\"] == \"b\" {\n\t\treturn errors.New(\"rack b is full\")\n\t}\n")
	p.replace(validator, "import (\n", "import (\n\t\"errors\"\n")
	p.run("go", "build", "-o", "bin/webhook", "./cmd/webhook")
	said := p.command(1, "\nobjects scanned: 2, findings: 1\n", scan...)
	if !strings.Contains(said, "second.yaml:1 shop/second") || !strings.Contains(said, "rack b is full") {
		t.Errorf("with the new rule, scan prints\n%s", said)
	}
	p.command(0, "objects scanned: 1, findings: 0\n", "scan", "-f", first)
	if said := p.run("bash", "-c", "bin/webhook --help 2>&1"); !strings.Contains(said, "-metrics-address") {
		t.Errorf("the server has other arguments:\n%s", said)
	}
	p.run("rm", second)

	const main = "cmd/webhook/main.go"
	p.replace(main, "\tcommands \""+modulePath+"/runtime/program\"\n", "")
	p.replace(main, "\tif code, ran := commands.Run(context.Background(), os.Args[1:], allWebhooks().Register); ran {\n\t\tos.Exit(code)\n\t}\n", "")
	p.run("go", "vet", "./...")

	page, err := os.ReadFile("../../docs/guides/handlers.md")
	if err != nil {
		t.Fatal(err)
	}
	statement := regexp.MustCompile("(?s)```go\n(commands \".*?)```\n\n```go\n(if code, ran := commands.Run.*?)```").FindSubmatch(page)
	if statement == nil {
		t.Fatal("docs/guides/handlers.md has no statement that calls Run")
	}
	p.replace(main, "func main() {\n", "func main() {\n"+string(statement[2]))
	p.replace(main, "import (\n", "import (\n\t"+string(statement[1]))
	w := p.follow("../../docs/guides/handlers.md", "## Try a rule before it is enforced")
	// Before the report, the go command may say what it downloads.
	if !strings.HasSuffix("\n"+w.printed, "\nobjects scanned: 1, findings: 0\n") {
		t.Errorf("the commands of the page print\n%s", w.printed)
	}
	p.run("go", "mod", "tidy")
	p.run("go", "vet", "./...")
}

// convert converts manifests to the hub's version and back, with a value that the spoke lacks.
func (p project) convert() {
	p.Helper()
	const there = `apiVersion: shop.example.com/v2
kind: Order # of the shop
metadata: {name: first, namespace: shop, labels: {rack: a}}
spec:
  # how many
  count: 2
  article: tea
`
	const setting = "---\n# A setting.\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: prices}\n"
	p.write("old.yaml", p.read("config/samples/first.yaml")+setting)
	if said := p.command(0, setting, "convert", "-f", "old.yaml", "--to", "v2"); said != there+setting {
		p.Errorf("convert prints\n%s", said)
	}
	p.write("new.yaml", there+"  gift: true # wrap it\n")
	said := p.command(1, "new.yaml:1: Order first: spec.gift: true is lost\n", "convert", "-f", "new.yaml", "--to", "v1")
	if !strings.Contains(said, "  # how many\n  count: 2\n  sku: tea\n") || strings.Contains(said, "annotations") {
		p.Errorf("convert prints\n%s", said)
	}
	p.run("rm", "old.yaml", "new.yaml")
}

// command runs a command of the project's program, which must exit with a code. It returns the standard output and,
// behind it, the standard error, and checks their end.
func (p project) command(code int, end string, arguments ...string) string {
	p.Helper()
	c := exec.Command(filepath.Join(p.dir, "bin", "webhook"), arguments...)
	c.Dir, c.Env = p.dir, p.env
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	exit := (*exec.ExitError)(nil)
	said := stdout.String() + stderr.String()
	if err != nil && !errors.As(err, &exit) || c.ProcessState.ExitCode() != code || !strings.HasSuffix(said, end) {
		p.Errorf("%s: %v, want exit code %d and %q at the end of\n%s", strings.Join(arguments, " "), err, code, end, said)
	}
	return said
}
