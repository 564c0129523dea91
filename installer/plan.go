package installer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/notes"
	"wsi/installer/refusal"
)

// PlanSetup plans the changes that make the harnesses run wsi. A harness that cannot be changed becomes a refusal
// in the plan. An error means that no plan is possible.
func PlanSetup(o Options) (Plan, error) {
	return plan(o, false, (*workspace).wire)
}

// PlanAsking is [PlanSetup] with the answers of the servers that the plan depends on; ask returns them by address. It also
// returns the options with which the plan was made.
func PlanAsking(o Options, ask func(addresses []string) map[string]Answer) (Options, Plan, error) {
	p, err := PlanSetup(o)
	if err != nil || len(p.Unasked) == 0 {
		return o, p, err
	}
	o.Answers = ask(p.Unasked)
	p, err = PlanSetup(o)
	return o, p, err
}

// PlanRemove plans the changes that remove wsi. A file that is unchanged since wsi wrote it is restored byte for
// byte; from any other, wsi's entries are removed.
func PlanRemove(o Options) (Plan, error) {
	return plan(o, true, (*workspace).unwire)
}

func plan(o Options, removal bool, do func(*workspace, harnesses.Harness) error) (Plan, error) {
	l, err := ledger.Read(o.FS.ReadFile, o.StateDir)
	if err != nil {
		return Plan{}, err
	}
	w := &workspace{o: o, ledger: l, removal: removal, modes: map[string]harnesses.Mode{}}
	if err := w.putProgram(); err != nil {
		return Plan{}, err
	}
	var refusals []refusal.Error
	for _, h := range o.Harnesses {
		draft := w.clone()
		err := do(draft, h)
		if err == nil {
			err = draft.writable()
		}
		if err != nil {
			refusals = append(refusals, refusal.Of(h.ID, "", err))
			continue
		}
		w = draft
	}
	if !removal && len(refusals) == len(o.Harnesses) {
		w = &workspace{o: o, ledger: l} // no harness would run the program
	}
	p := w.plan(refusals)
	if removal {
		p = w.takeProgram(p)
	}
	if len(p.Changes) > 0 && !removal {
		return p, w.recordable()
	}
	return p, nil
}

// wire changes the files of a harness so that it runs wsi.
func (w *workspace) wire(h harnesses.Harness) error {
	if err := w.ofProject(h); err != nil {
		return err
	}
	now := inspect.Registered(w.o.Env, h, w.o.Scope)
	mode, err := w.o.mode(h, now)
	if err != nil {
		return err
	}
	w.modes[h.ID] = mode
	if mode != harnesses.ByHooks && w.o.NoRelay {
		return refusal.Error{
			Err:  fmt.Errorf("the wsi at %s does not support wsi relay, which wiring by %s needs", w.o.Program.Path, mode),
			Hint: "update it, or name another one with --binary",
		}
	}
	if elsewhere, err := w.takenFrom(h); elsewhere {
		return err
	}
	p := w.o.program(h, now)
	if err := w.ofOthers(h, p.Servers); err != nil {
		return err
	}
	p.Join = mode == harnesses.ByJoin
	if !h.KeepsIDsBy(mode) {
		p.Handles = nil
	}
	hooked := h.HooksBy(mode, len(p.Handles) > 0)
	registered := p
	if hooked && mode == harnesses.ByRelay {
		registered.Relay, registered.Servers = true, p.Handles
	}
	wiring, err := h.Wiring(w.o.Env, w.o.Scope, registered)
	if err != nil {
		return err
	}
	switch {
	case !hooked:
		err = w.unhook(h, append(slices.Clone(wiring.Hooks), w.elsewhere(h, wiring)...), wiring.Owned)
	case mode != harnesses.ByHooks:
		err = w.hook(h, wiring)
	default: // unwrap first: that may restore a file as a whole
		if err = w.unwrapAll(h); err == nil {
			err = w.hook(h, wiring)
		}
	}
	needless := w.o.needsNone(now, p)
	switch {
	case err != nil || mode == harnesses.ByHooks:
		return err
	case needless && mode == harnesses.ByRelay:
		return w.unwrapAll(h)
	}
	if err := w.wrap(h, p); !needless || !errors.As(err, new(noServer)) {
		return err
	}
	return nil
}

// hook registers wsi's hooks.
func (w *workspace) hook(h harnesses.Harness, wiring harnesses.Wiring) error {
	for _, hf := range wiring.Hooks {
		if err := w.install(h, hf); err != nil {
			return err
		}
	}
	for _, hf := range w.elsewhere(h, wiring) {
		if err := w.abandon(h, hf); err != nil {
			return err
		}
	}
	for _, wf := range wiring.Owned {
		if err := w.replace(h, wf); err != nil {
			return err
		}
	}
	return nil
}

