package stdiorpc

import (
	"os/exec"
	"syscall"
)

// forCmd passes a command line to cmd.exe as it is, with one more pair of quotes around it, which cmd.exe removes. Package
// os/exec would quote its quotes in a way that cmd.exe does not know. Codex passes it so, too (pull request 33926 of openai/codex).
func forCmd(cmd *exec.Cmd) {
	if len(cmd.Args) != 3 || cmd.Args[0] != "cmd" {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CmdLine = `cmd /c "` + cmd.Args[2] + `"`
}
