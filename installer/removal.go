package installer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/state"
)

// unhook removes wsi's hooks from files, and deletes files of its own.
func (w *workspace) unhook(h setup.Harness, from []setup.HookFile, owned []setup.OwnedFile) error {
	err := lists.Each(from, func(hf setup.HookFile) error { return w.pass(h, w.abandon(h, hf)) })
	if err == nil {
		err = lists.Each(owned, func(wf setup.OwnedFile) error { return w.pass(h, w.discard(h, wf)) })
	}
	return err
}

// pass returns nil in place of the error of a broken file from which wsi is to be removed, if wsi never wrote it and it does not
// mention wsi. Of a file that cannot be read, a note says that.
func (w *workspace) pass(h setup.Harness, err error) error {
	path := refusal.Of(h.ID, "", err).Path
	if err == nil || !w.removal || path == "" {
		return err
	}
	if _, recorded := w.ledger.Get(path); recorded {
		return err
	}
	content, unread := w.o.Env.ReadFile(path)
	if bytes.Contains(content, []byte("wsi")) {
		return err
	}
	for _, f := range w.files {
		if f.path == path {
			f.after, f.base = f.before, f.before
		}
	}
	if unread != nil && !errors.Is(unread, fs.ErrNotExist) {
		w.unreadNote(h, path, refusal.Of(h.ID, "", err).Err)
	}
	return nil
}

// unreadNote adds a note about a file that may have hooks of wsi.
func (w *workspace) unreadNote(h setup.Harness, path string, err error) {
	w.notes = append(w.notes, Note{Harness: h.ID, Text: path + " cannot be read (" + err.Error() + "): if it contains hooks of wsi, remove them yourself."})
}

// abandon removes wsi from a hook file that the wiring does not name. A file that cannot be read is an error only for a setup, and
// only if it mentions wsi: the harness may run those hooks once the file is correct.
func (w *workspace) abandon(h setup.Harness, hf setup.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil {
		return err
	}
	found, err := edit.Entries(hf, f.after)
	if err != nil && bytes.Contains(f.before, []byte("wsi")) {
		if !w.removal {
			return w.unreadable(h, hf.Path, err)
		}
		w.unreadNote(h, hf.Path, err)
	}
	if !slices.ContainsFunc(found, func(f setup.Hook) bool { return f.Ours }) {
		return nil
	}
	err = w.cut(h, hf, f)
	f.base = f.after
	return err
}

// cut removes wsi's entries, and their trust records, from an opened hook file.
func (w *workspace) cut(h setup.Harness, hf setup.HookFile, f *file) (err error) {
	if f.known {
		f.after = f.base
	} else if f.after, err = edit.Remove(hf, f.after, f.made); err != nil {
		return w.unreadable(h, hf.Path, err)
	}
	w.noteMoves(h, hf, f)
	return w.distrust(h, hf, f.before, nil)
}

// unwire removes wsi from the files of a harness.
func (w *workspace) unwire(h setup.Harness) error {
	// wsi's entries are recognized by their form, whichever program they name.
	program := inspect.Placeholder(w.o.Env)
	if err := w.ofProject(h); err != nil {
		return err
	}
	wiring, err := h.Wiring(w.o.Env, w.o.Scope, program)
	if err := w.pass(h, err); err != nil {
		return err
	}
	if err := w.restore(h, wiring); err != nil {
		return err
	}
	if err := lists.Each(wiring.Hooks, func(hf setup.HookFile) error { return w.pass(h, w.strip(h, hf)) }); err != nil {
		return err
	}
	others := w.elsewhere(h, wiring)
	if err := w.unhook(h, others, wiring.Owned); err != nil {
		return err
	}
	w.noteRemnants(h, append(others, wiring.Hooks...))
	return w.unwrapAll(h)
}

// noteRemnants names the hooks without a command that have the event and the time limit of one of wsi. The command would say
// whose they are, so they stay.
func (w *workspace) noteRemnants(h setup.Harness, files []setup.HookFile) {
	for _, hf := range files {
		hooks, _ := edit.Hooks(hf, w.now(hf.Path)) // what cannot be read is reported elsewhere
		for _, hook := range hooks {
			wsis := func(e setup.Entry) bool {
				return e.Event == hook.Event && strconv.Itoa(e.Timeout) == fmt.Sprint(hook.Fields["timeout"])
			}
			if hook.Kind == "command" && hook.Command == "" && slices.ContainsFunc(hf.Entries, wsis) {
				w.notes = append(w.notes, Note{Harness: h.ID, Text: fmt.Sprintf(
					"wsi left a %s hook without a command in %s:%d. If it was a hook of wsi, delete it by hand.", hook.Event, hf.Path, hook.Line)})
			}
		}
	}
}

