// Package hooklist shows the hooks that are registered with harnesses, and whether they would run, as a table and as JSON. It is
// pure: the caller reads the hooks.
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
const schema = 2

// Harness is a harness of a list.
type Harness struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Order string `json:"order,omitempty"` // in which order the hooks of an event run, a sentence

	Mute    bool `json:"-"` // it cannot be asked whether it runs a hook
	Accepts bool `json:"-"` // only its program knows whether it accepts a file in the list or a hook is approved, and was not asked
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
	Runs    bool   `json:"runs"`            // the harness would run it
	// Unjudged: nothing is known against it, but the harness cannot be asked, wsi does not read its code, or only a shell knows which
	// program it runs.
	Unjudged bool         `json:"unjudged,omitempty"`
	Blocks   string       `json:"blocks,omitempty"` // what the harness blocks, because the hook fails: the call
	Reason   string       `json:"reason,omitempty"` // why not
	Fixes    []phrase.Fix `json:"fixes,omitempty"`  // what to do about it
	Remove   string       `json:"remove,omitempty"` // the command of its program that removes it, if that is known

	Unsure string `json:"-"` // why it is not judged, "" = its harness cannot be asked
	Waits  bool   `json:"-"` // only for the user's approval
	Entry  string `json:"-"` // its entry as it is in the file, with line ends
}

// New returns an empty list.
func New() List {
	return List{Schema: schema, Harnesses: []Harness{}, Hooks: []Row{}}
}

// Add adds the hooks of a harness, as [inspect.Hooks] returns them.
func (l *List) Add(h setup.Harness, hooks []setup.Hook) {
	if len(hooks) > 0 {
		l.Harnesses = append(l.Harnesses, Harness{ID: h.ID, Name: h.Name, Order: text(h.Hooks.Order), Mute: mute(h), Accepts: slices.ContainsFunc(hooks, func(x setup.Hook) bool { return x.Unasked })})
	}
	for _, x := range hooks {
		l.Hooks = append(l.Hooks, row(h, x))
	}
}

// mute reports whether a harness cannot be asked which hooks it runs.
func mute(h setup.Harness) bool { return h.Hooks.Ask == nil && h.Proof.QueryHooks == nil }

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
		Kind: text(h.Kind), Command: text(h.CommandLine()), File: text(h.File), Line: h.Line, Runs: len(h.Skipped) == 0, Unjudged: h.Unsure != "" || mute(harness) && h.Kind != setup.Module, Unsure: text(h.Unsure), Blocks: h.Blocks,
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
	return len(lists.Filter(l.Hooks, func(r Row) bool { return !r.Runs && !r.Waits }))
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
