package setup

import (
	"fmt"
	"slices"
	"strings"

	"wsi/internal/lists"
)

// Wiring is what setup puts into a harness's files to make the hooks run.
type Wiring struct {
	Hooks []HookFile  // files with entries of wsi and of others
	Owned []OwnedFile // files that belong to wsi alone
}

// Paths returns the paths of all files.
func (w Wiring) Paths() []string {
	hooks := lists.Map(w.Hooks, func(f HookFile) string { return f.Path })
	return append(hooks, lists.Map(w.Owned, func(f OwnedFile) string { return f.Path })...)
}

// Format is the syntax of a file.
type Format string

// The formats. A file is JSON, not JSONC, if the harness ignores it when it has comments.
const (
	JSON  Format = "json"
	JSONC Format = "jsonc"
	TOML  Format = "toml"
)

// Shape is how a hook file arranges entries under hooks.<Event>.
type Shape string

// The shapes.
const (
	// Grouped is [{"matcher": M, "hooks": [{"type": "command", "command": C, "timeout": N}]}] (Claude Code, Codex).
	Grouped Shape = "grouped"
	// Flat is [{"command": C, "matcher": M, "timeout": N}] (Cursor).
	Flat Shape = "flat"
	// Either is flat or, where an entry has a list of hooks, grouped (Copilot CLI). wsi does not write it.
	Either Shape = "either"
)

// HookFile is a file that registers hooks under a top-level "hooks" table, and the entries of wsi that must be in it.
type HookFile struct {
	Path    string // absolute; may be a symbolic link
	Format  Format
	Shape   Shape
	Entries []Entry
	// Harness is the id of the harness whose hooks of wsi are meant; package edit takes it from the Entries, if there are any.
	Harness string
	// Origin is whose file it is; "" = that of the scope. Owner is as in [Hook].
	Origin Origin
	Owner  string
	// Unsure is the [Hook.Unsure] of its hooks.
	Unsure string
	// Table is where the table of events is, if it is not under "hooks": keys, and indexes of lists, from the top. Root is the
	// folder of the plugin, and Blocked is why the harness does not use the file. wsi only lists such files.
	Table   []string
	Root    string
	Blocked []Reason
	// Members are those of a hook's entry of which the first that is there is its command; nil: "command".
	Members []string
	// Preset are top-level keys that the file must have (Cursor: version 1), as raw JSON.
	Preset []Preset
}

// Preset is one top-level key with its raw JSON value.
type Preset struct{ Key, Value string }

// Entry is one registered hook.
type Entry struct {
	Event   string // as the harness spells it: "PreToolUse", "preToolUse"
	Matcher string // "" = none
	Command string // the command line, quoted for the harness's shell
	Timeout int    // seconds, in Gemini CLI milliseconds; 0 = not given
	Meta    bool   // it only shows and collects what results have in _meta
}

// OwnedFile is a file that belongs to wsi alone.
type OwnedFile struct {
	Path    string
	Content []byte
	// Also are other paths from which the harness loads such a file.
	Also []string
	// Elsewhere are paths outside of the scope's own folder from which the harness loads such a file in this scope.
	// Setup leaves them alone.
	Elsewhere []string
	// Ours reports whether an existing file was written by some version of wsi and not edited since.
	Ours func(content []byte) bool
	// Version is the version of Content's template.
	Version int
	// Marked returns the version of an existing file that some version of wsi wrote, edited since or not; ok is false
	// for any other file.
	Marked func(content []byte) (version int, ok bool)
	// Commands returns the command lines of [Program.Command] that such a file makes the harness run; nil if wsi did not write it.
	Commands func(content []byte) []string
}

// Author says who wrote a file at a path that wsi uses for a file of its own.
type Author int

// The authors. What a newer wsi wrote works, and so may what was edited; this wsi leaves both as they are.
const (
	Theirs Author = iota
	Ours          // this wsi or an older one
	Later         // a newer wsi
	Edited        // wsi wrote it, and it was edited since
)

