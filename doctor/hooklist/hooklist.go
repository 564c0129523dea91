// Package hooklist shows the hooks that are registered with harnesses and what each one did, as a table and as JSON. It is pure: the
// caller reads the hooks and the records.
//
// It must not know files, harnesses by name, or how screens are drawn.
package hooklist

import (
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/printable"
)

// List is the hooks of harnesses, in the order in which the harnesses read them.
type List struct {
	Schema    int       `json:"schema_version"`
	Harnesses []Harness `json:"harnesses"` // those that have a hook
	Hooks     []Row     `json:"hooks"`
}

// schema must be incremented if a member is removed or changes its meaning.
const schema = 3

// Harness is a harness of a list.
type Harness struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Order string `json:"order,omitempty"` // in which order the hooks of an event run, a sentence

	Past string `json:"-"` // how far back its record goes, a sentence
}

// Row is one hook. Its texts are safe to show in one line, and possible secrets in them are masked.
type Row struct {
	Harness string `json:"harness"`         // id
	Origin  string `json:"origin"`          // a [setup.Origin]
	Owner   string `json:"owner,omitempty"` // the plugin, or the harness whose file it is
	Event   string `json:"event"`           // "" = the file as a whole
	Matcher string `json:"matcher"`         // "" = none
	If      string `json:"if,omitempty"`    // a condition that its entry has next to the matcher
	Kind    string `json:"type"`            // as the file says: command, http, prompt ...; or module, script
	Command string `json:"command"`         // with its arguments; or the address, the path, the prompt
	File    string `json:"file"`            // absolute
	Line    int    `json:"line"`            // from 1, 0 = the file as a whole
	CanRun  bool   `json:"can_run"`         // nothing certain keeps the harness from running it
	Receipt
	Blocks string       `json:"blocks,omitempty"` // what the harness blocks, because the hook fails: the call
	Reason string       `json:"reason,omitempty"` // why not
	Fixes  []phrase.Fix `json:"fixes,omitempty"`  // what to do about it
	Remove string       `json:"remove,omitempty"` // the command of its program that removes it, if that is known

	Unsure string `json:"-"` // why it is not judged
	Waits  bool   `json:"-"` // only for the user's approval
	Entry  string `json:"-"` // its entry as it is in the file, with line ends
}

// New returns an empty list.
func New() List {
	return List{Schema: schema, Harnesses: []Harness{}, Hooks: []Row{}}
}

// Add adds the hooks of a harness, as [inspect.Hooks] returns them, with what is known of them.
func (l *List) Add(h setup.Harness, hooks []setup.Hook, known Evidence) {
	if len(hooks) > 0 {
		unasked := slices.ContainsFunc(hooks, func(x setup.Hook) bool { return x.Unasked })
		l.Harnesses = append(l.Harnesses, Harness{ID: h.ID, Name: h.Name, Order: text(h.Hooks.Order), Past: known.past(h, unasked)})
	}
	for _, x := range hooks {
		r := row(h, x)
		r.Receipt = known.receipt(h, x, hooks)
		r.State = r.state()
		l.Hooks = append(l.Hooks, r)
	}
}

func row(harness setup.Harness, h setup.Hook) Row {
	var why []string
	var fixes []phrase.Fix
	for _, s := range h.Skipped {
		why = append(why, text(s.Why))
		fixes = lists.AddUnique(fixes, s.ToDo().Map(text))
	}
	only, _ := h.Fields["if"].(string)
	return Row{
		Harness: harness.ID, If: text(only), Origin: string(h.Origin), Owner: text(h.Owner), Event: text(h.Event), Matcher: text(h.Matcher),
		Kind: text(h.Kind), Command: text(h.CommandLine()), File: text(h.File), Line: h.Line, CanRun: len(h.Skipped) == 0, Unsure: text(h.Unsure), Blocks: h.Blocks,
		Waits:  !slices.ContainsFunc(h.Skipped, func(why setup.Reason) bool { return !why.Approval }),
		Reason: strings.Join(why, "; "), Fixes: fixes, Remove: remover(harness, h),
		Entry: printable.Text(edit.MaskEntry(valid(h.Entry))),
	}
}

// text returns a text from a file as one line without secrets.
func text(s string) string { return printable.Line(edit.MaskSecrets(valid(s))) }

func valid(s string) string { return strings.ToValidUTF8(s, "�") }

// Faults counts the hooks and files that do not work. A hook that waits for the user's approval is not at fault.
func (l List) Faults() int {
	return len(lists.Filter(l.Hooks, func(r Row) bool { return slices.Contains([]State{Failed, Blocks, CannotRun}, r.State) }))
}

// Only returns the part of the list that is about one harness.
func (l List) Only(harness string) List {
	one := New()
	one.Hooks = append(one.Hooks, lists.Filter(l.Hooks, func(r Row) bool { return r.Harness == harness })...)
	one.Harnesses = append(one.Harnesses, lists.Filter(l.Harnesses, func(h Harness) bool { return h.ID == harness })...)
	return one
}

// remover returns the command of the harness or of wsi that removes a hook, "" if there is none.
func remover(harness setup.Harness, h setup.Hook) string {
	if h.Origin == setup.OfPlugin {
		plain := strings.TrimFunc(h.Owner, func(r rune) bool { return harnesses.WordOrHyphen(r) || r == '@' || r == '.' }) == ""
		if harness.Files.PluginRemover == nil || h.Owner == "" || !plain {
			return ""
		}
		return harness.Files.PluginRemover(h.Owner)
	}
	if said, wsi := setup.ParseCommand(h.Command); wsi {
		if h.Origin == setup.OfProject || h.Origin == setup.OfLocal {
			return "wsi remove --harness " + said.Harness + " --scope project"
		}
		return "wsi remove --harness " + said.Harness
	}
	return ""
}
