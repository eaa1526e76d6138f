// SPDX-License-Identifier: Apache-2.0

package webhook

import "strings"

// teamAndStage takes the name of a namespace apart. One that names no stage is a team's own.
func teamAndStage(namespace string) (team, stage string) {
	i := strings.LastIndexByte(namespace, '-')
	if i < 0 {
		return namespace, ""
	}
	return namespace[:i], namespace[i+1:]
}
