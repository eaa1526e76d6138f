# SPDX-License-Identifier: Apache-2.0

# dependencies PACKAGE... adds the dependencies of packages and of their tests to go.mod. The proxy may refuse a module
# that other packages need: go.mod then loses the requirement.
dependencies() {
	while ! go get -t "$@" >"$work/get" 2>&1; do
		refused=$(sed -nE 's#^(go: |\t)([^@ ]+)@[^ ]+: reading http.*#\2#p' "$work/get" | head -1)
		if [ -z "$refused" ] || ! grep -qE "^(require)?\s+$refused " go.mod; then
			grep -v '^go: downloading' "$work/get" | head -5
			return 1
		fi
		echo "the proxy refuses $refused: go.mod loses the requirement"
		go mod edit -droprequire "$refused"
	done
}

# versions raises the versions of go.mod to those in VERSIONS, the go.mod of another project, where these are higher: the
# copy then shares its compiled dependencies. It does nothing without VERSIONS.
versions() {
	[ -n "${VERSIONS:-}" ] || return 0
	go mod edit -json "$VERSIONS" | sed -nE 's#^\t\t\t"(Path|Version)": "(.*)",?$#\2#p' | paste -d ' ' - - | while read -r path version; do
		own=$(sed -nE "s#^(require)?[[:space:]]+$path (v[^ ]+).*#\\2#p" go.mod | head -1)
		if [ -n "$own" ] && [ "$(printf '%s\n%s\n' "$own" "$version" | sort -V | tail -1)" != "$own" ]; then
			echo "-require=$path@$version"
		fi
	done | xargs -r go mod edit
}
