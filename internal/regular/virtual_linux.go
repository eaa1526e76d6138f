// SPDX-License-Identifier: Apache-2.0

package regular

import (
	"os"
	"syscall"
)

// isVirtual reports whether the kernel makes up the content of a file when it is read: such a file has a size of 0 and
// any length, and its reader may wait (/proc/kmsg, trace_pipe). The numbers are from linux/magic.h.
func isVirtual(f *os.File) bool {
	connection, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var system syscall.Statfs_t
	if connection.Control(func(fd uintptr) { err = syscall.Fstatfs(int(fd), &system) }) != nil || err != nil {
		return false
	}
	switch uint32(system.Type) { //nolint:gosec // the type has 32 bits
	case 0x9fa0, // proc
		0x62656572, // sysfs
		0x64626720, // debugfs
		0x74726163, // tracefs
		0x73636673, // securityfs
		0x62656570, // configfs
		0x27e0eb,   // cgroup
		0x63677270, // cgroup2
		0xf97cff8c, // selinuxfs
		0xcafe4a11: // bpf
		return true
	}
	return false
}
