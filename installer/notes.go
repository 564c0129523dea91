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
	Harness string `json:"harness"`           // id, "" if it is about all of them
	Text    string `json:"text"`              // a sentence
	Command string `json:"command,omitempty"` // to be typed, after the text
	Kind    Kind   `json:"-"`
	Gate    bool   `json:"-"` // it is why the harness would skip the hooks: the doctor finds the same as hook.trusted
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

// afterwards lists the harnesses that must be restarted, and returns what else the user must do, or wait for, after that.
func afterwards(changed []wired) (all []Note) {
	var names []string
	for _, h := range changed {
		if h.Texts.Restart != "" || h.mode != setup.ByHooks && len(h.TextsBy(h.mode).Afterwards) == 0 {
			names = append(names, h.Name)
		}
		for _, text := range h.TextsBy(h.mode).Afterwards {
			all = append(all, Note{Harness: h.ID, Text: text})
		}
	}
	if names != nil {
		all = slices.Insert(all, 0, Note{Text: "Restart " + phrase.List(names, "and") + ": running sessions keep the hooks and servers that they started with."})
	}
	return all
}

// lacking reports servers that harnesses do not have. Harnesses with the same hint share a sentence.
func lacking(o Options, changed []wired) (all []Note) {
	type lack struct{ server, fix, command string }
	var order []lack
	who := map[lack][]wired{}
	for _, h := range changed {
		p, err := h.Find(o.Env)
		if err != nil {
			all = append(all, Note{Harness: h.ID, Text: h.Name + "'s MCP servers could not be read: " + phrase.OneLine(err.Error())})
			continue
		}
		for _, s := range h.program.Servers {
			if slices.ContainsFunc(p.Servers, func(known setup.Server) bool { return known.Name == s }) {
				continue
			}
			l := lack{s, ": register it under that name.", ""}
			if other := inspect.Suggest(p.Servers); other != "" {
				as := o.rulesFor(h.Harness, inspect.Registration{}, []string{other})[other]
				l.fix, l.command = ". If your server is "+other, "wsi setup --server "+setup.Quote(o.Env.GOOS, harnesses.ServerWord(other, as))
			}
			order, who[l] = lists.AddUnique(order, l), append(who[l], h)
		}
	}
	for _, l := range order {
		names := lists.Map(who[l], func(h wired) string { return h.Name })
		n := Note{Text: "No MCP server named " + l.server + " is registered with " + phrase.List(names, "and") + l.fix, Command: l.command}
		if len(names) == 1 {
			n.Harness = who[l][0].ID
		}
		all = append(all, n)
	}
	return all
}

// staying says for which servers wsi stays registered although the user has named others.
func staying(o Options, changed []wired) []Note {
	var servers, names []string
	for _, h := range changed {
		for _, name := range h.program.Servers {
			if o.Adds && slices.Contains(h.now.Servers(), name) && !slices.Contains(o.named(h.Harness), name) {
				servers, names = lists.AddUnique(servers, name), lists.AddUnique(names, h.Name)
			}
		}
	}
	if names == nil {
		return nil
	}
	return []Note{{Kind: Remark, Text: fmt.Sprintf("wsi stays registered for %s with %s. To choose the servers, press v in wsi setup.", phrase.List(servers, "and"), phrase.List(names, "and"))}}
}

// overall returns notes about several harnesses at once: more reliable modes that setup would not refuse, and harnesses that
// were not tested.
func overall(o Options, changed []wired) (all []Note) {
	stronger, why, untried := map[setup.Mode][]wired{}, "", []string(nil)
	for _, h := range changed {
		open, _ := Modes(o, h.Harness)
		if best := h.Choices[0]; best.Mode != h.mode && slices.ContainsFunc(open, func(c setup.Choice) bool { return c.Mode == best.Mode }) {
			stronger[best.Mode], why = append(stronger[best.Mode], h), best.Why
		}
		if len(h.Measured) == 0 && len(h.TextsBy(h.mode).Caveats) > 0 {
			untried = append(untried, h.Name)
		}
	}
	if len(changed) > 1 {
		why = ""
	}
	for _, mode := range setup.Modes {
		if hs := stronger[mode]; hs != nil {
			all = append(all, o.moreReliable(hs, mode, why))
		}
	}
	if untried != nil {
		all = append(all, Note{Kind: Caveat, Text: "Not yet tested with the program itself: what wsi knows of " + phrase.List(untried, "and") + " comes from the documentation."})
	}
	return all
}

// moreReliable says how to wire harnesses in a mode that is more reliable.
func (o Options) moreReliable(hs []wired, mode setup.Mode, why string) Note {
	names, ids := lists.Map(hs, func(h wired) string { return h.Name }), lists.Map(hs, func(h wired) string { return h.ID })
	text := "More reliable for " + phrase.List(names, "and")
	if why != "" {
		text += ", because " + why
	}
	o.Mode = mode
	command := o.again(setup.Harness{ID: strings.Join(ids, ",")}, o.Scope, nil)
	return Note{Kind: Caveat, Text: text + ". It changes how the server is registered, so setup does it only if you ask", Command: command}
}

