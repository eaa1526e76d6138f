#!/usr/bin/env bash
# Runs the short tests of this module, and those that compile generated code, where they must not depend on the machine:
# in a copy of the tree without .git, in a folder with a space, below a symbolic link and somebody else's git repository,
# with settings that users have. Both runs of the short tests must have the same results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
tree="$scratch/a folder/webhook-gen"
umask 077
mkdir -p "$tree" "$scratch/bin"
if [[ -e .git ]]; then
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    if [[ -e $file ]]; then printf '%s\0' "$file"; fi
  done | tar -c --null --no-recursion --files-from - | tar -x -C "$tree"
else
  tar -c --exclude ./bin . | tar -x -C "$tree"
fi
git init --quiet "$scratch"
ln -s 'a folder' "$scratch/a link"
for program in webhook-gen controller-gen; do # of another version
  printf '#!/bin/sh\necho "%s of PATH is called" >&2\nexit 3\n' "$program" >"$scratch/bin/$program"
  chmod +x "$scratch/bin/$program"
done
echo 'not YAML: [' >"$scratch/kubeconfig"
echo 'GOFLAGS=-mod=mod' >"$scratch/goenv"
printf 'go 1.26.0\n\nuse "./a link/webhook-gen"\n' >"$scratch/go.work"

# In a user namespace, root is an ordinary user with the same files and caches.
ordinary=()
if [[ $(id -u) == 0 ]]; then
  if unshare --user true 2>/dev/null; then
    ordinary=(unshare --user --map-user=1000 --map-group=1000)
  else
    echo 'no user namespaces: all tests run as root'
  fi
fi

failed=0
run() { # a name, and a go test
  local name=$1 status=0
  shift
  echo "==> $name"
  (cd "$scratch/a link/webhook-gen" && env PATH="$scratch/bin:$PATH" KUBECONFIG="$scratch/kubeconfig" WEBHOOK_GEN= "$@" -vet=off -count=1 -v) \
    >"$scratch/output" 2>&1 || status=$?
  # The names of tests and subtests, with their results. Root reads everything.
  sed -n 's/^ *--- \(PASS\|FAIL\|SKIP\): \([^ ]*\) .*/\2 \1/p' "$scratch/output" |
    { grep -v "^TestLoadUnreadable/permissions " || true; } | sort >"$scratch/results.$name"
  if ((status != 0)); then
    grep -vE '^ *(=== |--- PASS|--- SKIP|PASS$|ok )|no test files' "$scratch/output" || true
    failed=1
  fi
}

run ordinary TZ=Pacific/Kiritimati LC_ALL=tr_TR.UTF-8 NO_COLOR=1 GOWORK= "${ordinary[@]}" go test -short ./...
run caller TZ=America/St_Johns LC_ALL=C CLICOLOR_FORCE=1 FORCE_COLOR=1 GOENV="$scratch/goenv" GOFLAGS=-mod=mod GOWORK=off go test -short ./...
if ! diff "$scratch/results.ordinary" "$scratch/results.caller"; then
  echo 'the two runs of the short tests have different results'
  failed=1
fi
run generated GOENV="$scratch/goenv" GOFLAGS=-mod=mod GOWORK=off go test -timeout 30m ./generator/compile
exit $failed
