package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/hook/handles"
	"wsi/internal/phrase"
)

// Proposal is a rule that the calls suggest. It has names and counts, and no value.
type Proposal struct {
	Server, Tool string     // whose results have the values
	Path         carry.Path // where they are in its results
	Uses         []Use
	Repair       bool // the values are far enough from each other to recognize a mistyped one
	Remembered   bool // from the memory of ids: Path and the arguments are only names
	form         form
}

// Use is an argument that took the values of a Proposal.
type Use struct {
	Tool     string
	Argument carry.Path
	Matched  int // calls
	Values   int // different ones; in two sessions one counts twice
	Sessions int
	Inject   bool // every accepted call had the argument
}

// How much must speak for a rule. One value that an argument always has may be a constant that the model knows from
// elsewhere.
const (
	minMatched = 3
	minValues  = 2
)

// The repair that is proposed: see RepairRule.
const (
	repairMax    = 2
	repairMargin = 12
)

// Proposals returns the rules that the calls suggest, by server and tool. undecided are arguments that took values
// which several places had, so that the calls do not show from where they came.
func (l *Learner) Proposals() (all []Proposal, undecided []Undecided) {
	sources := map[use][]source{}
	for p, e := range l.pairs {
		if e.contradicted > 0 || e.matched < minMatched || e.values < minValues || carry.HandsOff(p.to.tool, string(p.to.argument), nil) != "" {
			continue
		}
		sources[p.to] = append(sources[p.to], source{p.from, e})
	}
	for to, from := range sources {
		if len(from) > 1 {
			undecided = append(undecided, newUndecided(to, from))
			continue
		}
		all = l.add(all, to, from[0])
	}
	for i := range all {
		slices.SortFunc(all[i].Uses, func(a, b Use) int {
			return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Argument, b.Argument))
		})
	}
	slices.SortFunc(all, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Path, b.Path))
	})
	slices.SortFunc(undecided, func(a, b Undecided) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Argument, b.Argument))
	})
	return all, undecided
}

// source is a place with what speaks for it.
type source struct {
	place
	*evidence
}

// add adds an argument to the proposal about its place.
func (l *Learner) add(all []Proposal, to use, from source) []Proposal {
	i := slices.IndexFunc(all, func(p Proposal) bool {
		return p.Server == from.server && p.Tool == from.tool && p.Path == from.path
	})
	if i < 0 {
		i = len(all)
		all = append(all, Proposal{Server: from.server, Tool: from.tool, Path: from.path, Repair: !l.near[from.place], Remembered: l.remembers})
	}
	all[i].form.join(from.form)
	all[i].Uses = append(all[i].Uses, Use{
		Tool: to.tool, Argument: to.argument, Matched: from.matched, Values: from.values, Sessions: from.sessions,
		// A tool that takes the value which it hands out hands out the next one: there are always several.
		Inject: !l.remembers && l.with[to] == l.calls[tool{to.server, to.tool}] && to.tool != from.tool,
	})
	return all
}

// Undecided is an argument that took values which several places had.
type Undecided struct {
	Server, Tool string
	Argument     carry.Path
	Places       []string // TOOL PATH
}

func newUndecided(to use, from []source) Undecided {
	u := Undecided{Server: to.server, Tool: to.tool, Argument: to.argument}
	for _, s := range from {
		u.Places = append(u.Places, s.tool+" "+string(s.path))
	}
	slices.Sort(u.Places)
	return u
}

// form is what values have in common.
type form struct {
	least, most int  // bytes
	other       bool // not all are UUIDs
}

func (f *form) add(value string) {
	shape, _ := handles.ShapeOf(value)
	f.join(form{len(value), len(value), shape.Kind != handles.UUID})
}

func (f *form) join(o form) {
	if f.most == 0 {
		*f = o
		return
	}
	f.least, f.most, f.other = min(f.least, o.least), max(f.most, o.most), f.other || o.other
}

// pattern returns a shape for a rule. It says how long values are and has nothing of any.
func (f form) pattern() string {
	switch {
	case !f.other:
		return `^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`
	case f.least == f.most:
		return fmt.Sprintf(`^[0-9A-Za-z_-]{%d}$`, f.most)
	}
	return fmt.Sprintf(`^[0-9A-Za-z_-]{%d,%d}$`, f.least, f.most)
}

// TOML returns the proposal as a rule of a rule file.
func (p Proposal) TOML() string {
	var b strings.Builder
	for _, u := range p.Uses {
		fmt.Fprintf(&b, "# %s %s: %d calls matched, %d values, %s, none contradicted\n", u.Tool, u.Argument, u.Matched, u.Values, phrase.Count(u.Sessions, "session"))
	}
	fmt.Fprintf(&b, "[[carry]]\nname = %s\nservers = [%s]\n", quote(p.Name()), quote(p.Server))
	fmt.Fprintf(&b, "shape = '%s'\nsecret = false\nscope = \"session\"\n", p.form.pattern())
	from := quote("json:" + string(p.Path))
	if !strings.HasPrefix(string(p.Path), "[]") { // structured content is an object
		from = quote("structured:"+string(p.Path)) + ", " + from
	}
	fmt.Fprintf(&b, "[carry.capture]\ntools = [%s]\nfrom = [%s]\nkey = [\"self\"]\n", quote(p.Tool), from)
	if strings.Contains(string(p.Path), "[]") {
		b.WriteString("each = true\n")
	}
	for _, u := range p.Uses {
		if u.Inject {
			fmt.Fprintf(&b, "[[carry.inject]]\ntools = [%s]\nargument = %s\nchoose = \"alone\"\notherwise = \"tell\"\n", quote(u.Tool), quote(string(u.Argument)))
		}
		if p.Repair {
			fmt.Fprintf(&b, "[[carry.repair]]\ntools = [%s]\narguments = [%s]\nmode = \"distance\"\nmax = %d\nmargin = %d\n",
				quote(u.Tool), quote(string(u.Argument)), repairMax, repairMargin)
		}
	}
	return b.String()
}

// Name returns the name of the rule.
func (p Proposal) Name() string {
	name := p.Server + ": " + string(p.Path) + " of " + p.Tool
	if p.Remembered { // the same may be proposed from recordings
		name += ", from kept ids"
	}
	return name
}

// Empty reports whether a rule of the proposal would do nothing.
func (p Proposal) Empty() bool {
	return !p.Repair && !slices.ContainsFunc(p.Uses, func(u Use) bool { return u.Inject }) || len(p.Uses) == 0
}

// quote returns a name as a basic string of TOML. Names have no control characters (see plainName).
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
