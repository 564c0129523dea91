package installer

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/printable"
)

// Review is what users and programs see of a plan: the wizard, --dry-run, --plain and --json print this
// value and nothing else. Its JSON form is stable (docs/setup.schema.json). It contains no captured value.
type Review struct {
	Schema  int       `json:"schema_version"`
	Verb    string    `json:"verb"` // setup or remove
	Scope   string    `json:"scope"`
	Applied bool      `json:"applied"`
	Changes []Diffed  `json:"changes"`
	Refused []Refused `json:"refused"`
	Servers []Note    `json:"servers,omitempty"` // with --all-servers: a line on each
	Same    []string  `json:"unchanged"`         // ids of harnesses
	Wirings []Wiring  `json:"wirings"`
	Remarks []Note    `json:"remarks"`      // to know before Apply
	Left    []Note    `json:"left_for_you"` // to do after Apply
	Notes   []Note    `json:"good_to_know"`
	Binary  string    `json:"binary,omitempty"` // as registered

	Lack string `json:"-"` // what a harness that is left out does not have
}

// Wiring is the mode of a harness, and the modes that it could have.
type Wiring struct {
	Harness  string    `json:"harness"` // id
	Mode     string    `json:"wiring"`  // hooks or relay
	Possible []Because `json:"possible"`
}

// Because is a mode, and what is known about it.
type Because struct {
	Mode string `json:"wiring"`
	Why  string `json:"why"`
}

// Diffed is one change of a plan.
type Diffed struct {
	Harness string `json:"harness"` // id
	File    string `json:"file"`
	Target  string `json:"target,omitempty"` // the file that is written, if File is a link
	Action  string `json:"action"`           // create, update or delete
	Diff    string `json:"diff"`             // unified
	Own     string `json:"-"`                // a line to show in place of Diff, if the file is wsi's own
}

// Shown returns what a person is shown: the diff, but one line for a file of wsi's own.
func (d Diffed) Shown() string {
	if d.Own != "" {
		return d.Own + "\n"
	}
	return d.Diff
}

// Name returns the file, and its target if it is a link.
func (d Diffed) Name() string { return arrow(d.File, d.Target) }

// Tense says what happens to the file: in the past if ahead is negative, now if it is 0, else in the future.
func (d Diffed) Tense(ahead int) string {
	words := map[string][]string{
		"create": {"created", "creating", "to be created"},
		"update": {"changed", "changing", "to be changed"},
		"delete": {"deleted", "deleting", "to be deleted"},
	}[d.Action]
	return words[min(max(ahead, -1), 1)+1]
}

// lines counts the lines that the change adds and removes.
func (d Diffed) lines() (added, removed int) {
	return strings.Count(d.Diff, "\n+") - 1, strings.Count(d.Diff, "\n-") // but for the header
}

// Size returns how many lines the change adds and removes, or that the file is new or deleted.
func (d Diffed) Size() string {
	switch added, removed := d.lines(); {
	case d.Action == "create":
		return "new"
	case d.Action == "delete":
		return "deleted"
	case removed == 0:
		return fmt.Sprintf("+%d", added)
	default:
		return fmt.Sprintf("+%d -%d", added, removed)
	}
}

// Refused is a harness that is not changed.
type Refused struct {
	Harness string     `json:"harness"`
	File    string     `json:"file,omitempty"`
	Error   string     `json:"error"`
	Fix     phrase.Fix `json:"fix,omitzero"`
}

// Says returns a sentence about the refused harness with this name.
func (r Refused) Says(name string) string {
	return name + " stays as it is: " + strings.TrimPrefix(r.File+": ", ": ") + r.Error
}

// Review renders a plan made with these options. show shortens paths in texts, such as to ~ for the home folder.
func (p Plan) Review(o Options, show func(string) string) Review {
	r := Review{
		Schema: 1, Verb: "setup", Scope: string(o.Scope), Binary: show(o.Program.Path),
		Changes: []Diffed{}, Refused: []Refused{}, Same: []string{}, Wirings: []Wiring{}, Remarks: []Note{}, Left: []Note{}, Notes: []Note{},
	}
	touched := map[string]bool{}
	for _, c := range p.Changes {
		touched[c.Harness] = true
		r.Changes = append(r.Changes, Diffed{c.Harness, show(c.Path), show(c.leadsTo()), c.Action(), c.Diff(show), c.line(show)})
	}
	for _, f := range p.Refusals {
		touched[f.Harness] = true
		r.Refused = append(r.Refused, Refused{f.Harness, show(f.Path), show(phrase.OneLine(f.Err.Error())), f.ToDo().Map(show)})
	}
	r.add(p.Notes, show)
	for _, h := range o.Harnesses {
		if !touched[h.ID] {
			r.Same = append(r.Same, h.ID)
		}
	}
	if p.removal {
		r.Verb, r.Binary = "remove", ""
		var left []Note
		for _, w := range p.Elsewhere {
			out := w.WayOut(o.Env.GOOS)
			text := strings.TrimSuffix(they+" is still wired in "+cmp.Or(w.Project, w.Path)+"; "+out.Text, "; ")
			left = append(left, Note{Harness: w.Harness, Text: text, Command: out.Command, name: o.NameOf(w.Harness)})
		}
		r.add(slices.Concat(merged(left), p.leftovers(o)), show)
		return r
	}
	r.Lack = o.Lack()
	r.Servers = o.lines
	after, all := p.Env(o.Env), p.wired(o)
	changed := lists.Filter(all, func(h wired) bool { return h.changed })
	notes := slices.Concat(lacking(o, changed), staying(o, changed), overall(o, changed))
	for _, h := range all {
		possible := lists.Map(h.Choices, func(c setup.Choice) Because { return Because{string(c.Mode), c.Why} })
		r.Wirings = append(r.Wirings, Wiring{Harness: h.ID, Mode: string(h.mode), Possible: possible})
		notes = append(notes, aboutSetup(o, after, h)...)
	}
	r.add(merged(slices.Concat(notes, aboutProject(o, p), afterwards(changed), limits(o, changed))), show)
	return r
}

