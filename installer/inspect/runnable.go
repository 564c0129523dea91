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

// skipUnrunnable adds to a hook with a command why its program cannot run: it is missing, or not executable, or the script of its
// interpreter is missing. It says nothing of a command that only a shell could tell. It notes the file that the command runs.
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
	c.folders = []string{c.env.Cwd}
	if c.harness.Hooks.Folders != nil {
		c.folders = c.harness.Hooks.Folders(c.env, *hook)
	}
	command, ok := c.command(*hook)
	if hook.Unread = !ok; !ok || len(command) == 0 {
		return
	}
	program := command[0]
	if program.text == "" {
		hook.Skip(missing(program, "there is no program"))
		return
	}
	path, problem := c.program(program)
	if problem != nil {
		hook.Skip(*problem)
		return
	}
	hook.Program = path
	if why := c.noInterpreter(path); why != nil && strings.ContainsAny(program.text, c.slashes()) {
		hook.Skip(*why)
		return
	}
	script, ok := scriptOf(program.text, command[1:])
	if !ok {
		return
	}
	hook.Program = ""
	if !script.sure {
		return
	}
	hook.Program = c.absolute(script.text)
	if c.env.Exists(c.absolute(script.text)) {
		return
	}
	why := fmt.Sprintf("the script %s is missing", c.shownFile(script))
	if c.harness.Hooks.Blocking != nil && len(hook.Skipped) == 0 && c.endsWith2(path) {
		hook.Blocks = c.harness.Hooks.Blocking(hook.Event)
	}
	if hook.Blocks != "" {
		why += fmt.Sprintf(", so %s ends with status 2", filepath.Base(program.text))
	}
	hook.Skip(missing(script, why))
}

// endsWith2 reports whether an interpreter ends with status 2 if its script is missing (Python 3.11, perl 5.36 and dash). That of
// other shells differs.
func (c caller) endsWith2(interpreter string) bool {
	name := filepath.Base(interpreter)
	return filepath.Base(c.env.Resolved(interpreter)) == "dash" || strings.HasPrefix(name, "perl") || strings.HasPrefix(name, "python")
}

// caller is a harness that runs commands.
type caller struct {
	env      setup.Env
	harness  setup.Harness
	settings map[string]string // variables that its settings set
	folders  []string          // in one of which it runs the command
}

func newCaller(env setup.Env, h setup.Harness) caller {
	c := caller{env: env, harness: h}
	if h.Hooks.Variables != nil {
		c.settings, _ = h.Hooks.Variables(env)
	}
	return c
}

// command returns the words of a command line. none if the shell runs it itself. ok is
// false for one that only a shell could tell.
func (c caller) command(hook setup.Hook) (command []word, ok bool) {
	if shell, _ := hook.Fields["shell"].(string); shell != "" && !posix(shell) {
		return nil, false
	}
	if args, listed := hook.Fields["args"].([]any); listed { // no shell
		command = []word{c.placed(hook, hook.Command)}
		for _, a := range args {
			text, _ := a.(string)
			command = append(command, c.placed(hook, text))
		}
		return command, command[0].sure
	}
	if c.env.GOOS == "windows" || !c.hasShell() {
		return c.plainWords(hook.Command)
	}
	all, ok := words(hook.Command, c.env.Home, c.lookup(hook))
	if !ok || len(all) == 0 || !all[0].sure {
		return nil, false
	}
	if name := all[0].text; !all[0].quote && builtin(name) {
		return nil, slices.Contains([]string{":", "true", "false", "echo", "printf", "test", "exit", "pwd"}, name)
	}
	if len(all) > 1 && all[0].text == "env" && all[1].sure && !strings.HasPrefix(all[1].text, "-") && !strings.Contains(all[1].text, "=") {
		all = all[1:] // env without options and variables runs the rest as it is
	}
	return all, true
}

// placed returns a word that no shell reads. The harness itself replaces ${NAME} of the variables that it sets, and leaves $NAME
// as it is (Claude Code 2.1.330).
func (c caller) placed(hook setup.Hook, shown string) word {
	text, open := shown, "$"
	if c.harness.Hooks.HookVariables != nil {
		open = "${"
		for name, value := range c.harness.Hooks.HookVariables(c.env, hook) {
			text = strings.ReplaceAll(text, "${"+name+"}", cmp.Or(value, "${"+name+"}"))
		}
	}
	return word{text: text, shown: shown, sure: !strings.Contains(text, open), quote: true}
}

// hasShell reports whether the harness runs commands with a POSIX shell.
func (c caller) hasShell() bool {
	return c.harness.Proof.Simulator == nil || posix(c.harness.Proof.Simulator.Shell(c.env, "x")[0])
}

func posix(shell string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh"}, filepath.Base(shell))
}

