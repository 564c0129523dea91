package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/binary"
	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/notes"
	"wsi/installer/refusal"
)

// about describes the change of a program in one line.
func (c Change) about() string {
	switch {
	case c.After == nil:
		return "Program, " + megabytes(c.Before) + ", deleted"
	case c.Before == nil:
		return "Program, mode 755, " + megabytes(c.After) + ", copied from " + c.Binary.From
	}
	was := "another build of wsi"
	if c.Binary.Version != "" {
		was = "wsi " + c.Binary.Version
	}
	return "Program, mode 755, " + megabytes(c.After) + ", copied from " + c.Binary.From + ", in place of " + was
}

func megabytes(content []byte) string {
	return fmt.Sprintf("%.1f MB", float64(len(content))/1e6)
}

// putProgram installs the wsi binary. It keeps no backup. A binary that setup did not install is not recorded
// in the ledger, so remove never deletes it.
func (w *workspace) putProgram() error {
	in := w.o.Install
	if in == nil || w.removal {
		return nil
	}
	content, err := w.o.FS.ReadFile(in.From)
	if err != nil {
		return refusal.Unreadable(in.From, err)
	}
	f, err := w.open(setup.Harness{ID: Self}, in.To)
	if err != nil {
		return err
	}
	if is := ledger.Sum(f.before); f.before != nil && is != ledger.Sum(content) && is != in.Over {
		return binary.NotWsi(in.To)
	}
	_, recorded := w.ledger.Get(in.To)
	f.format, f.mode, f.binary = ledger.Program, 0o755, &Binary{From: in.From, Version: in.Was}
	if w.o.Env.GOOS == "windows" {
		f.binary.hint = "Windows cannot replace a running program: close the harnesses, then run the command again"
	}
	if f.after = content; f.before != nil && !recorded {
		f.base = content
	} else {
		f.base = nil
	}
	if dir := filepath.Dir(in.To); !slices.Contains(binary.Searched(w.o.Env), dir) {
		w.notes = append(w.notes, notes.Note{Harness: Self, Kind: notes.Remark, Text: dir + " is not on your PATH. The harnesses run wsi by its full path; to type only wsi, add the folder to your PATH."})
	}
	return w.writable()
}

// takeProgram deletes the installed program on removal if the user asked for it, no file refers to it any more
// and it is unchanged since setup installed it.
func (w *workspace) takeProgram(p Plan) Plan {
	needed := slices.ContainsFunc(p.ledger.Files, func(r ledger.Record) bool { // it may still run wsi
		_, err := w.o.FS.Lstat(r.Path)
		return r.Format != "" && r.Format != ledger.Program && !errors.Is(err, fs.ErrNotExist)
	})
	for _, r := range w.ledger.Files {
		if r.Format != ledger.Program {
			continue
		}
		w.passed = append(w.passed, w.o.Env.Resolved(r.Path)) // a killed upgrade may have left half a program
		now, err := files.Content(w.o.FS, r.Path)
		stays := ""
		switch {
		case err != nil:
			stays = "cannot be read (" + err.Error() + "): delete it yourself"
		case now == nil: // only its record is removed
		case needed || len(p.Refusals) > 0:
			continue
		case !w.o.Purge:
			stays = "is kept; wsi remove --purge deletes it, too"
		case ledger.Sum(now) != r.After:
			stays = "is kept because it is not the program that setup installed: delete it yourself if you do not need it"
		case w.o.Env.GOOS == "windows":
			stays = "is kept because Windows does not let a program delete itself: delete it after wsi has ended"
		}
		if stays != "" {
			w.notes = append(w.notes, notes.Note{Harness: Self, Kind: notes.Caveat, Text: r.Path + " " + stays + "."})
			continue
		}
		f, err := w.open(setup.Harness{ID: Self}, r.Path)
		if err != nil {
			p.Refusals = append(p.Refusals, refusal.Of(Self, r.Path, err))
			continue
		}
		f.after, f.binary = nil, &Binary{}
	}
	return w.plan(p.Refusals)
}
