package installer

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// PlanSetup plans the changes that make the harnesses run wsi. A harness that cannot be changed becomes a refusal
// in the plan. An error means that no plan is possible.
func PlanSetup(o Options) (Plan, error) {
	o.Found = o.Found && !o.allIdle()
	return plan(o, false, (*workspace).set)
}

// PlanAsking is [PlanSetup] with the answers of the servers that the plan depends on; ask returns them by address. It also
// returns the options with which the plan was made.
func PlanAsking(o Options, ask func(addresses []string) map[string]Answer) (Options, Plan, error) {
	for {
		o = o.every()
		p, err := PlanSetup(o)
		if err != nil || len(p.Unasked) == 0 {
			return o, p, err
		}
		o.Answers = ask(p.Unasked) // now none is unasked
	}
}

// PlanRemove plans the changes that remove wsi. A file that is unchanged since wsi wrote it is restored byte for
// byte; from any other, wsi's entries are removed.
func PlanRemove(o Options) (Plan, error) {
	return plan(o, true, (*workspace).unwire)
}

func plan(o Options, removal bool, do func(*workspace, setup.Harness) error) (Plan, error) {
	l, err := ledger.Read(o.FS.ReadFile, o.StateDir)
	if err != nil {
		return Plan{}, err
	}
	w := &workspace{o: o, ledger: l, removal: removal, modes: map[string]setup.Mode{}}
	var refusals []refusal.Error
	for _, h := range o.Harnesses {
		draft := w.clone()
		err := do(draft, h)
		if err == nil {
			err = draft.writable()
		}
		if err == nil && !removal {
			err = draft.starts(h)
		}
		if err != nil {
			refusals = append(refusals, refusal.Of(h.ID, "", err))
			continue
		}
		w = draft
	}
	p := w.plan(refusals)
	if len(p.Changes) > 0 && !removal {
		return p, w.recordable()
	}
	return p, nil
}

// starts refuses a harness that does not start with its configuration as it would be: as its files show, or as its own program says.
func (w *workspace) starts(h setup.Harness) error {
	p := w.plan(nil)
	if !slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Harness == h.ID }) {
		return nil
	}
	after := p.Env(w.o.Env)
	_, err := h.Find(after)
	if !setup.Fatal(err) {
		if err = nil; w.o.Env.Starts != nil {
			err = w.o.Env.Starts(after, h)
		}
	}
	if err != nil {
		return refusal.Error{Err: err, Fix: "correct that, then run wsi setup again"}
	}
	return nil
}

// set wires a harness, unless it is idle. A harness and a server that the user names or selects are wired also if that server
// is not registered yet.
func (w *workspace) set(h setup.Harness) error {
	switch o := w.o; {
	case o.Own != nil && !o.Keep && !o.Adds && len(o.Own[h.ID]) == 0:
		return refusal.Error{Err: errors.New("none of the chosen servers has rules, so hooks have nothing to do"), Fix: "choose its wiring by relay, or another server"}
	case !o.Found && !o.All && (!o.Keep || len(o.Own[h.ID]) > 0) || !o.Idle(h):
		return w.wire(h)
	case !o.Found:
		return cmp.Or(w.ofProject(h), o.unruled(h))
	}
	return nil
}

