package setup

import (
	"fmt"
	"slices"
)

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

// Skip adds reasons why the harness does not run the hook, each once: in the home folder, the project's files are the user's. One
// without a Why is none.
func (h *Hook) Skip(reasons ...Reason) {
	for _, why := range reasons {
		if why.Why != "" && !slices.Contains(h.Skipped, why) {
			h.Skipped = append(h.Skipped, why)
		}
	}
}

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
