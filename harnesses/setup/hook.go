package setup

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
	// not known.
	Program string
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
