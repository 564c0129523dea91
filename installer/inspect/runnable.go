package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// caller is a harness that runs commands.
type caller struct {
	env     setup.Env
	harness setup.Harness
	near    string // the folder of the hook's file; a relative path may begin there or in the session's folder
}

// skipUnrunnable adds to a hook with a command why its program cannot run: it is missing, or not executable, or the script of its
// interpreter is missing. It does not judge a command that only a shell could read. It notes the file that the command runs.
func (c caller) skipUnrunnable(hook *setup.Hook) {
	if hook.Kind != "command" {
		return
	}
	if strings.TrimSpace(hook.Command) == "" {
		if len(hook.Skipped) == 0 { // else the harness's own reason says it
			hook.Skip(setup.Reason{Why: "the entry has no command", Fix: "add a command, or remove the entry"})
		}
		return
	}
	c.near = filepath.Dir(hook.File)
	command, ok := c.command(*hook)
	if !ok {
		hook.Unsure = cmp.Or(hook.Unsure, "only a shell can tell which program it runs")
	}
	if !ok || len(command) == 0 {
		return
	}
	path, problem := c.program(command[0])
	if problem != nil {
		if said, mine := setup.ParseCommand(hook.Command); mine {
			problem.Fix, problem.Command = "", setupLine(said.Harness, hook.Origin)
		}
		hook.Skip(*problem)
		return
	}
	hook.Program = path
	if script := scriptOf(command); script != "" {
		c.skipWithoutScript(hook, path, c.absolute(script))
	}
}

// skipWithoutScript adds to a hook that the script of its interpreter is missing, and what that blocks.
func (c caller) skipWithoutScript(hook *setup.Hook, interpreter, script string) {
	hook.Program = script
	if c.env.Exists(script) {
		return
	}
	why, name := fmt.Sprintf("the script %s is missing", script), filepath.Base(interpreter)
	// Without their script, Python 3.11, perl 5.36 and dash end with status 2. That of other shells differs.
	with2 := filepath.Base(c.env.Resolved(interpreter)) == "dash" || strings.HasPrefix(name, "perl") || strings.HasPrefix(name, "python")
	if len(hook.Skipped) == 0 && with2 {
		hook.Blocks = c.harness.Hooks.Blocking[hook.Event]
	}
	if hook.Blocks != "" {
		why += fmt.Sprintf(", so %s ends with status 2", name)
	}
	hook.Skip(setup.Reason{Why: why, Fix: install})
}

const install = "install it, or remove the hook"

// command returns the words of a command, none if the shell runs it itself. ok is false if only a shell, or a session, could tell them.
func (c caller) command(hook setup.Hook) (command []string, ok bool) {
	vars := map[string]string{"HOME": c.env.Home}
	if c.harness.Hooks.HookVariables != nil {
		for name, value := range c.harness.Hooks.HookVariables(c.env, hook) {
			vars[name] = value
		}
	}
	if args, listed := hook.Fields["args"].([]any); listed { // no shell: the harness itself replaces ${NAME} (Claude Code 2.1.330)
		open := "${"
		if c.harness.Hooks.HookVariables == nil {
			open = "$"
		}
		for _, a := range append([]any{hook.Command}, args...) {
			text, _ := a.(string)
			for name, value := range vars {
				text = strings.ReplaceAll(text, "${"+name+"}", cmp.Or(value, "${"+name+"}"))
			}
			if strings.Contains(text, open) {
				return command, len(command) > 1 // program and script are known
			}
			command = append(command, text)
		}
		return command, true
	}
	shell, _ := hook.Fields["shell"].(string)
	switch {
	case shell != "" && !posix(shell):
		return nil, false
	case c.env.GOOS == "windows" || c.harness.Proof.Simulator != nil && !posix(c.harness.Proof.Simulator.Shell(c.env, "x")[0]):
		command, ok = plainWords(hook.Command)
		return command, ok && c.isAbs(command[0]) // a bare name can be a command of the shell
	}
	command, ok = setup.Words(hook.Command, vars)
	ok = ok && len(command) > 0 && !strings.Contains(command[0], "=")
	if ok && builtin(command[0]) {
		return nil, slices.Contains([]string{":", "true", "false", "echo", "printf", "test", "exit", "pwd"}, command[0])
	}
	if ok && len(command) > 1 && command[0] == "env" && command[1] != "" && command[1][0] != '-' && !strings.Contains(command[1], "=") {
		command = command[1:] // env without options and variables runs the rest as it is
	}
	return command, ok
}

