//go:build unix

package relay

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether a process is there that has not ended.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
