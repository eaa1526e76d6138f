#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# steps.sh takes the steps of docs/start/migration.md that compile nothing, in copies of modules from the proxy, and
# prints the result of each. No test of this repository runs it. handlers.sh takes the other steps.
#
#   hack/peers/steps.sh github.com/k8ssandra/cass-operator@v1.31.0 sigs.k8s.io/jobset@v0.12.0 ...
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=${WORK:-$(mktemp -d)}
(cd "$root" && go build -o "$work/webhook-gen" ./cmd/webhook-gen)
export GOWORK=off GOFLAGS="-mod=mod -buildvcs=false"

# rules counts the findings of each rule in the output of webhook-gen.
rules() {
	grep -E '^[^ ].*: (error|warning|note): ' | grep -oE '\[[A-Z][0-9]+\]$' | sort | uniq -c | awk '{printf "%s%s: %s", s, substr($2, 2, length($2) - 2), $1; s = ", "}'
}

for module in "$@"; do
	source=$(cd "$work" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
	dir=$work/project
	rm -rf "$dir"
	cp -R "$source" "$dir"
	chmod -R u+w "$dir"
	cd "$dir"
	manifest=$(grep -rlE '^kind: (Mutating|Validating)WebhookConfiguration' --include=manifests.yaml . | head -1)
	echo "$module: $manifest"
	if "$work/webhook-gen" verify --output "$manifest" >"$work/diff" 2>"$work/findings"; then
		echo "  1. manifest: the same bytes"
	else
		echo "  1. manifest: $(grep -c '^[+-][^+-]' "$work/diff") lines differ"
		# The project's may be of another version of controller-gen, or edited.
		packages=$(grep -rlE '^\s*//\s?\+kubebuilder:webhook' --include='*.go' . | xargs -n1 dirname | sort -u | sed 's/^/paths=/')
		if go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 webhook $packages "output:webhook:dir=$work/theirs" >"$work/theirs.log" 2>&1 &&
			"$work/webhook-gen" --output - 2>/dev/null | cmp -s - "$work/theirs/manifests.yaml"; then
			echo "  1. manifest: the same bytes as controller-gen v0.23.0"
			cp "$work/theirs/manifests.yaml" "$manifest"
		fi
	fi
	"$work/webhook-gen" verify --strict --output "$manifest" >/dev/null 2>"$work/findings" || :
	echo "  2. verify --strict: $(rules <"$work/findings")"
	"$work/webhook-gen" lint >"$work/findings" 2>&1 || :
	echo "  2. lint: $(rules <"$work/findings")"
	printf 'version: 1\nmanifests:\n  path: %s\n  header: false\n' "${manifest#./}" >webhook-gen.yaml
	"$work/webhook-gen" import >"$work/import" 2>&1 || { echo "  4. import: $(tail -1 "$work/import")"; continue; }
	echo "  4. import: $(grep -c '^replace' "$work/import") files, $(diff -ru "$source" . | grep -c '^-//.*kubebuilder:webhook') markers rewritten," \
		"$(grep -rhE '^\s*//\s?\+kubebuilder:webhook:' --include='*.go' . | wc -l) left"
	if "$work/webhook-gen" verify >/dev/null 2>&1; then
		echo "  4. manifest after import: the same bytes"
	fi
done