// wire changes the files of a harness so that it runs wsi.
func (w *workspace) wire(h setup.Harness) error {
	if err := w.ofProject(h); err != nil {
		return err
	}
	now := inspect.Registered(w.o.Env, h, w.o.Scope)
	mode, err := w.o.mode(h, now)
	if err != nil {
		return err
	}
	w.modes[h.ID] = mode
	if elsewhere, err := w.takenFrom(h); elsewhere {
		return err
	}
	if err := w.adrift(h); err != nil {
		return err
	}
	p := w.o.program(h, now)
	if err := w.ofOthers(h, p.Servers); err != nil {
		return err
	}
	hooked, behind := p, w.o.behind(now, mode, p)
	hooked.Servers = lists.Filter(p.Servers, func(name string) bool { return !slices.Contains(behind, name) })
	if hooked.Relay = mode == setup.ByRelay; hooked.Relay { // who calls matters only where values are carried
		hooked.Servers = w.o.carried(p)
	}
	carries := len(hooked.Servers) > 0
	if !carries {
		hooked.Servers = p.Servers
	}
	wiring, err := h.Wiring(w.o.Env, w.o.Scope, hooked)
	if err != nil {
		return err
	}
	if len(behind) == 0 { // unwrap first: that may restore a file as a whole
		err = w.unwrapAll(h)
	}
	switch {
	case err != nil:
	case h.Hooked(mode) && carries:
		err = w.hook(h, wiring)
	default:
		err = w.unhook(h, append(slices.Clone(wiring.Hooks), w.elsewhere(h, wiring)...), wiring.Owned)
	}
	if err != nil || len(behind) == 0 {
		return err
	}
	p.Servers = behind
	return w.wrap(h, p)
}

// adrift refuses to write the user's files of a harness that reads others in each folder.
func (w *workspace) adrift(h setup.Harness) error {
	found, _ := h.Find(w.o.Env) // its error is reported elsewhere
	if w.o.Scope == setup.Project || found.Adrift.Why == "" {
		return nil
	}
	return refusal.Error{Err: errors.New(found.Adrift.Why), Fix: found.Adrift.Fix, Command: found.Adrift.Command}
}

// hook registers wsi's hooks.
func (w *workspace) hook(h setup.Harness, wiring setup.Wiring) error {
	err := lists.Each(wiring.Hooks, func(hf setup.HookFile) error { return w.install(h, hf) })
	if err == nil {
		err = lists.Each(w.elsewhere(h, wiring), func(hf setup.HookFile) error { return w.abandon(h, hf) })
	}
	if err == nil {
		err = lists.Each(wiring.Owned, func(wf setup.OwnedFile) error { return w.replace(h, wf) })
	}
	return err
}

// elsewhere returns the hook files that the harness reads in addition to those of the wiring.
func (w *workspace) elsewhere(h setup.Harness, wiring setup.Wiring) []setup.HookFile {
	if h.Files.Reads == nil || len(wiring.Hooks) == 0 {
		return nil
	}
	files := slices.DeleteFunc(h.Files.Reads(w.o.Env, w.o.Scope), func(r setup.HookFile) bool {
		return slices.ContainsFunc(wiring.Hooks, func(hf setup.HookFile) bool { return hf.Path == r.Path })
	})
	for i := range files {
		files[i].Entries = wiring.Hooks[0].Entries
	}
	return files
}

func (w *workspace) install(h setup.Harness, hf setup.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil {
		return err
	}
	f.format = hf.Format
	was := f.after
	if !f.known {
		if f.base, err = edit.Remove(hf, f.base, f.recorded); err != nil {
			return w.unreadable(h, hf.Path, err)
		}
	}
	if f.after, _, err = edit.Install(hf, f.after); err != nil {
		return w.unreadable(h, hf.Path, err)
	}
	_, made, err := edit.Install(hf, f.base)
	if err != nil {
		return w.unreadable(h, hf.Path, err)
	}
	f.made = append(slices.DeleteFunc(f.made, func(name string) bool { return !inServers(name) }), made...)
	if f.base != nil { // keep a file that existed, even if it is empty
		f.made = slices.DeleteFunc(f.made, func(name string) bool { return name == "" })
	}
	w.noteMoves(h, hf, f)
	if err := h.Refused(w.o.Env, hf, f.after); err != nil {
		r, _ := errors.AsType[setup.InvalidConfigError](err) // without it, the fix is not known
		return refusal.Error{Path: hf.Path, Err: err, Fix: cmp.Or(r.Fix, "correct that") + ", then run wsi setup again"}
	}
	if h.Hooks.Policy != nil {
		if _, err := h.Hooks.Policy(w.o.Env, hf, f.after); setup.Fatal(err) { // of another file
			return err
		}
	}
	if err := switchesOn(w.o.Env, h, hf, was); err != nil {
		return err
	}
	if err := w.distrust(h, hf, was, f.after); err != nil || !w.o.Trust || h.Hooks.TrustRecords == nil {
		return err
	}
	return w.trust(h, hf, was, f.after)
}