func posix(shell string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh"}, filepath.Base(shell))
}

// plainWords returns the words of a command that any shell reads in the same way.
func plainWords(command string) (all []string, ok bool) {
	if strings.ContainsAny(command, "$`%!^&|<>;()'*?\n{}[]~#") {
		return nil, false
	}
	for command = strings.TrimSpace(command); command != ""; command = strings.TrimSpace(command) {
		var text string
		if text, command = cutWord(command); text == "" {
			return nil, false
		}
		all = append(all, text)
	}
	return all, len(all) > 0
}

// builtin reports whether a shell knows a word itself.
func builtin(name string) bool {
	const known = " . : [ [[ ! { } alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs " +
		"disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs " +
		"kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test then " +
		"time times trap true type typeset ulimit umask unalias unset until wait while autoload emulate limit noglob print setopt " +
		"unsetopt vared whence where which zmodload "
	return strings.Contains(known, " "+name+" ")
}

// program returns the file of a program, or why it cannot be run.
func (c caller) program(name string) (path string, problem *setup.Reason) {
	if !strings.ContainsAny(name, c.slashes()) {
		if found, err := c.env.LookPath(name); err == nil {
			return found, nil
		}
		return "", &setup.Reason{Why: fmt.Sprintf("there is no program %s on the PATH", name), Fix: install}
	}
	path = c.absolute(name)
	isDir, err := c.env.Stat(path)
	switch {
	case err == nil && isDir:
		return "", &setup.Reason{Why: path + " is a folder", Fix: "write the path of a program there"}
	case err == nil && c.env.GOOS != "windows":
		if _, err := c.env.LookPath(path); errors.Is(err, fs.ErrPermission) {
			return "", &setup.Reason{Why: path + " is not executable", Command: "chmod +x " + setup.Quote(c.env.GOOS, path)}
		}
		return path, nil
	case err == nil || c.env.GOOS == "windows" && c.withExtension(path):
		return path, nil
	case errors.Is(err, fs.ErrPermission):
		return path, nil // not known
	}
	return "", &setup.Reason{Why: "there is no program " + path, Fix: install}
}

func (c caller) slashes() string {
	if c.env.GOOS == "windows" {
		return `/\`
	}
	return "/"
}

// withExtension reports whether Windows finds a program by adding an extension.
func (c caller) withExtension(path string) bool {
	for ext := range strings.SplitSeq(cmp.Or(c.env.Getenv("PATHEXT"), ".COM;.EXE;.BAT;.CMD"), ";") {
		for _, name := range []string{path + strings.ToLower(ext), path + ext} {
			if isDir, err := c.env.Stat(name); err == nil && !isDir {
				return true
			}
		}
	}
	return false
}

// absolute returns the path of a file that a command names: next to the hook's file if it is there, else in the session's folder.
func (c caller) absolute(path string) string {
	if c.isAbs(path) {
		return path
	}
	here := filepath.Join(c.env.Cwd, path)
	if near := filepath.Join(c.near, path); !c.env.Exists(here) && c.near != "" && c.env.Exists(near) {
		return near
	}
	return here
}

func (c caller) isAbs(path string) bool {
	if c.env.GOOS == "windows" {
		return len(path) > 2 && path[1] == ':' && strings.IndexByte(c.slashes(), path[2]) >= 0 // /c/x is a path of Git Bash
	}
	return filepath.IsAbs(path)
}

// scriptOf returns the script that an interpreter without options runs, "" if there is none or it is not known.
func scriptOf(command []string) string {
	name := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(command[0], `\`, "/")), ".exe")
	interpreters := []string{"node", "tsx", "bun", "python", "python3", "ruby", "perl", "php", "sh", "bash", "zsh", "dash"}
	if !slices.Contains(interpreters, name) || len(command) == 1 || command[1] == "" || command[1][0] == '-' || filepath.Ext(command[1]) == "" {
		return "" // without an extension it may add one, or look elsewhere
	}
	return command[1]
}
