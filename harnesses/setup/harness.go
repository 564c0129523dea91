// Package setup is what the installer and the doctor must know of the programs in which models call MCP tools: where a harness
// keeps its configuration, what its files must contain, when it runs hooks, and how it behaves around a call. Each folder below it
// has that for one harness; package harnesses/setup/registry lists them. What a hook needs is in package harnesses.
//
// It must not know how files are written (package installer), where values are kept (package
// hook/vault) or what a user sees (packages doctor and cmd/wsi).
package setup

import (
	"context"
	"time"

	"wsi/harnesses"
	"wsi/internal/phrase"
)

// Harness is what wsi knows of one program in which a model calls MCP tools, its dialect included. It is mostly data: the functions
// use only their arguments and files read through [Env].
type Harness struct {
	ID   string // as typed after --harness: "claude-code"
	Name string // as shown: "Claude Code"
	harnesses.Dialect
	// Find reports whether the harness is on this machine, and which servers it has. A file that cannot be
	// read or parsed is a [ConfigError]; what the other files have is returned as well.
	Find func(Env) (Presence, error)
	// Wiring returns what must be in which files to make the harness run wsi's hooks. Its errors are
	// refusals that can be shown to a user.
	Wiring func(Env, Scope, Program) (Wiring, error)
	// Choices are the modes in which it can be wired, the most recommended first.
	Choices []Choice
	// Registers returns the files of a scope in which the user registers MCP servers, whether they exist or
	// not. Nil: a relay cannot be put in front of its servers.
	Registers func(Env, Scope) []ServerFile
	// Bundled returns the MCP servers that are part of something installed into the harness, such as a plugin.
	// Their registrations cannot be edited. Nil: none are known.
	Bundled func(Env) []Server
	// CallLog returns where it writes down calls of a server's tools itself. Nil: nowhere, or it is not known.
	CallLog func(env Env, server string) CallLog
	// Measured are the versions that were tried, and Flaws are what is known to be wrong in other ones.
	Measured []string
	Flaws    []Flaw
	Files    HookFiles
	Hooks    HookFacts
	Proof    Proof
	Texts    Texts
}

// HookFiles are the files, and what else, in which a harness finds hooks, those of wsi and of all other programs.
type HookFiles struct {
	// Reads returns every file from which the harness reads hooks in a scope, whether it exists or not, the one
	// that wsi writes included, without entries. Nil: the harness has no hook files.
	Reads func(Env, Scope) []HookFile
	// Above returns the hook files in other folders of the project that it reads in a session in the current
	// folder. Nil: it reads none.
	Above func(Env) []HookFile
	// Borrowed returns the hook files of other harnesses, and those of the machine's administrator, with their Origin and Owner, which
	// the harness reads as well. wsi neither writes nor checks them. Nil: none are known.
	Borrowed func(Env) []HookFile
	// Plugins returns the hook files that wsi only lists, with their Origin and Owner: those of what is installed into the
	// harness, and all those of a harness whose hooks cannot carry a value. Modules returns the hooks that no hook file
	// registers: modules and scripts. Nil: there are none.
	Plugins func(Env) []HookFile
	Modules func(Env) []Hook
	// PluginRemover returns the command that removes a plugin, "" if there is none. Nil: none is known.
	PluginRemover func(owner string) string
	// Below: it also reads a project's files in sessions in folders below the project's, within the same repository.
	Below bool
	// ProjectAt returns the folder from which it reads the project's files. Nil: the current one.
	ProjectAt func(Env) string
}

