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
