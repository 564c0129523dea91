package installer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/installer/edit"
)

// PlanSetup works out what must be written so that the harnesses run wsi's hooks. A harness that
// must stay as it is becomes a refusal; an error means that nothing at all can be done.
func PlanSetup(o Options) (Plan, error) {
	return plan(o, false, (*workspace).wire)
}

// PlanRemove works out what must be written so that no entry of wsi's is left: files byte for byte
// as they were where they are as wsi left them, else without wsi's entries.
func PlanRemove(o Options) (Plan, error) {
	return plan(o, true, (*workspace).unwire)
}

func plan(o Options, removal bool, do func(*workspace, harnesses.Harness) error) (Plan, error) {
	l, err := readLedger(o.FS, o.StateDir)
	if err != nil {
		return Plan{}, err
	}
	w := &workspace{o: o, ledger: l, removal: removal, ways: map[string]harnesses.Mode{}}
	if err := w.putProgram(); err != nil {
		return Plan{}, err
	}
	var refusals []Refusal
	for _, h := range o.Harnesses {
		draft := w.clone()
		err := do(draft, h)
		if err == nil {
			err = draft.writable()
		}
		if err != nil {
			refusals = append(refusals, refuse(h, "", err, ""))
			continue
		}
		w = draft
	}
	if !removal && len(refusals) == len(o.Harnesses) {
		w = &workspace{o: o, ledger: l} // nobody is to run the program
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

// wire changes the files of a harness so that it runs wsi's hooks.
func (w *workspace) wire(h harnesses.Harness) error {
	if err := w.ofProject(h); err != nil {
		return err
	}
	now := holds(w.o.Env, h, w.o.Scope)
	way, err := w.o.way(h, now)
	if err != nil {
		return err
	}
	w.ways[h.ID] = way
	if way != harnesses.ByHooks && w.o.NoRelay {
		return Refusal{
			Err:  fmt.Errorf("the wsi at %s knows no relay, so that it cannot be wired by %s", w.o.Program.Path, way),
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
	p.Join = way == harnesses.ByJoin
	wiring, err := h.Wiring(w.o.Env, w.o.Scope, p)
	if err != nil {
		return err
	}
	switch way {
	case harnesses.ByRelay:
		err = w.unhook(h, wiring)
	case harnesses.ByJoin:
		err = w.hook(h, wiring)
	default: // what was in front of servers goes first, for it may take all of a file back
		if err = w.unwrapAll(h); err == nil {
			err = w.hook(h, wiring)
		}
	}
	if err != nil || way == harnesses.ByHooks {
		return err
	}
	return w.wrap(h, p)
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
	for _, wf := range wiring.Wholes {
		if err := w.replace(h, wf); err != nil {
			return err
		}
	}
	return nil
}

// unhook takes wsi's hooks out where it is wired without them.
func (w *workspace) unhook(h harnesses.Harness, wiring harnesses.Wiring) error {
	for _, hf := range append(slices.Clone(wiring.Hooks), w.elsewhere(h, wiring)...) {
		if err := w.abandon(h, hf); err != nil {
			return err
		}
	}
	for _, wf := range wiring.Wholes {
		if err := w.discard(h, wf); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere returns the hook files that the harness reads besides those of the wiring.
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
	if f.base != nil { // who had the file wants to keep it, were it empty
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
			return Refusal{Path: hf.Path, Err: err, Hint: hint}
		}
	}
	if !w.o.Trust || h.TrustRecords == nil {
		return nil
	}
	return w.trust(h, hf, was, f.after)
}

// trust writes the records that say the user has looked at wsi's hooks.
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

// abandon takes wsi out of a hook file that the wiring does not name. One that cannot be read stands
// in nobody's way, for most likely wsi is not in it.
func (w *workspace) abandon(h harnesses.Harness, hf harnesses.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil {
		return err
	}
	found, err := edit.Entries(hf, f.after)
	if err != nil && bytes.Contains(f.before, []byte("wsi")) {
		w.notes = append(w.notes, Note{Harness: h.ID, Text: hf.Path + " cannot be read (" + err.Error() + "): if wsi's hooks are in it, take them out yourself."})
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

// unwire takes wsi out of the files of a harness.
func (w *workspace) unwire(h harnesses.Harness) error {
	// Which program is registered does not matter: its entries are known by their form.
	program := standIn(w.o.Env)
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
	for _, hf := range w.elsewhere(h, wiring) {
		if err := w.abandon(h, hf); err != nil {
			return err
		}
	}
	for _, wf := range wiring.Wholes {
		if err := w.discard(h, wf); err != nil {
			return err
		}
	}
	return w.unwrapAll(h)
}

// restore puts back the files that are as wsi left them.
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

// stripOthers takes wsi out of hook files that it once wrote and the wiring no longer names, for a
// variable has moved them since.
func (w *workspace) stripOthers(h harnesses.Harness, wiring harnesses.Wiring) error {
	for _, r := range w.ledger.Files {
		named := slices.ContainsFunc(wiring.Hooks, func(hf harnesses.HookFile) bool { return hf.Path == r.Path })
		if !w.concerns(r, h.ID) || r.Format == "" || r.Format == whole || r.Format == servers || named || len(wiring.Hooks) == 0 {
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

// strip takes wsi's entries, and the trust in them, out of a hook file.
func (w *workspace) strip(h harnesses.Harness, hf harnesses.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil || f.before == nil || !f.known && !bytes.Contains(f.before, []byte("wsi")) {
		return err // what does not even name wsi may be as broken as it likes
	}
	if f.known {
		f.after = f.base
	} else if f.after, err = edit.Remove(hf, f.after, f.made); err != nil {
		return unreadable(h, hf.Path, err)
	}
	w.noteMoves(h, hf, f)
	return w.distrust(h, hf, f.before)
}

// distrust takes out the trust in wsi's entries of a hook file.
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

// noteMoves tells of others' hooks that got another index, where the harness's trust hangs on it.
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
	w.notes = append(w.notes, Note{Harness: h.ID, Kind: Remark, Text: "Hooks of others in " + hf.Path + " move up, for one of wsi's stood before them; " + h.Name + " will ask you to trust them again."})
}

func unreadable(h harnesses.Harness, path string, err error) error {
	return Refusal{Path: path, Err: err, Hint: "correct the file, or paste what this prints: wsi snippet " + h.ID}
}