// plainWords returns the words of a command that any shell reads in the same way.
func (c caller) plainWords(command string) (all []word, ok bool) {
	if strings.ContainsAny(command, "$`%!^&|<>;()'*?\n{}[]~#") {
		return nil, false
	}
	for command = strings.TrimSpace(command); command != ""; command = strings.TrimSpace(command) {
		var text string
		if text, command = cutWord(command); text == "" {
			return nil, false
		}
		all = append(all, word{text: text, shown: text, sure: true})
	}
	if len(all) == 0 || !c.isAbs(all[0].text) { // a bare name can be a command of the shell
		return nil, false
	}
	return all, true
}

// lookup returns how a shell would look up variables for a hook. A variable that nothing sets is not known if it is not
// known either which ones the harness sets.
func (c caller) lookup(hook setup.Hook) func(name string) (string, bool, bool) {
	var own map[string]string
	if c.harness.Hooks.HookVariables != nil {
		own = c.harness.Hooks.HookVariables(c.env, hook)
	}
	return func(name string) (value string, set, sure bool) {
		if value, set = own[name]; set {
			return value, true, value != ""
		}
		if value, set = c.settings[name]; set {
			return value, true, true
		}
		if name == "HOME" {
			return c.env.Home, true, true
		}
		value = c.env.Getenv(name)
		return value, value != "", value != "" || c.harness.Hooks.HookVariables != nil && !shells(name)
	}
}

// shells reports whether shells set a variable themselves.
func shells(name string) bool {
	switch name {
	case "PWD", "OLDPWD", "PPID", "UID", "EUID", "RANDOM", "SECONDS", "LINENO", "HOSTNAME", "OSTYPE", "MACHTYPE", "HOSTTYPE", "SHELL", "SHLVL", "IFS", "PATH":
		return true
	}
	return strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "ZSH")
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
func (c caller) program(w word) (path string, problem *setup.Reason) {
	if !strings.ContainsAny(w.text, c.slashes()) {
		if found, err := c.env.LookPath(w.text); err == nil {
			return found, nil
		}
		why := missing(w, fmt.Sprintf("there is no program %s on the PATH", c.shown(w)))
		return "", &why
	}
	path = c.absolute(w.text)
	isDir, err := c.env.Stat(path)
	switch {
	case err == nil && isDir:
		return "", &setup.Reason{Why: c.shown(w) + " is a folder", Fix: "write the path of a program there"}
	case err == nil && c.env.GOOS != "windows":
		if _, err := c.env.LookPath(path); errors.Is(err, fs.ErrPermission) {
			return "", &setup.Reason{Why: c.shown(w) + " is not executable", Fix: "chmod +x " + cmp.Or(c.quoted(w), path)}
		}
		return path, nil
	case err == nil || c.env.GOOS == "windows" && c.withExtension(path):
		return path, nil
	case errors.Is(err, fs.ErrPermission):
		return path, nil // not known
	}
	why := missing(w, "there is no program "+c.shown(w))
	return "", &why
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

// absolute returns the path of a file that a command names: in the first folder that has it, or in the likeliest one.
func (c caller) absolute(path string) string {
	if c.isAbs(path) {
		return path
	}
	for _, dir := range c.folders {
		if joined := filepath.Join(dir, path); c.env.Exists(joined) {
			return joined
		}
	}
	return filepath.Join(c.folders[0], path)
}

func (c caller) isAbs(path string) bool {
	if c.env.GOOS == "windows" {
		return len(path) > 2 && path[1] == ':' && strings.IndexByte(c.slashes(), path[2]) >= 0 // /c/x is a path of Git Bash
	}
	return filepath.IsAbs(path)
}

// shown returns a program as a reason names it: its path, or its name.
func (c caller) shown(w word) string {
	if !strings.ContainsAny(w.text, c.slashes()) {
		return w.shown
	}
	return c.shownFile(w)
}

// shownFile returns the path of a file as a reason names it.
func (c caller) shownFile(w word) string {
	if w.text == w.shown {
		return c.absolute(w.text)
	}
	return w.shown
}

// quoted returns the path of a word for a command line, "" if that has a variable in it.
func (c caller) quoted(w word) string {
	if w.text != w.shown && !strings.HasPrefix(w.shown, "~/") {
		return ""
	}
	return setup.Quote(c.env.GOOS, c.absolute(w.text))
}

// missing returns the reason for a file that a word should name.
func missing(w word, why string) setup.Reason {
	if len(w.unset) > 0 {
		names := "$" + strings.Join(w.unset, ", $")
		return setup.Reason{
			Why: fmt.Sprintf("%s is not set, so %s", names, why),
			Fix: "set " + names + " where the harness is started, or write the path into the command",
		}
	}
	return setup.Reason{Why: why, Fix: "install it, or remove the hook"}
}
