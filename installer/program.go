package installer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"wsi/harnesses"
)

// Binary is what is shown of a change in place of a program's bytes.
type Binary struct {
	From    string // what is copied, "" if the program is deleted
	Version string // of the wsi that is replaced, "" if there is none or it does not say
	hint    string // if it cannot be replaced
}

// about says in a line what happens to a program.
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

// putProgram installs wsi. No backup is kept of a program: what is replaced is a wsi, and who wants
// an older one back has to get it where it came from. One that setup did not put there is recorded
// as little as it is when setup leaves it alone: it is not wsi's to delete.
func (w *workspace) putProgram() error {
	in := w.o.Install
	if in == nil || w.removal {
		return nil
	}
	content, err := w.o.FS.ReadFile(in.From)
	if err != nil {
		return Refusal{Path: in.From, Err: err, Hint: hintUnreadable}
	}
	f, err := w.open(harnesses.Harness{ID: Self}, in.To)
	if err != nil {
		return err
	}
	if is := sum(f.before); f.before != nil && is != sum(content) && is != in.over {
		return errForeign(in.To)
	}
	_, recorded := w.ledger.get(in.To)
	f.format, f.mode, f.binary = program, 0o755, &Binary{From: in.From, Version: in.Was}
	if w.o.Env.GOOS == "windows" {
		f.binary.hint = "Windows replaces no program that runs: close the harnesses, then run the command again"
	}
	if f.after = content; f.before != nil && !recorded {
		f.base = content
	} else {
		f.base = nil
	}
	if dir := filepath.Dir(in.To); !slices.Contains(searched(w.o.Env), dir) {
		w.notes = append(w.notes, Note{Harness: Self, Kind: Remark, Text: dir + " is not on your PATH: the harnesses run wsi by its full path, and so must you until you add the folder."})
	}
	return w.writable()
}

// takeProgram decides what becomes of the installed program when wsi is taken out: it is deleted if
// that is wanted, nothing needs it any more and it is what setup has put there.
func (w *workspace) takeProgram(p Plan) Plan {
	needed := slices.ContainsFunc(p.ledger.Files, w.wired)
	for _, r := range w.ledger.Files {
		if r.Format != program {
			continue
		}
		now, err := contentOf(w.o.FS, r.Path)
		stays := ""
		switch {
		case err != nil:
			stays = "cannot be read (" + err.Error() + "): delete it yourself"
		case now == nil: // its record goes
		case needed || len(p.Refusals) > 0:
			continue
		case !w.o.Purge:
			stays = "stays: wsi remove --purge deletes the program too"
		case sum(now) != r.After:
			stays = "stays, for it is no longer what setup put there: delete it yourself if you do not need it"
		case w.o.Env.GOOS == "windows":
			stays = "stays, for Windows lets no program delete itself: delete it when wsi has ended"
		}
		if stays != "" {
			w.notes = append(w.notes, Note{Harness: Self, Kind: Caveat, Text: r.Path + " " + stays + "."})
			continue
		}
		f, err := w.open(harnesses.Harness{ID: Self}, r.Path)
		if err != nil {
			p.Refusals = append(p.Refusals, refuse(harnesses.Harness{ID: Self}, r.Path, err, ""))
			continue
		}
		f.after, f.binary = nil, &Binary{}
	}
	return w.plan(p.Refusals)
}

// wired tells whether a record is of a file that may still run wsi.
func (w *workspace) wired(r record) bool {
	if r.Format == "" || r.Format == program {
		return false
	}
	_, err := w.o.FS.Lstat(r.Path)
	return !errors.Is(err, fs.ErrNotExist)
}
