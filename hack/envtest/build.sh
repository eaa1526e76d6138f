#!/usr/bin/env bash
# Builds the kube-apiserver and the etcd that a module's tool directives pin, unless they are there already, and prints
# the folder they lie in, as controller-runtime's envtest wants it:
#
#   KUBEBUILDER_ASSETS=$(hack/envtest/build.sh) go test ./...
#   KUBEBUILDER_ASSETS=$(hack/envtest/build.sh hack/envtest/oldest) go test ./...
#
# The folder is one for each version, below ENVTEST_ASSETS_ROOT or else the user's cache folder. Two runs at once are
# safe: binaries appear under their name only when complete, and where flock is at hand the second run waits.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")}"

# No flags but the linker's: whatever else differs from a plain `go test` is part of every package's key in Go's build
# cache, and half of these packages are those that the tests against upstream's validation have compiled before.
export GOWORK=off
unset GOOS GOARCH

kubernetes=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
etcd=$(go list -m -f '{{.Version}}' go.etcd.io/etcd/server/v3)
root=${ENVTEST_ASSETS_ROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/webhook-gen/envtest}
out=$root/kubernetes-$kubernetes-etcd-$etcd-$(go env GOOS)-$(go env GOARCH)
mkdir -p "$out"

# progress prints what `go build -v` names, package by package, as a count every so often, and anything else as it is.
progress() { # binary
  awk -v binary="$1" '
    /^[^ :]+$/ { if (++n % 200 == 0) printf "    %s: %d packages compiled\n", binary, n; fflush(); next }
    { print }' >&2
}

build() { # binary package linker-flags
  [[ -x $out/$1 ]] && return
  echo "==> building $1 of $out (some minutes where Go's build cache is cold)" >&2
  go build -v -ldflags "-s -w $3" -o "$out/.$1.$$" "$2" 2>&1 | progress "$1"
  mv -f "$out/.$1.$$" "$out/$1"
}

if [[ ! -x $out/etcd || ! -x $out/kube-apiserver ]]; then
  exec 9>"$out/.lock"
  if command -v flock >/dev/null; then flock 9; fi
  # Without its version an API server says v0.0.0-master+$Format:%H$, at which clients trip.
  version=k8s.io/component-base/version
  IFS=. read -r major minor _ <<<"${kubernetes#v}"
  build etcd go.etcd.io/etcd/server/v3 ""
  build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver \
    "-X $version.gitVersion=$kubernetes -X $version.gitMajor=$major -X $version.gitMinor=$minor -X $version.gitTreeState=archive"
fi
echo "$out"
