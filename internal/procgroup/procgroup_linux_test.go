package procgroup

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asParent makes the test's program start a program and wait for it.
const asParent = "PROCGROUP_TEST_PARENT"

// A program ends with its parent, even if the parent could not end it.
func TestChildEndsWithItsParent(t *testing.T) {
	if os.Getenv(asParent) != "" {
		cmd := exec.Command("/bin/sh", "-c", "echo $$; exec sleep 600")
		cmd.Stdout = os.Stdout
		Own(cmd)
		_ = cmd.Run() // the test kills this process
		return
	}
	parent := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	parent.Env = append(os.Environ(), asParent+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if killed := parent.Process.Kill(); err != nil || killed != nil {
		t.Fatal(err, killed)
	}
	_ = parent.Wait() // it was killed
	child, err := strconv.Atoi(strings.TrimSpace(said))
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if err = syscall.Kill(child, 0); err != nil || zombie(child) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(-child, syscall.SIGKILL)
	t.Error("the child process is alive")
}
