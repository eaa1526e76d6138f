// SPDX-License-Identifier: Apache-2.0

package output

import "bytes"

// withLineEndings returns the content with the line endings of the text it takes the place
// of: CRLF if every line there ends so, as it does where git's core.autocrlf checks out a
// tree. Such a checkout is then neither drift nor rewritten line by line.
func withLineEndings(content, old []byte) []byte {
	crlf := bytes.Count(old, []byte("\r\n"))
	if crlf == 0 || crlf != bytes.Count(old, []byte("\n")) {
		return content
	}
	unix := bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(unix, []byte("\n"), []byte("\r\n"))
}
