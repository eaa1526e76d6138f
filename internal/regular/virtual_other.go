// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package regular

import "os"

// isVirtual reports whether the kernel makes up the content of a file when it is read, as only Linux does.
func isVirtual(*os.File) bool { return false }
