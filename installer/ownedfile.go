package installer

import (
	"errors"
	"fmt"

	"wsi/harnesses/setup"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
)

// author returns who wrote a file, by its content and the ledger.
func (w *workspace) author(wf setup.OwnedFile, f *file) setup.Author {
	r, recorded := w.ledger.Get(f.path)
	who := wf.Author(f.before)
	switch {
	case f.known && who != setup.Later:
		return setup.Ours
	case who == setup.Theirs && recorded && w.concerns(r, f.harness):
		return setup.Edited
	}
	return who
}

// replace writes a file of wsi's own, and deletes other copies of it that the harness would load too.
func (w *workspace) replace(h setup.Harness, wf setup.OwnedFile) error {
	f, err := w.open(h, wf.Path)
	if err != nil {
		return err
	}
	f.own = f.before == nil || w.author(wf, f) == setup.Ours
	if f.before != nil {
		if w.author(wf, f) == setup.Theirs {
			return refusal.Error{Path: wf.Path, Err: errors.New("it exists, and wsi did not write it"), Fix: "move it away and run wsi setup again"}
		}
		if err := w.mayReplace(wf, f); err != nil {
			return err
		}
	}
	f.format, f.after, f.base, f.made = ledger.Owned, wf.Content, nil, []string{""}
	for _, path := range wf.Also {
		f, err := w.open(h, path)
		if err != nil {
			return err
		}
		if f.before == nil || w.author(wf, f) == setup.Theirs {
			continue
		}
		if err := w.mayReplace(wf, f); err != nil {
			return err
		}
		f.after, f.base, f.own = nil, nil, w.author(wf, f) == setup.Ours
	}
	return nil
}

// mayReplace refuses to replace or delete a file that a newer wsi wrote, and one that was edited.
func (w *workspace) mayReplace(wf setup.OwnedFile, f *file) error {
	switch w.author(wf, f) {
	case setup.Later:
		version, _ := wf.Marked(f.before)
		return refusal.Error{Path: f.path, Err: fmt.Errorf("a newer wsi wrote it (its version is %d, this wsi knows %d)", version, wf.Version), Fix: "install the newer wsi again, then run wsi setup", Works: true}
	case setup.Edited:
		return refusal.Error{Path: f.path, Err: ErrEdited, Fix: "keep it, or move it away, then run wsi setup again", Command: setup.MoveAway(w.o.Env.GOOS, f.path), Works: true}
	}
	return nil
}

// ErrEdited is the error for a file of wsi's own that was edited since.
var ErrEdited = errors.New("it was edited since wsi wrote it")

// discard deletes a file of wsi's own, whichever version wrote it. It keeps a file that wsi did not write,
// and refuses one that was edited.
func (w *workspace) discard(h setup.Harness, wf setup.OwnedFile) error {
	for _, path := range append([]string{wf.Path}, wf.Also...) {
		f, err := w.open(h, path)
		if err != nil {
			return err
		}
		who := w.author(wf, f)
		switch {
		case f.before == nil || who == setup.Theirs:
		case who == setup.Edited, who == setup.Later && !f.known && !wf.Ours(f.before):
			return refusal.Error{Path: path, Err: ErrEdited, Fix: "delete it yourself if you do not need it", Works: true}
		default:
			f.after, f.own = nil, true
		}
	}
	return nil
}
