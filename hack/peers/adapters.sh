#!/bin/bash
# SPDX-License-Identifier: Apache-2.0

# adapters.sh has `webhook-gen import --handlers adapters` migrate real projects, and runs their own tests before and
# after it. No test of this repository runs it: it downloads the dependencies of whole operators.
#
#   hack/peers/adapters.sh ~/src/cass-operator ./internal/webhooks/...
#
# The first argument is a folder with a project, and the others are the packages whose tests it runs. The script works in
# a copy. By hand, a maintainer does what it does with the functions that import names: they register the generated
# handlers in place of controller-runtime's builder.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source=$(cd "$1" && pwd)
shift
work=${WORK:-$(mktemp -d)}
(cd "$root" && go build -o "$work/webhook-gen" ./cmd/webhook-gen)
KUBEBUILDER_ASSETS=${KUBEBUILDER_ASSETS:-$("$here/../envtest.sh")}
export GOWORK=off GOFLAGS="-mod=mod -buildvcs=false" KUBEBUILDER_ASSETS
dir=$work/$(basename "$source")
rm -rf "$dir"
cp -R "$source" "$dir"
cd "$dir"

# tested runs the project's tests, and prints how many pass and fail.
tested() {
	go test -count=1 -v "$@" >"$work/log" 2>&1 || :
	specs=$(sed -n 's/\x1b\[[0-9;]*m//g;s/^\(Ran .*\) in .* seconds$/\1/p' "$work/log" | tr '\n' ' ')
	echo "$(grep -cE '^(    )*--- PASS' "$work/log" || :) tests pass, $(grep -cE '^(    )*--- FAIL|\[build failed\]' "$work/log" || :) fail; ${specs:-no specs}"
}

echo "before: $(tested "$@")"
"$work/webhook-gen" import --handlers adapters --skip-tidy >"$work/import" 2>&1
while read -r function file; do
	package=$(dirname "$file")
	body="return nil"
	register=$(sed -n "s#^ *register the handlers of $package: ##p" "$work/import" | sed -E 's/(^|[&(, ])[a-z0-9]+\.([A-Z][A-Za-z]*\{)/\1\2/g')
	if ! grep -rq 'GetWebhookServer().Register)' "$package"; then
		body="return $register"
	fi
	FUNCTION=$function BODY=$body perl -0pi -e 's/(func(?: \([^)]*\))? \Q$ENV{FUNCTION}\E\(.*?\) error \{\n).*?\n\}\n/$1\t$ENV{BODY}\n}\n/s' "$file"
	go run golang.org/x/tools/cmd/goimports@v0.47.0 -w "$file"
done < <(sed -n 's/^ *remove the call of NewWebhookManagedBy in \([^ ]*\) of \([^:]*\):.*/\1 \2/p' "$work/import")
go mod tidy >"$work/tidy" 2>&1 || go get ./... >>"$work/tidy" 2>&1
echo "after:  $(tested "$@")"
echo "generated: $(find . -name 'zz_generated.webhook*.go' -newer "$work/webhook-gen" -print0 | xargs -0 cat | wc -l) lines; adapters: $(find . -name '*_handler*.go' -newer "$work/webhook-gen" -print0 | xargs -0 cat | wc -l) lines"
diff -ru "$source/config/webhook" config/webhook && echo "config/webhook is unchanged"