// Author returns who wrote an existing file, by its content alone.
func (wf OwnedFile) Author(content []byte) Author {
	version, marked := wf.Marked(content)
	switch {
	case marked && version > wf.Version:
		return Later
	case wf.Ours(content):
		return Ours
	case marked:
		return Edited
	}
	return Theirs
}

// TrustRecord is a value in a TOML file that records that the user approved a hook.
type TrustRecord struct {
	File  string   // absolute
	Table []string // the table's key parts, unquoted
	Key   string
	Value string // "" = only the harness's program knows it, and has not said it
}

// ServerFile is a file in which MCP servers are registered by name.
type ServerFile struct {
	Path   string // absolute; may be a symbolic link
	Format Format
	// Tables are the paths of keys, from the top, to the tables of servers. "*" means every key.
	Tables [][]string
	Form   Form
	// Others reports whether a relay in the file belongs to another harness that has its servers there as well. Nil: none does.
	Others func(RelayCommand) bool
}

// Form is how an entry names what the harness starts or connects to.
type Form struct {
	Joined bool   // "command" is a list that includes the arguments, else they are in "args"
	Env    string // key of the table of variables
	// URL is the key of a Streamable HTTP address and Headers the key of the table of its headers; "" = none.
	URL, Headers string
	// TypedURL is the key of such an address in an entry of type Remote; "" = the same.
	TypedURL string
	// Bearer is the key with the name of the variable that holds a remote server's Authorization token. Passes is the
	// key of the list of the user's variables that a started server gets; "" = none.
	Bearer, Passes string
	// Local and Remote are the values of "type" for a server that is started and for one over HTTP. An entry
	// without a "type" needs none.
	Local, Remote string
	// Kept are keys of a remote server's entry that ask for something that only the harness itself can do, such as a login.
	Kept []string
}

// AddressIn returns the key under which an entry has its address.
func (f Form) AddressIn(entry map[string]any) string {
	if f.TypedURL != "" && entry[f.URL] == nil && entry["type"] == f.Remote {
		return f.TypedURL
	}
	return f.URL
}

// Mode is a way to put wsi between a model and a server.
type Mode string

// The modes.
const (
	ByHooks Mode = "hooks" // hooks inject and capture
	ByRelay Mode = "relay" // a relay is in front of the server; where it cannot know the caller, a hook notes it
)

// Modes are all modes, in the order in which they are shown.
var Modes = []Mode{ByHooks, ByRelay}

// Choice is a mode in which a harness can be wired, and its measured advantages or disadvantages: a clause that follows a colon.
type Choice struct {
	Mode Mode
	Why  string
}

// Sentence returns Why as a sentence.
func (c Choice) Sentence() string { return strings.ToUpper(c.Why[:1]) + c.Why[1:] + "." }

// Choice returns what is known of a mode; ok is false if the harness cannot be wired in it.
func (h Harness) Choice(mode Mode) (c Choice, ok bool) {
	return lists.Find(h.Choices, func(c Choice) bool { return c.Mode == mode })
}

// Usual returns the mode that setup uses unless another one is asked for.
func (h Harness) Usual() Mode {
	if h.RelayOnly() {
		return h.Choices[0].Mode
	}
	return ByHooks
}

// ModeNames lists the modes in which the harness can be wired.
func (h Harness) ModeNames() string {
	modes := lists.Filter(Modes, func(mode Mode) bool { _, ok := h.Choice(mode); return ok })
	return strings.Join(lists.Map(modes, func(mode Mode) string { return string(mode) }), " or ")
}

// RelayOnly reports whether no hook of the harness can carry a value.
func (h Harness) RelayOnly() bool {
	_, hooks := h.Choice(ByHooks)
	return !hooks
}

// TextsBy returns what a user must know of the harness when it is wired in a mode. Of a harness with hooks, the texts are about them.
func (h Harness) TextsBy(mode Mode) (t Texts) {
	if !h.Hooked(mode) && !h.RelayOnly() {
		return t
	}
	t = h.Texts
	if t.of, t.Untried = h.Name, len(h.Measured) == 0; mode == ByHooks {
		t.Caveats = slices.Concat(t.Caveats, t.HookCaveats)
	}
	return t
}