// switchesOn refuses a file that the harness ignores as it is, but not as setup would leave it, if it has hooks of others.
func switchesOn(env setup.Env, h setup.Harness, hf setup.HookFile, was []byte) error {
	ignored, ok := errors.AsType[setup.InvalidConfigError](h.Refused(env, hf, was))
	if !ok {
		return nil
	}
	found, _ := edit.Entries(hf, was) // what cannot be read was refused before
	var others []string
	for _, one := range found {
		if !one.Ours {
			others = lists.AddUnique(others, cmp.Or(inspect.ProgramIn(one), "a hook without a command"))
		}
	}
	if len(others) == 0 {
		return nil
	}
	return refusal.Error{
		Path: hf.Path, Err: fmt.Errorf("%w. Setup would correct that, and so switch on these hooks: %s", ignored, strings.Join(others, ", ")),
		Fix: ignored.Fix + " if these hooks should run, or remove them; then run wsi setup again",
	}
}

// trust writes the records that say that the user has approved wsi's hooks.
func (w *workspace) trust(h setup.Harness, hf setup.HookFile, was, now []byte) error {
	old, err := w.consent(h, hf, was)
	if err != nil {
		return err
	}
	records, err := w.consent(h, hf, now)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(records, func(r setup.TrustRecord) bool { return r.Value == "" }) {
		w.notes = append(w.notes, Note{Harness: h.ID, Kind: Remark, Text: "wsi cannot approve the hooks in " + hf.Path + " for you: only " + h.Name + " knows their hashes, and it has not told them."})
		return nil
	}
	for _, r := range records {
		f, err := w.open(h, r.File)
		if err != nil {
			return err
		}
		if !f.known {
			if f.base, err = edit.RemoveTrust(f.base, old); err != nil {
				return w.unreadable(h, r.File, err)
			}
		}
		if f.base == nil {
			f.made = []string{""}
		}
		if f.after, err = edit.SetTrust(f.after, r); err != nil {
			return w.unreadable(h, r.File, err)
		}
	}
	return nil
}

func (w *workspace) consent(h setup.Harness, hf setup.HookFile, content []byte) ([]setup.TrustRecord, error) {
	if h.Hooks.TrustRecords == nil || len(content) == 0 {
		return nil, nil
	}
	return h.Hooks.TrustRecords(w.o.Env, hf, content)
}

// noteMoves adds a note if other hooks get another index and the harness's trust depends on it.
func (w *workspace) noteMoves(h setup.Harness, hf setup.HookFile, f *file) {
	if h.Hooks.TrustRecords == nil || len(f.before) == 0 || len(f.after) == 0 {
		return
	}
	was, err1 := edit.Entries(hf, f.before)
	is, err2 := edit.Entries(hf, f.after)
	ours := func(f setup.Hook) bool { return f.Ours }
	was, is = slices.DeleteFunc(was, ours), slices.DeleteFunc(is, ours)
	if err1 != nil || err2 != nil || slices.EqualFunc(was, is, func(a, b setup.Hook) bool {
		return a.Event == b.Event && a.Group == b.Group && a.Handler == b.Handler && reflect.DeepEqual(a.Fields, b.Fields)
	}) {
		return
	}
	w.notes = append(w.notes, Note{Harness: h.ID, Kind: Remark, Text: h.Name + " will ask you to trust the other hooks in " + hf.Path + " again: their positions change."})
}

func (w *workspace) unreadable(h setup.Harness, path string, err error) error {
	byHand := w.byHand(h.ID)
	return refusal.Error{Path: path, Err: err, Fix: "correct the file, or " + byHand.Text, Command: byHand.Command}
}

// byHand returns what the user can do instead of wsi with a file of a harness.
func (w *workspace) byHand(harness string) phrase.Fix {
	if w.removal {
		return phrase.Fix{Text: "remove the entries of wsi yourself"}
	}
	return phrase.Fix{Text: "paste what this prints", Command: "wsi snippet " + harness}
}
