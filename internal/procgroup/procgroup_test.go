//go:build unix

package procgroup

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The processes that a program has started end with it, whether it is killed or exits.
func TestChildrenEnd(t *testing.T) {
	for name, script := range map[string]string{
		"it hangs": "sleep 600 & echo $! > child; wait",
		"it ends":  "sleep 600 > /dev/null 2>&1 & echo $! > child",
	} {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
		cmd.Dir = dir
		Own(cmd)
		_ = cmd.Run() // it may be killed
		cancel()
		Kill(cmd)
		said, err := os.ReadFile(filepath.Join(dir, "child"))
		if err != nil {
			t.Fatal(name, err)
		}
		child, err := strconv.Atoi(strings.TrimSpace(string(said)))
		if err != nil {
			t.Fatal(name, err)
		}
		for range 200 {
			if err = syscall.Kill(child, 0); err != nil || zombie(child) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err == nil && !zombie(child) {
			t.Errorf("%s: the child process is alive", name)
		}
	}
}

// zombie reports whether a process has ended and was not waited for, as orphans in a container without init.
func zombie(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
