// Package harnesses is the contract between wsi and the programs it serves: what a harness is,
// how its hook events read, how its files are wired. One folder below it holds all that wsi knows
// of one harness; package harnesses/registry lists them.
//
// It must not know how files are written (package installer), where values are kept (package
// hook/vault) or what a person sees (packages doctor and cmd/wsi).
package harnesses

import (
	"context"
	"time"
)

// Harness is all that wsi knows of one program in which a model calls MCP tools. It is mostly
// data: the functions only compute from what they are given and from files read through Env.
type Harness struct {
	ID   string // as typed after --harness: "claude-code"
	Name string // as shown: "Claude Code"

	// Find tells whether the harness is on this machine and what it is configured with.
	// A configuration file that cannot be read or parsed is an error that names the file.
	Find func(Env) (Presence, error)

	// Wiring returns the files, as they must be, that make the harness run wsi's hooks.
	// The errors it returns are refusals, fit to be shown.
	Wiring func(Env, Scope, Program) (Wiring, error)

	// Choices are the ways in which it can be wired, the one that the facts recommend most first. None
	// means by hooks alone.
	Choices []Choice
	// First is the way that setup takes unless another one is asked for; "" = hooks where it has them.
	First Mode
	// Registers returns the files of a scope in which its user registers MCP servers, there or not. Nil
	// where wsi cannot be put in front of servers.
	Registers func(Env, Scope) []ServerFile
	// Bundled returns the MCP servers that come with what is installed into the harness, such as a plugin:
	// their registrations are nobody's to edit. Nil where none are known.
	Bundled func(Env) []Server
	// Validate returns an error if the harness would ignore this hook file as a whole, or part of
	// it, for a reason that need not lie in wsi's entries (one bad neighbour disables ours).
	// Nil where the harness has no hook file of that kind.
	Validate func(file HookFile, content []byte) error

	// Reads returns every file from which the harness takes hooks in a scope, there or not, wsi's own
	// place among them. Their entries are left out. Nil where the harness has no hook files.
	Reads func(Env, Scope) []HookFile

	// Matches tells whether the harness runs a hook with this matcher for the tool of this event.
	// Nil where hooks have no matchers.
	Matches func(matcher string, ev Event) bool

	// Policy tells why the harness skips wsi's hooks in a file, given as it is on disk, though they
	// are registered: nobody approved them, or hooks are switched off. Nil where nothing can do that.
	Policy func(Env, HookFile, []byte) error

	// Variables returns what the harness's own settings set in the environment of hooks, and by the same
	// names the files that do. Nil where they set nothing.
	Variables func(Env) (values, files map[string]string)

	// TrustRecords returns the trust records that the harness would itself write once its user has
	// approved the given hook files, each as it will be on disk. They are written only when the
	// user explicitly asked for it. Nil where the harness has no such gate.
	TrustRecords func(Env, HookFile, []byte) ([]TrustRecord, error)

	// QueryHooks asks the harness's own binary which hooks it knows and whether it would run them. It may write
	// into dir, a folder that is empty, and nowhere else, and must not reach the network. Nil where the
	// harness cannot be asked.
	QueryHooks func(ctx context.Context, env Env, binary, dir string) (Listing, error)

	// Starts has the harness's own binary read its user's configuration, as it is. What it refuses is a Rejected; any
	// other error says why it could not be asked. It may write into dir, a folder that is empty, and nowhere else,
	// and must not reach the network. Nil where the harness cannot be asked.
	Starts func(ctx context.Context, env Env, binary, dir string) error

	// Below: what a project's folder has it also reads in sessions in the folders below it, as far as
	// they are in the same repository.
	Below bool

	// Above returns the hook files of other folders of the project that it reads in a session in the
	// current one. Nil where it reads none.
	Above func(Env) []HookFile

	// ProjectAt returns the folder from which it takes what belongs to the project, if that may be
	// another than the current one. Nil where it never is.
	ProjectAt func(Env) string

	// Dedupes tells whether only one of these two commands of wsi's takes effect, registered for the same
	// event in different files. Nil where both do.
	Dedupes func(a, b string) bool

	// IgnoredWhen are the fields of an entry under which the harness does not use what a command of wsi's
	// answers.
	IgnoredWhen []string

	// Imports returns the hook files of other harnesses whose hooks this one runs, too, and ImportNote
	// says in a sentence what becomes of wsi's there. Nil where it runs none.
	Imports    func(Env) []HookFile
	ImportNote string

	// Managed returns the hook files of whoever administers the machine, from which the harness takes
	// hooks as well; wsi neither writes nor judges them. Nil where none are known.
	Managed func(Env) []HookFile

	// StartupDelay tells what holds the harness up at its start because of wsi's hooks, and what can be done
	// about it; "" if nothing does. Nil where nothing can.
	StartupDelay func(Env) (why, fix string)

	// Measured are the versions with which the facts in this package were found, and Flaws what is known
	// of the hooks of others.
	Measured []string
	Flaws    []Flaw

	// Guide leads its user through the proof with the harness itself. Nil where the doctor can run the
	// harness.
	Guide *Guide

	// Restart says how what runs of the harness gets to know of a change, "" where there is nothing particular to
	// it. Afterwards are sentences on what its user must do, or wait for, once wsi is wired.
	Restart    string
	Afterwards []string

	// Caveats are sentences a user must know about this harness, for setup, doctor and README; HookCaveats
	// are those that hold only where hooks carry the value.
	Caveats, HookCaveats []string

	// Meta returns what the harness writes as _meta of a tools/call about who makes it, a raw JSON object.
	// Nil where it says nothing of that.
	Meta func(ToolCall) []byte

	// ProofTime is how long a live proof of two sessions may take; 0 is 50 seconds.
	ProofTime time.Duration

	Codec        Codec
	Capabilities Capabilities
	Simulator    Simulator
}

