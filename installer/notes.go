package installer

import (
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/internal/endpoint"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// Note is something that a user must know about a setup or removal.
type Note struct {
	Harness string `json:"harness"`           // id, "" if it is about several or all of them
	Text    string `json:"text"`              // a sentence
	Command string `json:"command,omitempty"` // to be typed, after the text
	Kind    Kind   `json:"-"`
	Gate    bool   `json:"-"` // it is why the harness would skip the hooks: the doctor finds the same as hook.trusted
	name    string // of the harness
}

// ToDo returns a note with its command.
func (n Note) ToDo() phrase.Fix { return phrase.Fix{Text: n.Text, Command: n.Command} }

// Kind says when a note matters.
type Kind string

// The kinds of notes.
const (
	Left   Kind = ""       // to do after the plan is applied
	Remark Kind = "remark" // to know before the plan is applied
	Caveat Kind = "caveat" // good to know about a harness that is changed
	Limit  Kind = "limit"  // a caveat that wsi doctor -v has, too
)

// command returns what the user types to run a verb of wsi for a harness and the scope.
func (o Options) command(verb string, h setup.Harness) string {
	line := "wsi " + verb + " --harness " + h.ID
	if o.Scope == setup.Project {
		line += " --scope project"
	}
	return line
}

// wired is a harness that is set up after a plan.
type wired struct {
	setup.Harness

	mode    setup.Mode
	now     inspect.Registration // before the plan
	program setup.Program
	changed bool // by the plan
}

// wired returns these harnesses, in their order.
func (p Plan) wired(o Options) (all []wired) {
	for _, h := range o.Harnesses {
		changes := func(c Change) bool { return c.Harness == h.ID }
		if mode := p.Modes[h.ID]; mode != "" {
			now := inspect.Registered(o.Env, h, o.Scope)
			all = append(all, wired{h, mode, now, o.program(h, now), slices.ContainsFunc(p.Changes, changes)})
		}
	}
	return all
}

// they stands in the text of a note for the names of the harnesses that it is about.
const they = "\x00"

// merged returns notes with the same text once, about all of their harnesses.
func merged(all []Note) (out []Note) {
	var names [][]string // of each
	for _, n := range all {
		at := slices.IndexFunc(out, func(o Note) bool { return o.Text == n.Text && o.Command == n.Command && o.Kind == n.Kind })
		if at < 0 {
			at, out, names = len(out), append(out, n), append(names, nil)
		}
		names[at] = lists.AddUnique(names[at], n.name)
		if out[at].Harness != n.Harness {
			out[at].Harness = ""
		}
	}
	for i, n := range out {
		if len(names[i]) > 1 {
			n.Text = strings.ReplaceAll(n.Text, they+" is ", they+" are ")
		}
		out[i].Text = strings.ReplaceAll(n.Text, they, phrase.List(names[i], "and"))
	}
	return out
}

// note returns a note about a harness, in which [they] is its name.
func (h wired) note(kind Kind, format string, args ...any) Note {
	return Note{Harness: h.ID, Kind: kind, Text: fmt.Sprintf(format, args...), name: h.Name}
}

// afterwards says which harnesses must be restarted, and what else the user must do, or wait for, after that.
func afterwards(changed []wired) (restart []Note) {
	var all []Note
	for _, h := range changed {
		if h.Texts.Restart != "" || h.mode != setup.ByHooks && len(h.TextsBy(h.mode).Afterwards) == 0 {
			restart = append(restart, h.note(Left, "Restart %s: running sessions keep the hooks and servers that they started with.", they))
		}
		for _, text := range h.TextsBy(h.mode).Afterwards {
			all = append(all, h.note(Left, "%s", text))
		}
	}
	return append(restart, all...)
}

// lacking reports servers that harnesses do not have.
func lacking(o Options, changed []wired) (all []Note) {
	for _, h := range changed {
		p, err := h.Find(o.Env)
		if err != nil {
			all = append(all, h.note(Left, "Not all server registrations of %s could be read, so wsi may miss a server there: %s", they, phrase.OneLine(err.Error())))
			continue
		}
		for _, s := range h.program.Servers {
			if slices.ContainsFunc(p.Servers, func(known setup.Server) bool { return known.Name == s }) {
				continue
			}
			n := h.note(Left, "No MCP server named %s is registered with %s", s, they)
			if other := inspect.Suggest(p.Servers); other != "" {
				as := o.rulesFor(h.Harness, inspect.Registration{}, []string{other})[other]
				n.Text, n.Command = n.Text+". If your server is "+other, "wsi setup --server "+setup.Quote(o.Env.GOOS, harnesses.ServerWord(other, as))
			} else {
				n.Text += ": register it under that name."
			}
			all = append(all, n)
		}
	}
	return all
}

// staying says for which servers wsi stays registered although the user has named others.
func staying(o Options, changed []wired) (all []Note) {
	for _, h := range changed {
		stays := lists.Filter(h.program.Servers, func(name string) bool {
			return o.Adds && slices.Contains(h.now.Servers(), name) && !slices.Contains(o.named(h.Harness), name)
		})
		if stays != nil {
			all = append(all, h.note(Remark, "wsi stays registered for %s with %s. To choose the servers, press v in wsi setup.", phrase.List(stays, "and"), they))
		}
	}
	return all
}

// overall returns notes about more reliable modes that setup would not refuse and was not asked for.
func overall(o Options, changed []wired) (all []Note) {
	for _, mode := range setup.Modes {
		hs := lists.Filter(changed, func(h wired) bool {
			open, _ := Modes(o, h.Harness)
			can := slices.ContainsFunc(open, func(c setup.Choice) bool { return c.Mode == mode })
			return can && mode == h.Choices[0].Mode && !slices.Contains([]setup.Mode{h.mode, o.Mode, o.Modes[h.ID]}, mode) && o.carried(h.program) != nil
		})
		if hs != nil {
			all = append(all, o.moreReliable(hs, mode, len(changed) == 1))
		}
	}
	return all
}

// moreReliable says how to wire harnesses in a mode that is more reliable, and of a single one why it is.
func (o Options) moreReliable(hs []wired, mode setup.Mode, single bool) Note {
	names, ids := lists.Map(hs, func(h wired) string { return h.Name }), lists.Map(hs, func(h wired) string { return h.ID })
	servers := lists.AddUnique(nil, slices.Concat(lists.Map(hs, func(h wired) []string { return o.carried(h.program) })...)...)
	how := map[setup.Mode]string{setup.ByRelay: "a relay in front of ", setup.ByHooks: "hooks for "}[mode]
	text := "With " + how + phrase.List(servers, "and") + ", wsi is more reliable in " + phrase.List(names, "and")
	if single {
		text += ", because " + hs[0].Choices[0].Why
	}
	o.Mode = mode
	command := o.again(setup.Harness{ID: strings.Join(ids, ",")}, o.Scope, nil)
	return Note{Kind: Caveat, Text: text + ". This changes the registration, so setup does it only if you ask", Command: command}
}

// limits returns the notes about each harness.
func limits(o Options, changed []wired) (all []Note) {
	for _, h := range changed {
		ruled, texts := o.carried(h.program), h.TextsBy(h.mode)
		unruled := lists.Filter(o.behind(h.now, h.mode, h.program), func(name string) bool { return !slices.Contains(ruled, name) })
		if len(unruled) > 0 {
			all = append(all, h.note(Caveat, "No rule is for %s, so wsi carries no values there. %s", phrase.List(unruled, "and"), RelayGives))
		}
		if texts.Untried {
			all = append(all, h.note(Limit, setup.Untested, they))
		}
		if len(ruled) == 0 {
			continue
		}
		if texts.Share != "" {
			all = append(all, h.note(Limit, setup.Shared, they, texts.Share))
		}
		for _, text := range texts.Caveats {
			all = append(all, h.note(Limit, "%s", text))
		}
		if is, ok := h.Choice(h.mode); ok && is.Why != "" {
			all = append(all, h.note(Limit, setup.WiredBy, they, h.mode, is.Why))
		}
	}
	return all
}

// aboutSetup returns the notes about one harness. after is the environment with the plan applied.
func aboutSetup(o Options, after setup.Env, h wired) []Note {
	all := absent(o, h)
	found, _ := h.Find(after) // its error is reported elsewhere
	if silent := o.Env.Silent(found.Binary); silent != nil {
		all = append(all, h.remark("", "%v, so it is not known whether %s accepts these files.", silent, h.Name))
	}
	if h.Hooked(h.mode) && (h.mode == setup.ByHooks || len(o.carried(h.program)) > 0) {
		all = slices.Concat(Gates(o, after, h.Harness), all, conflicts(o, h))
	}
	if behind := o.behind(h.now, h.mode, h.program); len(behind) > 0 {
		all = append(all, passedBy(o, after, h, behind)...)
	}
	if scope := o.Scope.Other(); o.Env.Cwd != o.Env.Home {
		if is := inspect.Registered(o.Env, h.Harness, scope).Mode(); is != "" && is != h.mode {
			all = append(all, h.remark("wsi remove --harness "+h.ID+" --scope project",
				"%s is also wired by %s in the scope %s. To keep only one", h.Name, is, scope))
		}
	}
	return append(all, unserved(o, h)...)
}

// unserved reports servers of a harness that have rules but for which wsi is not registered.
func unserved(o Options, h wired) []Note {
	registered := h.now.Servers()
	if !o.Keep || o.Ruled == nil || len(registered) == 0 {
		return nil
	}
	p, _ := h.Find(o.Env) // its error is reported elsewhere
	more := slices.DeleteFunc(o.ruled(p), func(name string) bool { return slices.Contains(registered, name) })
	if len(more) == 0 {
		return nil
	}
	o.Program.As = o.rulesNow(h.now)
	n := h.note(Caveat, "wsi is not registered for %s in %s, but has rules for that. To register it", phrase.List(more, "and"), h.Name)
	n.Command = o.again(h.Harness, o.Scope, slices.Concat(registered, more))
	return []Note{n}
}

// passedBy reports registrations of the servers without wsi relay that a harness starts in addition or instead.
func passedBy(o Options, after setup.Env, h wired, wanted []string) (all []Note) {
	remark := func(format string, args ...any) { all = append(all, h.remark("", format, args...)) }
	found, _ := h.Find(after) // its error is reported by lacking
	for _, name := range wanted {
		for _, b := range inspect.Bypasses(o.Env, h.Harness, found.Servers, name) {
			remark("%s.", b.Text)
		}
	}
	relays := inspect.WrappedServers(after, h.Harness, o.Scope)
	all = append(all, sharing(after, h, relays)...)
	all = append(all, aboutLogins(o, h, relays)...)
	for _, f := range relays {
		if _, asked := o.Answers[f.Relay.URL]; f.Relay.URL != "" && len(f.Relay.Headers) == 0 && !asked && !endpoint.OnThisMachine(f.Relay.URL) {
			remark("If %[3]s logs in to %[1]s (%[2]s), put no relay in front of that server: the relay sends only the registered headers and cannot log in.", f.Name, f.Relay.URL, h.Name)
		}
		if names := inspect.Exposed(f.Relay); len(names) > 0 {
			remark("%s in %s has an address with http://: others on the network can read what is sent to it, also %s. Use an address with https://.", f.Name, f.Path, phrase.List(names, "and"))
		}
	}
	if h.Bundled == nil {
		return all
	}
	for _, s := range h.Bundled(after) {
		if slices.Contains(wanted, s.Name) {
			remark("%[1]s also comes with a plugin of %[2]s (%[3]s). If %[2]s loads the plugin, it starts both, because their command lines differ. The plugin's server has no relay: disable one.", s.Name, h.Name, s.File)
		}
	}
	return all
}

// WayOut returns what removes wsi from another scope or project.
func (w Wired) WayOut(goos string) phrase.Fix {
	if w.Project == "" {
		return phrase.Fix{Command: "wsi remove"}
	}
	return setup.RunIn(goos, w.Project, "wsi remove --scope project")
}

// aboutLogins returns a note on each server that was asked whether it requires a login.
func aboutLogins(o Options, h wired, relays []inspect.WrappedServer) (all []Note) {
	for _, f := range relays {
		answer, was := o.Answers[f.Relay.URL]
		asked := fmt.Sprintf("Setup asked %s (%s) whether it requires a login", f.Name, f.Relay.URL)
		switch ok := answer.Status >= 200 && answer.Status < 300; {
		case !was:
		case ok:
			all = append(all, h.note(Caveat, "%s: it does not.", asked))
		case answer.Err != nil:
			all = append(all, h.note(Remark, "%s, and got no answer: %s. If it does, do not put wsi relay in front of it: wsi cannot log in.", asked, phrase.OneLine(answer.Err.Error())))
		default:
			all = append(all, h.note(Remark, "%s, and it answered with HTTP status %d. If %s has logged in there so far, do not put wsi relay in front of it: wsi cannot log in.", asked, answer.Status, h.Name))
		}
	}
	return all
}

// Gates returns why the harness would skip the hooks that the files register: switches and policies as
// remarks, a missing approval as something to do.
func Gates(o Options, env setup.Env, h setup.Harness) []Note {
	if h.Hooks.Policy == nil {
		return nil
	}
	w, err := h.Wiring(inspect.InScope(env, h, o.Scope), o.Scope, o.Program)
	if err != nil {
		return []Note{{Harness: h.ID, Text: err.Error()}}
	}
	var notes []Note
	files := append(w.Hooks, lists.Map(w.Owned, func(wf setup.OwnedFile) setup.HookFile { return setup.HookFile{Path: wf.Path} })...)
	for _, hf := range files {
		var closed []setup.Reason
		content, err := env.ReadFile(hf.Path)
		if err == nil {
			closed, err = h.Hooks.Policy(env, hf, content)
		}
		for _, c := range closed {
			n := Note{Harness: h.ID, Gate: true, Text: h.Name + ": " + c.Why + ". To change that", Command: c.Command}
			switch {
			case c.Flag != "":
				n.Text, n.Command = h.Name+": "+c.Why+". Either "+c.Fix+", or type", o.command("setup", h)+" "+c.Flag
			case c.Command == "":
				n.Text += ": " + c.Fix + "."
			}
			if c.Off {
				n.Kind = Remark
			}
			notes = lists.AddUnique(notes, n) // one file can be of both scopes
		}
		if err != nil {
			notes = append(notes, Note{Harness: h.ID, Gate: true, Text: h.Name + " may not run these hooks: " + phrase.OneLine(err.Error())})
		}
	}
	return notes
}
