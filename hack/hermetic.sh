#!/usr/bin/env bash
# Runs the short tests of this module, and the tests that compile generated code, where they must not depend on the
# machine: in a copy of the tree without .git, below a symbolic link, a folder with a space and the git repository of
# somebody else, with settings that users have. Each run must pass, and have the same results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
tree="$scratch/a folder/webhook-gen"
umask 077
mkdir -p "$tree" "$scratch/bin" "$scratch/results"
if git rev-parse --git-dir >/dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    if [[ -e $file || -L $file ]]; then printf '%s\0' "$file"; fi
  done | tar -c --null --no-recursion --files-from - | tar -x -C "$tree"
else
  cp -R . "$tree"
fi
git init --quiet "$scratch"
ln -s "a folder" "$scratch/a link"
# Programs of another version, or of another project.
for program in webhook-gen webhook-gen-explain controller-gen; do
  printf '#!/bin/sh\necho "%s of PATH is called" >&2\nexit 3\n' "$program" >"$scratch/bin/$program"
  chmod +x "$scratch/bin/$program"
done
printf 'not YAML: [' >"$scratch/kubeconfig"
printf 'GOFLAGS=-mod=mod\n' >"$scratch/goenv"

settings=(PATH="$scratch/bin:$PATH" KUBECONFIG="$scratch/kubeconfig" WEBHOOK_GEN= KUBEBUILDER_ASSETS=)
ordinary=() root=()
if [[ $(id -u) == 0 ]]; then
  ordinary=(unshare --user --map-user=1000 --map-group=1000)
else
  root=(unshare --user --map-root-user)
fi

run() { # name, and a command
  local name=$1 status=0
  shift
  echo "==> $name"
  (cd "$scratch/a link/webhook-gen" && "$@" -json) >"$scratch/results/$name.json" || status=$?
  if ((status != 0)); then
    sed -n 's/^.*"Action":"output".*"Output":"\(.*\)\\n"}$/\1/p' "$scratch/results/$name.json" | grep -vE '^(=== |ok |\? |--- PASS|--- SKIP|PASS$)' >&2
    failed=1
  fi
  # Each test and its result.
  sed -n 's/^.*"Action":"\(pass\|fail\|skip\)","Package":"\([^"]*\)","Test":"\([^"]*\)".*$/\2 \3 \1/p' \
    "$scratch/results/$name.json" | sort >"$scratch/results/$name"
}

failed=0
printf 'go 1.26.0\n\nuse "./a folder/webhook-gen"\n' >"$scratch/go.work"
run ordinary "${ordinary[@]}" env "${settings[@]}" TZ=Pacific/Kiritimati LC_ALL=tr_TR.UTF-8 NO_COLOR=1 \
  GOFLAGS= GOWORK= go test -vet=off -count=1 -short ./...
run root "${root[@]}" env "${settings[@]}" TZ=America/St_Johns LC_ALL=C CLICOLOR_FORCE=1 FORCE_COLOR=1 \
  GOENV="$scratch/goenv" GOFLAGS=-mod=mod GOWORK=off go test -vet=off -count=1 -short ./...
if ! diff -u "$scratch/results/ordinary" "$scratch/results/root"; then
  echo 'the runs have different results' >&2
  failed=1
fi
run compile env "${settings[@]}" GOENV="$scratch/goenv" GOWORK=off go test -vet=off -count=1 -timeout 30m ./generator/compile
exit $failed
