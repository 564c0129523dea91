package harnesses

import "strings"

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
	Kind           string         // the "type" of its entry, or [Module] or [Script]
	Command        string         // the command line; of other kinds what is run or called, "" if that has no name
	Fields         map[string]any // the members of its entry, decoded
	Entry          string         // its entry as it is in the file; "" = it has none

	Skipped []BlockedError // why the harness does not run it; none: it does

	// Program is the file that its command runs, an absolute path; before an interpreter's own program the script. "" =
	// not known. Does is what its script or its command line shows of what it does.
	Program string
	Does    Effects
}

// Effects is what a hook does to the calls that it runs before, as far as its text shows it.
type Effects struct {
	Read     bool // the text of its program was read; else it may do anything
	Rewrites bool // it changes arguments
	Blocks   bool // it stops calls
	Approves bool // it approves calls for the user
}

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

// Skip adds a reason why the harness does not run the hook.
func (h *Hook) Skip(why BlockedError) { h.Skipped = append(h.Skipped, why) }

// MayName reports whether a matcher may match names that begin like those of servers' tools, or any names: it contains
// that beginning, or something that a regular expression uses for names that are not known.
func MayName(matcher, begins string) bool {
	return strings.Contains(matcher, begins) || strings.ContainsAny(matcher, `.*+?[]{}\`)
}