// limits returns the notes about each harness.
func limits(o Options, changed []wired) (all []Note) {
	for _, h := range changed {
		ruled := o.carried(h.program)
		unruled := lists.Filter(o.behind(h.now, h.mode, h.program), func(name string) bool { return !slices.Contains(ruled, name) })
		if len(unruled) > 0 {
			all = lists.AddUnique(all, Note{Kind: Caveat, Text: fmt.Sprintf("No rule is for %s, so wsi carries no values there. With wsi relay, %s", phrase.List(unruled, "and"), RelayGives)})
		}
		if len(ruled) == 0 {
			continue
		}
		for _, text := range h.TextsBy(h.mode).Caveats {
			if text != h.Texts.Untried { // which overall says
				all = append(all, Note{Harness: h.ID, Kind: Caveat, Text: text})
			}
		}
		if is, ok := h.Choice(h.mode); ok && is.Why != "" {
			all = append(all, Note{Harness: h.ID, Kind: Caveat, Text: h.Name + " is wired by " + string(h.mode) + ": " + is.Why + "."})
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
		all = append(all, passedBy(o, after, h.Harness, behind)...)
	}
	if scope := o.Scope.Other(); o.Env.Cwd != o.Env.Home {
		if is := inspect.Registered(o.Env, h.Harness, scope).Mode(); is != "" && is != h.mode {
			all = append(all, Note{Harness: h.ID, Kind: Remark, Text: fmt.Sprintf(
				"%s is also wired by %s in the scope %s. Where both apply, both carry the same values. To keep only one", h.Name, is, scope), Command: "wsi remove --harness " + h.ID + " --scope project"})
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
	return []Note{{Harness: h.ID, Kind: Caveat, Text: fmt.Sprintf("wsi has rules for %s in %s, but carries nothing there yet. To change that",
		phrase.List(more, "and"), h.Name), Command: o.again(h.Harness, o.Scope, slices.Concat(registered, more))}}
}

// passedBy reports registrations of the servers without wsi relay that a harness starts in addition or instead.
func passedBy(o Options, after setup.Env, h setup.Harness, wanted []string) (all []Note) {
	remark := func(format string, args ...any) {
		all = append(all, Note{Harness: h.ID, Kind: Remark, Text: fmt.Sprintf(format, args...)})
	}
	found, err := h.Find(after)
	if err != nil {
		remark("Not all server registrations of %s could be read, so it may start servers without wsi relay: %s", h.Name, phrase.OneLine(err.Error()))
	}
	for _, name := range wanted {
		for _, b := range inspect.Bypasses(o.Env, h, found.Servers, name) {
			remark("%s.", b.Text)
		}
	}
	relays := inspect.WrappedServers(after, h, o.Scope)
	all = append(all, sharing(after, h, relays)...)
	all = append(all, aboutLogins(o, h, relays)...)
	for _, f := range relays {
		if _, asked := o.Answers[f.Relay.URL]; f.Relay.URL != "" && len(f.Relay.Headers) == 0 && !asked && !endpoint.OnThisMachine(f.Relay.URL) {
			remark("If %s (%s) requires a login, for which %s has logged in so far, do not put wsi relay in front of it: it sends only the registered headers and cannot log in.", f.Name, f.Path, h.Name)
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
			remark("%[1]s also comes with a plugin of %[2]s (%[3]s). If %[2]s loads it, it starts both, because their command lines now differ, and that one runs without wsi relay: disable one of them.", s.Name, h.Name, s.File)
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
func aboutLogins(o Options, h setup.Harness, relays []inspect.WrappedServer) (all []Note) {
	for _, f := range relays {
		answer, asked := o.Answers[f.Relay.URL]
		note := Note{Harness: h.ID, Kind: Remark}
		switch ok := answer.Status >= 200 && answer.Status < 300; {
		case !asked:
			continue
		case ok:
			note.Kind = Caveat
			note.Text = fmt.Sprintf("Setup asked %s (%s) whether it requires a login: it does not.", f.Name, f.Relay.URL)
		case answer.Err != nil:
			note.Text = fmt.Sprintf("Setup asked %s (%s) whether it requires a login, and got no answer: %s. If it does, do not put wsi relay in front of it: wsi cannot log in.", f.Name, f.Relay.URL, phrase.OneLine(answer.Err.Error()))
		default:
			note.Text = fmt.Sprintf("Setup asked %s (%s) whether it requires a login, and it answered with HTTP status %d. If %s has logged in there so far, do not put wsi relay in front of it: wsi cannot log in.", f.Name, f.Relay.URL, answer.Status, h.Name)
		}
		all = append(all, note)
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
