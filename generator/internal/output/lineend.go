// SPDX-License-Identifier: Apache-2.0

package output

import "bytes"

// withLineEndings returns content with CRLF if every line of old ends in CRLF. With git's core.autocrlf, a checkout
// then has no drift and keeps its line ends.
func withLineEndings(content, old []byte) []byte {
	crlf := bytes.Count(old, []byte("\r\n"))
	if crlf == 0 || crlf != bytes.Count(old, []byte("\n")) {
		return content
	}
	unix := bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(unix, []byte("\n"), []byte("\r\n"))
}