// HookFacts say what a harness does with the hooks that are registered: which it runs, and with what around them.
type HookFacts struct {
	// Validate returns an [InvalidConfigError] if the harness would ignore this hook file or part of it. The
	// reason may be in an entry of others: one bad entry can disable all. Nil: the harness has no such file.
	Validate func(file HookFile, content []byte) error
	// Ask has the harness's own binary read such a file of the user or a project. The error says why it has not answered. dir and
	// the network are as for [Proof.QueryHooks]. Nil: the binary cannot be asked.
	Ask func(ctx context.Context, env Env, binary, dir string, content []byte) (Answer, error)
	// Policy returns why the harness skips wsi's hooks in a file, given as it is on disk, though they are registered: they are
	// not approved, or hooks are switched off. The error says why that is not known. Nil: nothing can do that.
	Policy func(Env, HookFile, []byte) ([]Reason, error)
	// Skips returns why the harness would run none of the hooks of a file, given as it is on disk, in a session in the
	// current folder, and adds to single hooks why it would not run them. It judges hooks of any program. Reasons that hold
	// for every harness are found elsewhere: a file that Validate refuses, a program that is missing. Nil: it runs them all.
	Skips func(env Env, file HookFile, content []byte, hooks []Hook) []Reason
	// IgnoredWhen are the fields of an entry with which the harness does not use the answer of wsi's command.
	IgnoredWhen []string
	// Dedupes reports whether only one of two commands of wsi takes effect, if they are registered for the same
	// event in different files. Nil: both do.
	Dedupes func(a, b string) bool
	// TrustRecords returns the records that the harness would write itself once its user approves the hook file, given as it will
	// be on disk. They are written only if the user asks for it. Nil: hooks need no approval.
	TrustRecords func(Env, HookFile, []byte) ([]TrustRecord, error)
	// Variables returns the variables that the harness's settings set in the environment of hooks and, by the same
	// names, the files that set them. Nil: they set none.
	Variables func(Env) (values, files map[string]string)
	// HookVariables returns the variables that the harness sets for a hook besides these, "" for a value that only a
	// session has. Nil: it is not known which it sets.
	HookVariables func(Env, Hook) map[string]string
	// Blocking is what the harness blocks if a hook of an event ends with status 2: "the call"; without an event that is nothing, or
	// not known.
	Blocking map[string]string
	// Order says in a sentence in which order the hooks of an event run, "" if that is not known.
	Order string
	// Transcripts returns the folder below which it writes down what hooks did, in the form of Claude Code. Nil: nowhere, or it does not
	// name them.
	Transcripts func(Env) string
}

// Proof is how the doctor tries a harness: without it, and by asking its program.
type Proof struct {
	// Simulator imitates the harness in the rehearsal. Nil: it has no hooks of wsi.
	Simulator Simulator
	// Meta returns the _meta of a tools/call in which the harness names the caller, a raw JSON object. Nil: it does not name it.
	Meta func(ToolCall) []byte
	// Time is how long a live proof of two sessions may take; 0 is 50 seconds.
	Time time.Duration
	// Windowed: the harness cannot be run without its window.
	Windowed bool
	// QueryHooks asks the harness's own binary which hooks it knows and whether it would run them. It may write
	// only into dir, an empty folder, and must not use the network. Nil: the binary cannot be asked.
	QueryHooks func(ctx context.Context, env Env, binary, dir string) (Listing, error)
	// Plugins has the harness's own binary list what is installed into it. dir and the network are as for QueryHooks. Nil: it cannot be
	// asked.
	Plugins func(ctx context.Context, env Env, binary, dir string) ([]Plugin, error)
	// Starts makes the harness's own binary read the user's configuration. What the binary refuses is an [InvalidConfigError]; any
	// other error says why it could not be asked. dir and the network are as for QueryHooks.
	Starts func(ctx context.Context, env Env, binary, dir string) error
}

// Live reports whether the doctor can have the harness's own program make calls on this platform.
func (p Proof) Live(os string) bool { return p.Simulator != nil && !p.Windowed && os != "windows" }

// Texts are what the user of a harness must know.
type Texts struct {
	// Restart says how a running harness notices a change, "" if there is nothing to say. Afterwards are
	// sentences on what the user must do, or wait for, once wsi is wired.
	Restart    string
	Afterwards []string
	// Caveats are sentences that a user must know about this harness, for setup, doctor and README; HookCaveats
	// apply only where hooks carry the value.
	Caveats, HookCaveats []string
	Share                string // what shares one value, because it does not tell servers who calls; "" = nothing, or it is not known
	Untried              bool   // nothing was tried with its program; [Harness.TextsBy] sets it
	of                   string // its name; TextsBy sets it
}

