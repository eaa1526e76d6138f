#!/usr/bin/env bash
# Gives all modules of this tree the same version of what several of them require: the highest one. Go's build cache then
# compiles a dependency once for all of them: another version of golang.org/x/net alone compiles all of k8s.io/* again.
#
#   hack/align.sh           changes go.mod and go.sum, and the templates of go.mod
#   hack/align.sh --check   prints what differs, changes nothing, and fails if there is anything
#
# Modules whose versions are what they test keep them: the runtime's floors, and a peer that requires versions of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

own='^(runtime|runtime/controllerruntime|runtime/program|runtime/integrationtest|hack/tools|hack/peers/karpenter)/go.mod$'

files() {
  git ls-files 'go.mod' '*/go.mod' | grep -Ev "$own"
  git ls-files 'templates/*go.mod.tmpl' # what new projects begin with
}

# required prints "file path version" for every requirement. A replaced path has the version of its replacement.
required() {
  files | while read -r file; do
    awk -v file="$file" '
      { sub(/\/\/.*/, "") }
      $1 == "require" && $2 == "(" { block = "require"; next }
      $1 == "replace" && $2 == "(" { block = "replace"; next }
      $1 == ")" { block = ""; next }
      $1 == "require" && NF == 3 { version[$2] = $3 }
      block == "require" && NF == 2 { version[$1] = $2 }
      $1 == "replace" { sub(/^replace /, "") }
      / => / { replaced[$1] = 1 }
      END { for (path in version) if (!(path in replaced)) print file, path, version[path] }' "$file"
  done
}

# differing prints "file path highest version" of every requirement below the highest version.
differing() {
  # sort puts v1.2.0~0 before v1.2.0, as Go does v1.2.0-0.
  required | sed 's/ \(v[0-9][^ -]*\)-\([^ ]*\)$/ \1~\2/' | sort -k2,2 -k3,3V | sed 's/~/-/' | awk '
    { file[NR] = $1; path[NR] = $2; version[NR] = $3; highest[$2] = $3 }
    END { for (i = 1; i <= NR; i++) if (version[i] != highest[path[i]]) print file[i], path[i], highest[path[i]], version[i] }'
}

if [[ ${1-} == --check ]]; then
  different=$(differing)
  [[ -z $different ]] && exit
  while read -r file path highest version; do
    echo "$file: $path $version, and $highest elsewhere"
  done <<<"$different"
  echo "run hack/align.sh"
  exit 1
fi

# A higher version can require higher ones of others.
for _ in 1 2 3 4 5; do
  different=$(differing)
  [[ -z $different ]] && exit
  cut -d' ' -f1 <<<"$different" | sort -u | while read -r file; do
    echo "==> $file"
    if [[ $file == *.tmpl ]]; then # not for the go command
      while read -r _ path highest version; do
        sed -i "s#\(${path//./\\.}\) ${version//./\\.}#\1 $highest#" "$file"
      done < <(grep "^$file " <<<"$different")
      continue
    fi
    mapfile -t edits < <(awk -v file="$file" '$1 == file { print "-require=" $2 "@" $3 }' <<<"$different")
    go mod edit "${edits[@]}" "$file"
    go -C "$(dirname "$file")" mod tidy
  done
done
exec "${BASH_SOURCE[0]}" --check
