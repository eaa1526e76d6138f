// SPDX-License-Identifier: Apache-2.0

package lock

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// processWith returns the process that has locked a path, or 0 if it is unknown. /proc/locks has lines such as
//
//	1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF
func processWith(path string) int {
	var info syscall.Stat_t
	if syscall.Stat(path, &info) != nil {
		return 0
	}
	locks, err := os.ReadFile("/proc/locks") //nolint:forbidigo // of the kernel's own
	if err != nil {
		return 0
	}
	device := uint64(info.Dev) //nolint:unconvert // on some platforms it has 32 bits
	major := device>>8&0xfff | device>>32&^uint64(0xfff)
	minor := device&0xff | device>>12&^uint64(0xff)
	file := fmt.Sprintf("%02x:%02x:%d", major, minor, info.Ino)
	for line := range strings.Lines(string(locks)) {
		if words := strings.Fields(line); len(words) >= 6 && words[1] == "FLOCK" && words[5] == file {
			process, _ := strconv.Atoi(words[4])
			return process
		}
	}
	return 0
}