// Env is the outside world as a harness sees it, passed in so that every test has a home of its
// own on every platform.
type Env struct {
	Home     string // the user's home folder, absolute
	Cwd      string // the folder of the project, absolute
	GOOS     string
	Getenv   func(string) string
	Environ  func() []string // all of the environment, "NAME=value"; nil: not more of it is known than Getenv tells
	ReadFile func(path string) ([]byte, error)
	Stat     func(path string) (isDir bool, err error) // follows links
	LookPath func(name string) (string, error)
	// Resolve follows the links of an existing path to its end. Nil where no path has links.
	Resolve func(path string) (string, error)
	// Output runs a program of the harness (only `--version` and the like) and returns its stdout. An
	// exec.ExitError has the beginning of what it wrote to stderr.
	Output func(ctx context.Context, name string, args ...string) ([]byte, error)
	Now    func() time.Time
}

// BlockedError is the error of a Gate, with what the user can do about it. A gate that is closed for
// several reasons joins them.
type BlockedError struct {
	Why, Fix string
	Off      bool // a switch or a policy, not an approval that is still to be given
}

func (c BlockedError) Error() string { return c.Why }

// AllBlocked returns every reason in the error of a Gate.
func AllBlocked(err error) []BlockedError {
	var all []BlockedError
	switch e := err.(type) { //nolint:errorlint // it takes the error apart
	case BlockedError:
		return []BlockedError{e}
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, AllBlocked(one)...)
		}
	case interface{ Unwrap() error }:
		return AllBlocked(e.Unwrap())
	}
	return all
}

// Scope says whose configuration is meant.
type Scope string

// The scopes in which a harness can be wired.
const (
	User    Scope = "user"    // the user's own files: every project
	Project Scope = "project" // files of the project in Env.Cwd
)

// Presence is what Find found.
type Presence struct {
	Found      bool   // its binary is on the PATH or its configuration folder exists
	Binary     string // absolute path, "" when not on the PATH
	ConfigHome string // absolute folder of its user configuration, also when it does not exist yet
	MovedBy    string // the environment variable that moved ConfigHome, "" when none did
	Servers    []Server
}

// Server is an MCP server as registered with a harness.
type Server struct {
	Name     string
	File     string   // the file that registers it
	Command  []string // stdio: command and arguments
	URL      string   // HTTP: address
	Disabled bool

	Scope  Scope   // Project: a file of the project registers it, or has a say in it; "" is User
	Own    *Server // of a project's that is laid over the user's: that one as it is by itself
	Agreed bool    // of a project's: its user has said that the harness may start it, by name or for all that the folder has

	// Why it is out of a model's reach for now, a clause after its name, and what its user can do; "" = it
	// is not.
	Blocked, Remedy string

	// Stdio: how the harness starts it. The variables' values are secrets.
	Dir    string            // the folder in which it runs, "" = that of the session
	Env    map[string]string // variables that it gets besides
	Passes []string          // names of the only variables of the user's that it gets; nil: all of them

	Parallel string // the setting by which the harness makes calls at the same time, "" = there is none
}

// Listing is what a harness itself says of hooks.
type Listing struct {
	Hooks    []ListedHook
	Warnings []string // its complaints, without what they quote
	Fix      string   // what its user can do about hooks that it does not run
}

// ListedHook is a hook as the harness itself sees it.
type ListedHook struct {
	File    string // in which it is registered, as Harness.Reads names it
	Event   string // as the harness spells it in its files
	Command string
	Runs    bool
	Why     string // it does not run: "untrusted"
}

// Program is the wsi binary as it is to be registered.
type Program struct {
	Path    string   // absolute and stable over upgrades
	Servers []string // names, as registered with the harness, of the servers whose value is carried

	// As says of servers that no rule names whose rules they have, as their user said: the name of a server
	// that a rule names. A server that is not in it has the rules of its own name.
	As map[string]string

	Join bool // its hooks only note who calls: another wsi is in front of the servers
}
