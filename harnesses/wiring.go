package harnesses

// Wiring is what setup puts into a harness's files so that the hooks run.
type Wiring struct {
	Hooks  []HookFile  // files in which wsi's entries stand beside others'
	Wholes []WholeFile // files that are wsi's alone
}

// Format is the syntax a harness accepts in a file.
type Format string

// The formats. A harness that drops a file with comments in it has JSON, not JSONC.
const (
	JSON  Format = "json"
	JSONC Format = "jsonc"
	TOML  Format = "toml"
	YAML  Format = "yaml" // which wsi does not edit
)

// Shape is how a hook file arranges entries under hooks.<Event>.
type Shape string

// The shapes.
const (
	// Grouped is [{"matcher": M, "hooks": [{"type": "command", "command": C, "timeout": N}]}]
	// (Claude Code, Codex).
	Grouped Shape = "grouped"
	// Flat is [{"command": C, "matcher": M, "timeout": N}] (Cursor).
	Flat Shape = "flat"
)

// HookFile is a file that registers hooks under a top-level "hooks" table, and the entries of
// wsi's that must be in it.
type HookFile struct {
	Path    string // absolute; may be a symbolic link
	Format  Format
	Shape   Shape
	Entries []Entry
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
}

// WholeFile is a file that belongs to wsi alone.
type WholeFile struct {
	Path    string
	Content []byte
	// Also are the other paths at which the harness would load such a file, too.
	Also []string
	// Beside are paths outside of the scope's own folder at which the harness would load such a file in
	// this scope, too. Setup leaves them alone.
	Beside []string
	// Ours tells whether an existing file was written by some version of wsi and not edited since.
	Ours func(content []byte) bool
	// Version is that of Content's template.
	Version int
	// Marked returns the version of an existing file that some wsi wrote, edited since or not; ok is
	// false for a file of another's.
	Marked func(content []byte) (version int, ok bool)
	// Commands returns the command lines that such a file makes the harness run, as Program.Command
	// writes them; nil if the file is none of wsi's.
	Commands func(content []byte) []string
}

// TrustRecord is one value of a TOML file that says the user has looked at a hook.
type TrustRecord struct {
	File  string   // absolute
	Table []string // the table's key parts, unquoted
	Key   string
	Value string
}

// ServerFile is a file in which MCP servers are registered by name.
type ServerFile struct {
	Path   string // absolute; may be a symbolic link
	Format Format
	// Tables are the keys, from the top, that lead to the tables of servers; "*" stands for every key.
	Tables [][]string
	Form   Form
	// Others tells which relays in the file are of another harness that has its servers there as well. Nil:
	// none are.
	Others func(RelayCommand) bool
}

// Form is how an entry says what the harness starts, or where it connects.
type Form struct {
	Joined bool   // "command" is a list with the arguments in it, else they are in "args"
	Env    string // key of the table of variables
	// URL is the key of a Streamable HTTP address and Headers that of the table of its headers, "" where
	// the harness knows none.
	URL, Headers string
	// Bearer is the key under which a remote server's entry names a variable of the user's that holds the token of its
	// Authorization header, and Passes that of the list of such variables that a started server gets; "" where the
	// harness knows none.
	Bearer, Passes string
	// Local and Remote are what "type" says of a server that is started and of one over HTTP. An entry
	// without a "type" needs none.
	Local, Remote string
	// Kept are keys of a remote server's entry that a relay has no use for: what stands there, such as a
	// login, the harness itself must do.
	Kept []string
}