// restore restores the files that are unchanged since wsi wrote them. It also removes wsi from recorded hook files that the
// wiring no longer names, because an environment variable changed their paths.
func (w *workspace) restore(h setup.Harness, wiring setup.Wiring) error {
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
		named := slices.ContainsFunc(wiring.Hooks, func(hf setup.HookFile) bool { return hf.Path == r.Path })
		if r.Format == "" || r.Format == ledger.Owned || r.Format == ledger.Servers || named || len(wiring.Hooks) == 0 {
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
func (w *workspace) strip(h setup.Harness, hf setup.HookFile) error {
	f, err := w.open(h, hf.Path)
	if err != nil || f.before == nil {
		return err
	}
	if !f.known && !bytes.Contains(f.before, []byte("wsi")) {
		if _, err := edit.Entries(hf, f.before); err != nil && f.recorded != nil {
			return w.unreadable(h, hf.Path, err)
		}
		return nil // errors in a file that never had wsi do not matter
	}
	return w.cut(h, hf, f)
}

// distrust removes the trust records of wsi's entries that are in a hook file no more.
func (w *workspace) distrust(h setup.Harness, hf setup.HookFile, was, now []byte) error {
	old, err := w.consent(h, hf, was)
	if err != nil || len(old) == 0 {
		return err
	}
	kept, err := w.consent(h, hf, now)
	if err != nil {
		return err
	}
	return w.withoutTrust(h, slices.DeleteFunc(old, func(r setup.TrustRecord) bool {
		return slices.ContainsFunc(kept, func(k setup.TrustRecord) bool { return slices.Equal(k.Table, r.Table) })
	}))
}

// withoutTrust removes trust records.
func (w *workspace) withoutTrust(h setup.Harness, records []setup.TrustRecord) error {
	for _, r := range records {
		t, err := w.open(h, r.File)
		if err != nil {
			return err
		}
		t.first = true
		if !t.known {
			if t.base, err = edit.RemoveTrust(t.base, []setup.TrustRecord{r}); err != nil {
				return w.unreadable(h, r.File, err)
			}
		}
		if t.known && w.removal {
			t.after = t.base
		} else if t.after, err = edit.RemoveTrust(t.after, []setup.TrustRecord{r}); err != nil {
			return w.unreadable(h, r.File, err)
		}
		if len(t.after) == 0 && slices.Contains(t.made, "") {
			t.after = nil
		}
	}
	return nil
}

// leftovers says what a removal keeps of wsi's own. It says nothing if wsi stays wired anywhere, because it uses that there.
func (p Plan) leftovers(o Options) (all []Note) {
	if o.Purge || len(p.Elsewhere)+len(p.Refusals)+len(p.ledger.Files) > 0 {
		return nil
	}
	var kept, places []string
	there := func(path string) bool { _, err := o.FS.Lstat(path); return err == nil }
	for _, one := range []struct{ name, words string }{{state.Vault, "stored values"}, {state.Journal, "the journal"}, {state.Backups, "backups"}} {
		if there(filepath.Join(o.StateDir, one.name)) {
			kept, places = append(kept, one.words), []string{o.StateDir}
		}
	}
	if token := lastToken(o.Env); there(token) {
		kept, places = append(kept, "the last token"), append(places, token)
	}
	if kept == nil {
		return nil
	}
	return []Note{{Kind: Caveat, Text: fmt.Sprintf("wsi keeps %s in %s. To delete all of that", phrase.List(kept, "and"), phrase.List(places, "and")), Command: "wsi remove --purge"}}
}

// lastToken returns the path of the value that was captured last.
func lastToken(env setup.Env) string {
	return filepath.Join(env.Home, ".claude", "workflow-server-tokens", "current.token")
}

// Purge deletes everything that wsi stores for itself: ledger, backups, journal, vault, the notes of a
// callers, and the value captured last. It keeps the rule file, which is the user's.
// It returns the deleted paths. Call it only after a removal without refusals that left nothing elsewhere: without
// the ledger, files can no longer be restored byte for byte. Releasing the [Lock] removes the folder itself.
func Purge(o Options) (gone []string, err error) {
	purge := func(path string) {
		if _, e := o.FS.Lstat(path); errors.Is(e, fs.ErrNotExist) {
			return
		}
		if e := o.FS.RemoveAll(path); e != nil {
			err = errors.Join(err, e)
			return
		}
		gone = append(gone, path)
	}
	for _, name := range []string{
		state.Ledger, state.Backups, state.Vault, state.Callers, state.Schemas, state.Journal, state.Rotated, state.Asked,
	} {
		purge(filepath.Join(o.StateDir, name))
	}
	tokens := filepath.Dir(lastToken(o.Env))
	entries, e := o.FS.ReadDir(tokens)
	if e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	others := 0
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(lastToken(o.Env))) { // also what a killed hook has left of one
			purge(filepath.Join(tokens, entry.Name()))
		} else {
			others++
		}
	}
	if e == nil && others == 0 {
		purge(tokens)
	}
	return gone, err
}