// Few keeps the first notes of a list, up to five sentences with the others, removes limits after them, and returns how many it removed.
func Few(list *[]Note, others int) (removed int) {
	room, all := 5-others, len(*list)
	*list = lists.Filter(*list, func(n Note) bool { room--; return room >= 0 || n.Kind != Limit })
	return all - len(*list)
}

// add puts notes into the list of their kind.
func (r *Review) add(all []Note, show func(string) string) {
	for _, n := range all {
		n.Text, n.Command = show(n.Text), show(n.Command)
		switch n.Kind {
		case Remark:
			r.Remarks = append(r.Remarks, n)
		case Caveat, Limit:
			r.Notes = append(r.Notes, n)
		default:
			r.Left = append(r.Left, n)
		}
	}
}

// Unchanged returns what is said of an unchanged harness.
func (r Review) Unchanged(id string) string {
	if r.Verb == "setup" && !slices.ContainsFunc(r.Wirings, func(w Wiring) bool { return w.Harness == id }) {
		return r.Lack
	}
	return "nothing to do"
}

// Verdict returns how a plan ended or, before it is applied, would end. proved is what a proof says of the harnesses that are
// set up, "" without one.
func (r Review) Verdict(proved string) string {
	verb, refused := "would be", phrase.Count(len(r.Refused), "harness")+" could not be changed"
	if r.Applied {
		verb = "is"
	}
	text, set := proved, phrase.Count(len(r.Wirings), "harness")
	switch {
	case r.AllRefused():
		text = "refused: " + refused
	case proved != "":
	case r.Verb == "remove" && len(r.Changes)+len(r.Refused)+len(r.Left) == 0:
		text = "nothing to do: no entry of wsi was found"
	case r.Verb == "remove" && len(r.Changes) == 0:
		text = "nothing " + verb + " removed"
	case r.Verb == "remove":
		text = "wsi " + verb + " removed from " + phrase.Count(len(r.Changes), "file")
	case len(r.Wirings) == 0:
		text = "nothing to do: " + r.Lack
	case len(r.Changes) == 0:
		text = "nothing to do: wsi is already set up in " + set
	default:
		text = "wsi " + verb + " set up in " + set
	}
	if len(r.Refused) > 0 && !r.AllRefused() {
		text += "; " + refused
	}
	if len(r.Left) > 0 {
		text += "; see the next steps"
	}
	return text
}

// AllRefused reports whether every harness was refused.
func (r Review) AllRefused() bool { return len(r.Refused) > 0 && len(r.Changes)+len(r.Same) == 0 }

// Lines counts the lines that the changes add and remove.
func (r Review) Lines() (added, removed int) {
	for _, c := range r.Changes {
		more, less := c.lines()
		added, removed = added+more, removed+less
	}
	return added, removed
}

// Action is what happens to the file: create, update or delete.
func (c Change) Action() string {
	switch {
	case c.Before == nil:
		return "create"
	case c.After == nil:
		return "delete"
	}
	return "update"
}

// Env returns env with the plan applied.
func (p Plan) Env(env setup.Env) setup.Env {
	read, stat := env.ReadFile, env.Stat
	change := func(path string) (Change, bool) {
		return lists.Find(p.Changes, func(c Change) bool { return c.Path == path })
	}
	env.ReadFile = func(path string) ([]byte, error) {
		c, ok := change(path)
		switch {
		case !ok:
			return read(path)
		case c.After == nil:
			return nil, fs.ErrNotExist
		}
		return c.After, nil
	}
	env.Stat = func(path string) (isDir bool, err error) {
		if _, ok := change(path); !ok {
			return stat(path)
		}
		_, err = env.ReadFile(path)
		return false, err
	}
	return env
}

// leadsTo returns the target of a linked file, else "".
func (c Change) leadsTo() string {
	if !c.Linked {
		return ""
	}
	return c.Target
}

// arrow returns file and its target, unless that is "".
func arrow(file, target string) string {
	if target == "" {
		return file
	}
	return file + " -> " + target
}

// line returns a line about a file of wsi's own, "" about any other.
func (c Change) line(show func(path string) string) string {
	if !c.Own {
		return ""
	}
	lines := max(bytes.Count(c.After, []byte("\n")), bytes.Count(c.Before, []byte("\n")))
	return fmt.Sprintf("%s %s, %s, wsi's own", c.Action(), arrow(printable.Line(show(c.Path)), printable.Line(show(c.leadsTo()))), phrase.Count(lines, "line"))
}

// Diff returns the change as a unified diff, with the path as show writes it. [edit.Mask] replaces possible secrets with
// stars, because diffs are printed and shared.
func (c Change) Diff(show func(path string) string) string {
	from := arrow(printable.Line(show(c.Path)), printable.Line(show(c.leadsTo())))
	to := from
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	format := setup.JSON
	if filepath.Ext(c.Path) == ".toml" {
		format = setup.TOML
	}
	before, after := edit.Mask(format, c.Before, c.After)
	_, text, _ := strings.Cut(string(diff.Diff(from, before, to, after)), "\n") // its first line repeats the names
	return text
}
