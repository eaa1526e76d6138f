#!/usr/bin/env bash
# Builds the API server that tests need, unless it is there, and prints its folder for KUBEBUILDER_ASSETS. An API
# server that KUBEBUILDER_ASSETS names already is the newest one:
#
#   hack/envtest.sh           the version of the validation that our rules are compared with
#   hack/envtest.sh oldest    the oldest version that we promise
#
# The first has every module that both require as generator/internal/check/upstream has it: Go's build cache then
# compiles half of the API server once for both. ENVTEST_ASSETS_ROOT names another folder than the user's cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1-} != oldest && -n ${KUBEBUILDER_ASSETS-} ]]; then
  echo "$KUBEBUILDER_ASSETS"
  exit
fi
oldest=1.34.10
upstream=generator/internal/check/upstream

flags=(--build ${ENVTEST_ASSETS_ROOT:+--cache="$ENVTEST_ASSETS_ROOT"})
if [[ ${1-} == oldest ]]; then
  flags+=(--kubernetes "$oldest")
else
  flags+=(--kubernetes "$(go -C $upstream list -m -f '{{.Version}}' k8s.io/kubernetes)")
  flags+=(--require "$(awk '
    $1 == "require" && $2 == "(" { block = 1; next }
    $1 == ")" { block = 0 }
    block && $1 !~ /^(k8s.io|github.com\/webhook-gen)\// { print $1 "@" $2 }' $upstream/go.mod | paste -sd,)")
fi
# Two runs at once build it once.
exec 9>"${TMPDIR:-/tmp}/webhook-gen-envtest-$(id -u)-${1-newest}.lock"
if command -v flock >/dev/null; then flock 9; fi
KUBEBUILDER_ASSETS='' exec go run ./cmd/webhook-gen assets "${flags[@]}"