// Env is the outside world as a harness sees it. It is passed in, so that each test has its own home and can choose the platform.
type Env struct {
	Home     string // the user's home folder, absolute
	Cwd      string // the folder of the project, absolute
	GOOS     string
	Getenv   func(string) string
	Environ  func() []string // the whole environment, "NAME=value"
	ReadFile func(path string) ([]byte, error)
	Stat     func(path string) (isDir bool, err error) // follows links
	LookPath func(name string) (string, error)
	// ReadDir returns the names in a folder, sorted. Nil: no folder can be listed.
	ReadDir func(path string) ([]string, error)
	// Resolve returns an existing path with all links followed. Nil: no path has links.
	Resolve func(path string) (string, error)
	// Output runs a program of the harness (`--version` and the like) and returns its stdout. An exec.ExitError
	// holds the beginning of its stderr.
	Output func(ctx context.Context, name string, args ...string) ([]byte, error)
	Now    func() time.Time
	// Patience limits the time of the harnesses' programs. Nil: each question has its own limit.
	Patience *Patience
	// Scratch creates an empty folder for a program that must not touch the user's home. Nil: there is none.
	Scratch func() (dir string, remove func(), err error)
	// Asked returns what [HookFacts.Ask] says of a file, now or before. known is false if it was not asked, or has not answered.
	// Nil: nothing is known.
	Asked func(env Env, h Harness, content []byte) (known bool, said Answer)
	// Plugins returns what [Proof.Plugins] says; ok is false if the program was not asked or has not answered. Nil: no program is asked.
	Plugins func(env Env, h Harness) (all []Plugin, ok bool)
	// Starts returns what [Proof.Starts] says of the configuration in env; nil also if the program was not asked or has not
	// answered. Nil: no program is asked.
	Starts func(env Env, h Harness) error
}

// Plugin is one that is installed into a harness.
type Plugin struct {
	ID, Root string  // Root is its folder
	Off      *Reason // why the harness does not load it; nil: it is not known that it does not
	Unsure   string  // why it is not known whether the harness loads all of it, "" = it does
}

// Reason is why a harness does not run a hook, and what the user can do about it.
type Reason struct {
	Why      string
	Fix      string // in words
	Command  string // repairs it when it is typed
	Off      bool   // a switch or a policy, not a missing approval
	Approval bool   // the user's approval is missing, of the hook or of its folder: nothing in its file is wrong
	Flag     string // of wsi setup, with which it records the approval of wsi's own hooks, "" = it cannot
}

// ToDo returns what the user can do about a reason.
func (r Reason) ToDo() phrase.Fix { return phrase.Fix{Text: r.Fix, Command: r.Command} }

// Scope is whose configuration is meant.
type Scope string

// The scopes in which a harness can be wired.
const (
	User    Scope = "user"    // the user's own files: every project
	Project Scope = "project" // files of the project in Env.Cwd
)

// Other returns the scope that is not this one.
func (s Scope) Other() Scope {
	if s == User {
		return Project
	}
	return User
}

// Presence is what Find found.
type Presence struct {
	Found      bool   // its binary is on the PATH or its configuration folder exists
	Binary     string // absolute path, "" when not on the PATH
	ConfigHome string // absolute folder of its user configuration, also when it does not exist yet
	MovedBy    string // the environment variable that moved ConfigHome, "" when none did
	Adrift     Reason // why ConfigHome is another folder in each folder, or none; the zero value = it is neither
	Servers    []Server
}

// Server is an MCP server as registered with a harness.
type Server struct {
	Name     string
	File     string   // the file that registers it
	Command  []string // stdio: command and arguments
	URL      string   // HTTP: address
	Disabled bool

	Scope  Scope   // Project: a file of the project registers or changes it; "" is User
	Own    *Server // the user's own registration that the project's overrides
	Agreed bool    // of a project's server: the user lets the harness start it, by name or with all in the folder

	With string // how the harness must be started to use this registration: "codex --profile work"; "" = in any way

	// Why models cannot use it now, a clause after its name, and what the user can do; "" = they can.
	Blocked, Remedy string

	// Stdio: how the harness starts it. The variables' values are secrets.
	Dir    string            // the folder in which it runs, "" = that of the session
	Env    map[string]string // additional variables
	Passes []string          // names of the only variables of the user that it gets; nil: all of them
}

// Listing is what a harness itself reports about hooks.
type Listing struct {
	Hooks    []Hook   // with their File, Event and Command, and why they do not run
	Warnings []string // its warnings, without what they quote
	Fix      string   // what the user can do about hooks that it does not run
}

// Program is the wsi binary as it is to be registered.
type Program struct {
	Path    string   // absolute and stable over upgrades
	Servers []string // names, as registered with the harness, of the servers that wsi carries values for

	// As maps a server that no rule names to one that a rule names, as the user chose: it has the same rules. A
	// server that is not in it has the rules of its own name.
	As map[string]string

	Relay bool // a relay is in front of the servers: its hooks, if it needs any, only note the caller
	Meta  bool // rules of a server read what results have in _meta, and not only to carry a value
}

// CallLog is where a harness writes down the calls of a server's tools, whether it runs hooks or not.
type CallLog struct {
	Files []string // patterns of [filepath.Glob]; the newest few are read
	Marks []string // a line about a call contains all of these, and its time after "timestamp"
}
