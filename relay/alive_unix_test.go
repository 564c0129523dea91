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

// children returns the processes that a process has started and that run, none where there is no /proc.
func children(of int) (ids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		stat, err := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); err == nil && fields[0] != "Z" && fields[1] == strconv.Itoa(of) {
			id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			ids = append(ids, id)
		}
	}
	return ids
}
