package stdiorpc

import (
	"os/exec"
	"strings"
	"testing"
)

// A quoted program is found, and its output comes back.
func TestCmdTakesQuotedPrograms(t *testing.T) {
	program, err := exec.LookPath("cmd")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cmd", "/c", `"`+program+`" /c echo ran "a b"`)
	forCmd(cmd)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `ran "a b"`) {
		t.Errorf("%q, %v", out, err)
	}
}