// unhook removes wsi's hooks from files, and deletes files of its own.
func (w *workspace) unhook(h harnesses.Harness, from []harnesses.HookFile, owned []harnesses.OwnedFile) error {
	for _, hf := range from {
		if err := w.abandon(h, hf); err != nil {
			return err
		}
	}
	for _, wf := range owned {
		if err := w.discard(h, wf); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere returns the hook files that the harness reads in addition to those of the wiring.
func (w *workspace) elsewhere(h harnesses.Harness, wiring harnesses.Wiring) []harnesses.HookFile {
	if h.Reads == nil || len(wiring.Hooks) == 0 {
		return nil
	}
	files := slices.DeleteFunc(h.Reads(w.o.Env, w.o.Scope), func(r harnesses.HookFile) bool {
		return slices.ContainsFunc(wiring.Hooks, func(hf harnesses.HookFile) bool { return hf.Path == r.Path })
	})
	for i := range files {
		files[i].Entries = wiring.Hooks[0].Entries
	}
	return files
}

func (w *workspace) install(h harnesses.Harness, hf harnesses.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil {
		return err
	}
	f.format = hf.Format
	was := f.after
	if !f.known {
		if f.base, err = edit.Remove(hf, f.base, f.recorded); err != nil {
			return unreadable(h, hf.Path, err)
		}
	}
	if f.after, _, err = edit.Install(hf, f.after); err != nil {
		return unreadable(h, hf.Path, err)
	}
	_, made, err := edit.Install(hf, f.base)
	if err != nil {
		return unreadable(h, hf.Path, err)
	}
	f.made = append(slices.DeleteFunc(f.made, func(name string) bool { return !inServers(name) }), made...)
	if f.base != nil { // keep a file that existed, even if it is empty
		f.made = slices.DeleteFunc(f.made, func(name string) bool { return name == "" })
	}
	w.noteMoves(h, hf, f)
	if h.Validate != nil {
		if err := h.Validate(hf, f.after); err != nil {
			hint := "correct that, then run wsi setup again"
			var r harnesses.InvalidConfigError
			if errors.As(err, &r) && r.Fix != "" {
				hint = r.Fix + ", then run wsi setup again"
			}
			return refusal.Error{Path: hf.Path, Err: err, Hint: hint}
		}
	}
	if !w.o.Trust || h.TrustRecords == nil {
		return nil
	}
	return w.trust(h, hf, was, f.after)
}

// trust writes the records that say that the user has approved wsi's hooks.
func (w *workspace) trust(h harnesses.Harness, hf harnesses.HookFile, was, now []byte) error {
	old, err := w.consent(h, hf, was)
	if err != nil {
		return err
	}
	records, err := w.consent(h, hf, now)
	if err != nil {
		return err
	}
	for _, r := range records {
		f, err := w.open(h, r.File)
		if err != nil {
			return err
		}
		if !f.known {
			if f.base, err = edit.RemoveTrust(f.base, old); err != nil {
				return unreadable(h, r.File, err)
			}
		}
		if f.base == nil {
			f.made = []string{""}
		}
		if f.after, err = edit.SetTrust(f.after, r); err != nil {
			return unreadable(h, r.File, err)
		}
	}
	return nil
}

func (w *workspace) consent(h harnesses.Harness, hf harnesses.HookFile, content []byte) ([]harnesses.TrustRecord, error) {
	if h.TrustRecords == nil || len(content) == 0 {
		return nil, nil
	}
	return h.TrustRecords(w.o.Env, hf, content)
}

// abandon removes wsi from a hook file that the wiring does not name. An unreadable file is not an error, because it
// most likely does not contain wsi.
func (w *workspace) abandon(h harnesses.Harness, hf harnesses.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil {
		return err
	}
	found, err := edit.Entries(hf, f.after)
	if err != nil && bytes.Contains(f.before, []byte("wsi")) {
		w.notes = append(w.notes, notes.Note{Harness: h.ID, Text: hf.Path + " cannot be read (" + err.Error() + "): if it contains hooks of wsi, remove them yourself."})
	}
	if !slices.ContainsFunc(found, func(f edit.Found) bool { return f.Ours }) {
		return nil
	}
	if f.known {
		f.after = f.base
	} else if f.after, err = edit.Remove(hf, f.after, f.made); err != nil {
		return unreadable(h, hf.Path, err)
	}
	f.base = f.after
	w.noteMoves(h, hf, f)
	return w.distrust(h, hf, f.before)
}

// unwire removes wsi from the files of a harness.
func (w *workspace) unwire(h harnesses.Harness) error {
	// wsi's entries are recognized by their form, whichever program they name.
	program := inspect.Placeholder(w.o.Env)
	if err := w.ofProject(h); err != nil {
		return err
	}
	wiring, err := h.Wiring(w.o.Env, w.o.Scope, program)
	if err != nil {
		return err
	}
	if err := w.restore(h); err != nil {
		return err
	}
	if err := w.stripOthers(h, wiring); err != nil {
		return err
	}
	for _, hf := range wiring.Hooks {
		if err := w.strip(h, hf); err != nil {
			return err
		}
	}
	if err := w.unhook(h, w.elsewhere(h, wiring), wiring.Owned); err != nil {
		return err
	}
	return w.unwrapAll(h)
}

// restore restores the files that are unchanged since wsi wrote them.
func (w *workspace) restore(h harnesses.Harness) error {
	for _, r := range w.ledger.Files {
		if !w.concerns(r, h.ID) {
			continue
		}
		f, err := w.open(h, r.Path)
		if err != nil {
			return err
		}
		if f.known {
			f.after = f.base
		}
	}
	return nil
}

// stripOthers removes wsi from recorded hook files that the wiring no longer names, because an environment variable
// changed their paths.
func (w *workspace) stripOthers(h harnesses.Harness, wiring harnesses.Wiring) error {
	for _, r := range w.ledger.Files {
		named := slices.ContainsFunc(wiring.Hooks, func(hf harnesses.HookFile) bool { return hf.Path == r.Path })
		if !w.concerns(r, h.ID) || r.Format == "" || r.Format == ledger.Owned || r.Format == ledger.Servers || named || len(wiring.Hooks) == 0 {
			continue
		}
		hf := wiring.Hooks[0]
		hf.Path, hf.Format = r.Path, r.Format
		if err := w.strip(h, hf); err != nil {
			return err
		}
	}
	return nil
}

// strip removes wsi's entries, and their trust records, from a hook file.
func (w *workspace) strip(h harnesses.Harness, hf harnesses.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil || f.before == nil || !f.known && !bytes.Contains(f.before, []byte("wsi")) {
		return err // errors in a file without wsi do not matter
	}
	if f.known {
		f.after = f.base
	} else if f.after, err = edit.Remove(hf, f.after, f.made); err != nil {
		return unreadable(h, hf.Path, err)
	}
	w.noteMoves(h, hf, f)
	return w.distrust(h, hf, f.before)
}

// distrust removes the trust records of wsi's entries in a hook file.
func (w *workspace) distrust(h harnesses.Harness, hf harnesses.HookFile, content []byte) error {
	records, err := w.consent(h, hf, content)
	if err != nil {
		return err
	}
	for _, r := range records {
		t, err := w.open(h, r.File)
		if err != nil {
			return err
		}
		t.first = true
		if !t.known {
			if t.base, err = edit.RemoveTrust(t.base, []harnesses.TrustRecord{r}); err != nil {
				return unreadable(h, r.File, err)
			}
		}
		if t.known && w.removal {
			t.after = t.base
		} else if t.after, err = edit.RemoveTrust(t.after, []harnesses.TrustRecord{r}); err != nil {
			return unreadable(h, r.File, err)
		}
		if len(t.after) == 0 && slices.Contains(t.made, "") {
			t.after = nil
		}
	}
	return nil
}

// noteMoves adds a note if other hooks get another index and the harness's trust depends on it.
func (w *workspace) noteMoves(h harnesses.Harness, hf harnesses.HookFile, f *file) {
	if h.TrustRecords == nil || len(f.before) == 0 || len(f.after) == 0 {
		return
	}
	was, err1 := edit.Entries(hf, f.before)
	is, err2 := edit.Entries(hf, f.after)
	ours := func(f edit.Found) bool { return f.Ours }
	was, is = slices.DeleteFunc(was, ours), slices.DeleteFunc(is, ours)
	if err1 != nil || err2 != nil || slices.Equal(was, is) {
		return
	}
	w.notes = append(w.notes, notes.Note{Harness: h.ID, Kind: notes.Remark, Text: "Other hooks in " + hf.Path + " move up because a hook of wsi before them is removed; " + h.Name + " will ask you to trust them again."})
}

func unreadable(h harnesses.Harness, path string, err error) error {
	return refusal.Error{Path: path, Err: err, Hint: "correct the file, or paste what this prints: wsi snippet " + h.ID}
}
