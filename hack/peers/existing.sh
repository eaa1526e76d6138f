#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# existing.sh runs the tests of `webhook-gen create tests` in real projects from the module proxy, and prints what they
# report. No test of this repository runs it: it downloads the dependencies of whole operators.
#
#   hack/peers/existing.sh sigs.k8s.io/jobset@v0.10.1 github.com/kedacore/keda/v2@v2.21.0 ...
#
# The script copies each project, and changes nothing but go.mod and the new files. PACKAGES limits the tests to
# packages, separated by spaces, and VERSIONS is of existing/dependencies.sh. If hack/peers/existing/PACKAGE.sed
# exists, with every / of the package's path replaced by -, it fills in the handlers that webhook-gen leaves to the
# user.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${WORK:-$(mktemp -d)}
(cd "$root" && go build -o "$work/webhook-gen" ./cmd/webhook-gen)
# Packages whose TestMain starts an API server need its programs.
KUBEBUILDER_ASSETS=${KUBEBUILDER_ASSETS:-$("$here/../envtest.sh")}
export GOWORK=off GOFLAGS="-mod=mod -buildvcs=false" KUBEBUILDER_ASSETS
. "$here/existing/dependencies.sh"

for module in "$@"; do
	name=$(echo "$module" | tr / -)
	source=$(cd "$work" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
	dir=$work/$name
	if [ ! -d "$dir" ]; then
		cp -R "$source" "$dir"
		chmod -R u+w "$dir"
	fi
	cd "$dir"
	markers=$(grep -rlE --include='*.go' '^\s*//\s?\+kubebuilder:webhook:' . | wc -l)
	"$work/webhook-gen" create tests --skip-tidy >"$work/$name.created" 2>&1 || { cat "$work/$name.created"; continue; }
	go mod edit -require github.com/webhook-gen/webhook-gen/runtime@v0.1.0 -replace "github.com/webhook-gen/webhook-gen/runtime=$root/runtime"
	versions
	files=$(find . -name webhook_handlers_test.go)
	for file in $files; do
		# The handlers as the comments have them, in place of nil.
		if grep -q 'Replace nil by the handler: admission' "$file"; then
			sed -i -E '/Replace nil by the handler: admission[^…]*$/{s#^\s*// Replace nil by the handler: (.*)$#\1#;h;d};/": +nil,$/{G;s#nil,\n(.+)#\1,#;s#\n$##;x;s#.*##;x};s#^\t_ = scheme.*##' "$file"
			grep -q '"sigs.k8s.io/controller-runtime/pkg/webhook/admission"' "$file" ||
				sed -i '0,/^\t"k8s.io.apimachinery.pkg.runtime"/s##&\n\t"sigs.k8s.io/controller-runtime/pkg/webhook/admission"#' "$file"
		fi
		# A client of controller-runtime's tests, with the types of the project and of Kubernetes.
		if grep -q 'GetClient()\|GetAPIReader()' "$file"; then
			sed -i -E 's#\b[a-zA-Z.]+\.Get(Client|APIReader)\(\)#fake.NewClientBuilder().WithScheme(scheme).Build()#g;s#\.AddToScheme\} \{$#.AddToScheme, clientgoscheme.AddToScheme} {#;s#\{AddToScheme\} \{$#{AddToScheme, clientgoscheme.AddToScheme} {#' "$file"
			sed -i '0,/^\t"k8s.io.apimachinery.pkg.runtime"/s##&\n\tclientgoscheme "k8s.io/client-go/kubernetes/scheme"\n\t"sigs.k8s.io/controller-runtime/pkg/client/fake"#' "$file"
		fi
		edits=$here/existing/${name%@*}$(dirname "${file#.}" | tr / -).sed
		if [ -f "$edits" ]; then
			sed -i -E -f "$edits" "$file"
		fi
		gofmt -w "$file" || : # a comment was cut
	done
	for file in $files; do
		package=./$(dirname "${file#./}")
		case " ${PACKAGES:-$package} " in *" $package "*) ;; *) continue ;; esac
		dependencies "$package" || { echo "$module $package: no dependencies"; continue; }
		log=$work/$name.$(echo "$package" | tr / _).log
		reviews=${log%.log}.reviews
		rm -rf "$reviews" && mkdir "$reviews"
		WEBHOOK_REVIEWS=$reviews go test "$package" -vet=off -count=1 -timeout 8m -run '^TestWebhookHandlers$' -v >"$log" 2>&1 || :
		webhooks=$(grep -c '^				Name: ' "$file" || :)
		left=$(grep -cE ':\s+nil,$' "$file" || :)
		passed=$(grep -cE '^    --- PASS: TestWebhookHandlers/' "$log" || :)
		failed=$(grep -cE '^    --- FAIL: TestWebhookHandlers/' "$log" || :)
		echo "$module $package: $webhooks webhooks in $markers files, $left handlers left to the user, $passed tests pass, $failed fail; $log"
		# One plain request for each finding.
		sed -nE 's#^    existing[a-z_]*\.go:[0-9]+: (.*)$#finding \1#p;s#^ +POST ([^ ]+) < (.*)$#\1 \2#p' "$log" |
			awk '/^finding /{ title = $0; next } { if (title != "") print title; title = ""; print }' >"$reviews.list"
		[ -s "$reviews.list" ] || continue
		sed "s/^package PACKAGE$/$(grep -m 1 '^package ' "$file")/" "$here/existing/reproduce_test.go.txt" >"${file%/*}/reproduce_test.go"
		FINDINGS=$reviews.list go test "$package" -vet=off -count=1 -timeout 8m -run '^TestReproduce$' -v >"$reviews.log" 2>&1 || :
		echo "$module $package: $(grep -c '^finding ' "$reviews.list") findings with requests," \
			"$(grep -c ' reproduced: ' "$reviews.log" || :) reproduced; $reviews.log"
	done
done