// Sentences about harnesses: of [Texts.Untried], [Texts.Share] and a [Choice].
const (
	Untested = "Not tested with %s: wsi follows the documentation."
	Shared   = "In %s, %s share one value, because servers are not told who calls."
	WiredBy  = "%s is wired by %s: %s."
)

// All returns all that applies.
func (t Texts) All() []string {
	return slices.Insert(t.Limits(), min(len(t.Restart), 1), t.Afterwards...)
}

// Limits returns all that applies but for what Afterwards says.
func (t Texts) Limits() (all []string) {
	if t.Restart != "" {
		all = append(all, t.Restart)
	}
	if t.Untried {
		all = append(all, fmt.Sprintf(Untested, t.of))
	}
	if t.Share != "" {
		all = append(all, fmt.Sprintf(Shared, t.of, t.Share))
	}
	return append(all, t.Caveats...)
}

// Hooked reports whether setup registers hooks in a mode.
func (h Harness) Hooked(mode Mode) bool { return mode == ByHooks || h.Capabilities.Note != nil }

// Hook is a hook of any program, as a file registers it with a harness. Its texts are as in the file: they can contain
// control characters and secrets.
type Hook struct {
	File   string // absolute
	Line   int    // in the file, from 1; 0 = the file as a whole
	Origin Origin
	Owner  string // the plugin that it is part of, or the harness whose file it is; "" = the user, project or administrator
	Root   string // the folder of the plugin, if known

	Event, Matcher string         // as the file spells them; Matcher "" = none
	Group, Handler int            // indexes in the event's list and in the group; Handler is 0 in a flat file
	Timeout        int            // in the unit of the harness, 0 = not given
	Kind           string         // the "type" of its entry, or [Module] or [Script]
	Command        string         // the command line; of other kinds what is run or called, "" if that has no name
	Fields         map[string]any // the members of its entry, decoded
	Entry          string         // its entry as it is in the file; "" = it has none

	Ours   bool       // wsi may have written it for this harness; its command line may be damaged
	Mine   bool       // it is wsi's, for this harness
	Parsed Registered // its command line, if Mine

	Skipped []Reason // why the harness does not run it; none: it does
	Blocks  string   // what its failure blocks, as in [HookFacts.Blocking]; "" = nothing, or that is not known
	Unsure  string   // why it is not judged, though nothing is known against it; "" = it is
	Unasked bool     // the harness's own program knows whether it accepts the file, and was not asked

	// Program is the file that its command runs, an absolute path; before an interpreter's own program the script. "" = not known.
	Program string
}

// UnreadCode is the [Hook.Unsure] of a module.
const UnreadCode = "it may rewrite calls, and wsi does not read its code"

// Kinds of hook that are not a "type" in a file.
const (
	Module = "module" // a program that runs inside the harness
	Script = "script" // a file that the harness runs because of its name
)

// Origin says by whose configuration a hook runs.
type Origin string

// The origins.
const (
	OfUser    Origin = "user"
	OfProject Origin = "project"
	OfLocal   Origin = "local" // of the user, for one project
	OfPlugin  Origin = "plugin"
	OfManaged Origin = "managed" // of the machine's administrator
	OfImport  Origin = "import"  // of another harness
)

// Skip adds reasons why the harness does not run the hook, each once: in the home folder, the project's files are the user's. The zero
// Reason is none.
func (h *Hook) Skip(reasons ...Reason) { h.Skipped = lists.AddUnique(h.Skipped, reasons...) }

// CommandLine returns the command with its arguments, if they are a list.
func (h Hook) CommandLine() string {
	args, _ := h.Fields["args"].([]any)
	line := h.Command
	for _, a := range args {
		line += " " + Quote("linux", fmt.Sprint(a))
	}
	return line
}

// SwitchedOff is the reason of a setting in a file that switches hooks off.
func SwitchedOff(setting, path, what string) Reason {
	return Reason{Why: setting + " in " + path + " switches " + what + " off", Fix: "remove " + setting + " from " + path, Off: true}
}

// BlocksCalls is the [HookFacts.Blocking] of a harness for which only the event before a call was measured.
var BlocksCalls = map[string]string{"PreToolUse": "the call"}
