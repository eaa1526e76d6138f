#!/bin/bash
# SPDX-License-Identifier: Apache-2.0

# handlers.sh moves real projects to generated handlers, and runs their own tests before and after it. No test of this
# repository runs it: it downloads the dependencies of whole operators.
#
#   hack/peers/handlers.sh tests github.com/k8ssandra/cass-operator@v1.31.0 ./internal/webhooks/...
#   hack/peers/handlers.sh native github.com/k8ssandra/cass-operator@v1.31.0 ./internal/webhooks/...
#
# The second argument is a module of the proxy. The others are the packages whose tests it runs. The script works in a
# copy. With tests, it adds the tests of `webhook-gen create tests`, and nothing else. With native, the program in
# hack/peers/existing/native moves the existing methods to the handlers that import creates. VERSIONS is of
# existing/dependencies.sh. LINT names a golangci-lint, which then checks the new files with the project's configuration,
# as if the user had written all of them.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mode=$1 project=$2
shift 2
work=${WORK:-$(mktemp -d)}
(cd "$root" && go build -o "$work/webhook-gen" ./cmd/webhook-gen)
(cd "$here/existing/native" && go build -o "$work/native" .)
KUBEBUILDER_ASSETS=${KUBEBUILDER_ASSETS:-$("$here/../envtest.sh")}
export GOWORK=off GOFLAGS="-mod=mod -buildvcs=false" KUBEBUILDER_ASSETS
. "$here/existing/dependencies.sh"
source=$(cd "$work" && go mod download -json "$project" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
dir=$work/project
rm -rf "$dir"
cp -R "$source" "$dir"
chmod -R u+w "$dir"
cd "$dir"
versions
dependencies "$@"

# tested runs tests, and prints how many pass and fail.
tested() {
	go test -count=1 -vet=off -v "$@" >"$work/log" 2>&1 || :
	grep -qE '^(ok|FAIL|---)' "$work/log" || echo "the tests did not run: $(tail -1 "$work/log"); "
	specs=$(sed -n 's/\x1b\[[0-9;]*m//g;s/^\(Ran .*\) in .* seconds$/\1/p;s/^.* -- \([0-9]* Passed | [0-9]* Failed\) .*$/\1;/p' \
		"$work/log" | tr '\n' ' ')
	echo "$(grep -cE '^ *--- PASS' "$work/log" || :) tests pass, $(grep -cE '^ *--- FAIL|\[build failed\]|\[setup failed\]' "$work/log" || :) fail; ${specs:-no specs}"
}

# written counts the lines of the packages that nobody generated.
written() {
	go list -f '{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}' "$@" |
		grep -v '/zz_generated' | tr '\n' '\0' | xargs -0 cat | wc -l
}

# created prints the new files of Go.
created() {
	find . -name '*.go' -newer "$work/start" | while read -r f; do
		[ -e "$source/$f" ] || echo "$f"
	done
}

# linted prints what golangci-lint reports for the new files.
linted() {
	[ -n "${LINT:-}" ] || return 0
	created | tr '\n' '\0' | xargs -0 sed -i '/^\/\/ Code generated .* DO NOT EDIT\.$/{N;d}'
	"$LINT" run --issues-exit-code 0 --max-issues-per-linter 0 --max-same-issues 0 --show-stats=false "$@" >"$work/lint" 2>&1 || tail -3 "$work/lint"
	found=$(grep -E '^[^ ]+\.go:[0-9]+' "$work/lint" | grep -F -f <(created | sed 's#^\./##') || :)
	echo "golangci-lint: $(created | wc -l) new files, $(echo "$found" | grep -c . || :) findings${found:+
$found}"
}

echo "before: $(tested "$@"); $(written "$@") lines by hand"
cp "$work/log" "$work/log.before"
touch "$work/start"
case $mode in
tests)
	"$work/webhook-gen" create tests --skip-tidy >"$work/import" 2>&1
	go mod edit -require github.com/webhook-gen/webhook-gen/runtime@v0.1.0 -replace "github.com/webhook-gen/webhook-gen/runtime=$root/runtime"
	dependencies "$@"
	linted "$@"
	;;
native)
	"$work/webhook-gen" import --handlers stubs --skip-tidy >"$work/import" 2>&1
	dependencies "$@"
	linted "$@"
	"$work/native" "$@"
	find . -name '*.go' -newer "$work/start" -print0 | xargs -0 go run golang.org/x/tools/cmd/goimports@v0.47.0 -w
	dependencies "$@"
	;;
esac
ours=$(created | grep '_test.go$' | tr '\n' '\0' | xargs -0 -r sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' | paste -sd '|')
echo "after: $(tested -skip "^($ours)$" "$@"); $(written "$@") lines by hand"
cp "$work/log" "$work/log.after"
echo "generated tests: $(tested -run "^($ours)$" "$@")"
echo "generated: $(created | grep -E '/(zz_generated.webhook.*|webhook_handlers_test).go$' | tr '\n' '\0' | xargs -0 cat | wc -l) lines"
changed=$(find . -name '*_test.go' -newer "$work/start" | while read -r f; do
	[ ! -e "$source/$f" ] || diff "$source/$f" "$f" || :
done | grep -c '^>' || :)
echo "the project's own tests: $changed lines changed"
if [ -d "$source/config/webhook" ]; then
	diff -ru "$source/config/webhook" config/webhook && echo "config/webhook is unchanged"
fi
