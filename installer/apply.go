package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/atomicfile"
	"wsi/internal/lists"
	"wsi/internal/state"
)

// Apply writes a plan. If a file changed since the plan was made, Apply fails before it writes anything.
// If a write fails, ctx ends or a panic occurs, Apply restores all files, except those that another program
// changed meanwhile. It calls written, unless nil, after each change. The caller must hold the [Lock].
//
// The ledger is on disk before the first file changes and until the last one is restored. If the process is
// killed, every file is old or new, and setup or remove can be run again.
func Apply(ctx context.Context, fsys files.FS, p Plan, written func(Change)) error {
	if err := lists.Each(p.Changes, func(c Change) error { return unchanged(fsys, c, "nothing was written; ") }); err != nil {
		return err
	}
	t := &transaction{ctx: ctx, fs: fsys, written: written}
	t.sweepAll(p)
	whole := false
	defer func() {
		if !whole { // a panic
			_ = t.undo()
		}
	}()
	err := t.apply(p)
	whole = true
	if err == nil {
		return nil
	}
	err = withFix(err)
	if undone := t.undo(); undone != nil {
		return fmt.Errorf("%w; %w", err, undone)
	}
	return fmt.Errorf("%w; wsi has left all files as they were", err)
}

// withFix adds what to do to an unexpected error of the system.
func withFix(err error) error {
	if _, ok := errors.AsType[refusal.Error](err); ok || errors.Is(err, ErrStopped) {
		return err
	}
	fix := "check the free disk space and your write permissions"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		fix = "free some disk space"
	case errors.Is(err, syscall.EROFS):
		fix = "make the file system writable"
	case errors.Is(err, syscall.EBUSY):
		fix = "unmount the file, or close the program that uses it"
	case errors.Is(err, syscall.EPERM):
		fix = "look whether an attribute protects the file or its folder (lsattr), and check your write permissions"
	}
	return refusal.Error{Err: err, Fix: fix + ", then run the command again"}
}

// ErrChanged means that a file changed between plan and apply.
var ErrChanged = errors.New("it changed after the plan was made")

func unchanged(fsys files.FS, c Change, sofar string) error {
	now, err := files.Content(fsys, c.Path)
	if err != nil { // the plan could read it
		return refusal.Error{Path: c.Path, Err: fmt.Errorf("%w: %w", ErrChanged, err), Fix: sofar + "run the command again"}
	}
	target, err := files.Target(fsys, c.Path)
	if err != nil || !files.Same(now, c.Before) || target != c.Target || fsys.Ties(target).Mounted != c.inPlace {
		return refusal.Error{Path: c.Path, Err: ErrChanged, Fix: sofar + "run the command again"}
	}
	return nil
}

// transaction records how to undo what it did.
type transaction struct {
	ctx     context.Context //nolint:containedctx // of one Apply
	fs      files.FS
	written func(Change)
	back    []func() error
}

// sweepAll removes temporary files left by a killed run: next to the files of a plan, and of any backup. The caller must hold the
// Lock.
func (t *transaction) sweepAll(p Plan) {
	all := append(slices.Clone(p.looked), ledger.Path(p.stateDir))
	for name := range p.backups {
		all = append(all, ledger.BackupPath(p.stateDir, name))
	}
	for _, path := range all {
		t.sweep(filepath.Dir(path), func(name string) bool { return atomicfile.IsLeftover(path, name) })
	}
	t.sweep(filepath.Join(p.stateDir, state.Backups), func(name string) bool {
		of, _, ok := strings.Cut(strings.TrimPrefix(name, "."), ".wsi-")
		return ok && atomicfile.IsLeftover(of, name)
	})
}

// sweep removes the files in a folder that are left over. Errors are ignored: leftovers are harmless.
func (t *transaction) sweep(dir string, isLeft func(name string) bool) {
	left, _ := t.fs.ReadDir(dir)
	for _, entry := range left {
		if isLeft(entry.Name()) {
			_ = t.fs.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

func (t *transaction) apply(p Plan) error {
	if err := t.remember(p, p.was, p.during); err != nil {
		return err
	}
	err := lists.Each(p.Changes, t.change)
	if err == nil {
		err = lists.Each(p.emptied, t.removeFolders)
	}
	if err == nil {
		err = t.remember(p, p.during.AsRead(), p.ledger)
	}
	return err
}

func (t *transaction) change(c Change) error {
	if err := t.ctx.Err(); err != nil {
		return ErrStopped
	}
	err := unchanged(t.fs, c, "")
	if err == nil && c.After != nil {
		err = t.folders(c.Folders)
	}
	if err == nil {
		err = t.write(c.Target, c.Before, c.After, c.mode)
	}
	if err == nil && c.After == nil {
		err = t.removeFolders(c.Folders)
	}
	if err == nil && t.written != nil {
		t.written(c)
	}
	return err
}

// remember writes the missing backups. Then it replaces the ledger on disk, which must equal was, by is.
func (t *transaction) remember(p Plan, was, is ledger.Ledger) error {
	old, err := ledger.Read(t.fs.ReadFile, p.stateDir)
	if err != nil {
		return err
	}
	path := ledger.Path(p.stateDir)
	if !slices.EqualFunc(old.Files, was.Files, ledger.Record.Equal) {
		return refusal.Error{Path: path, Err: ErrChanged, Fix: "another wsi is running; run the command again"}
	}
	var lacking []string // backups
	for name := range p.backups {
		if _, err := t.fs.Lstat(ledger.BackupPath(p.stateDir, name)); err != nil {
			lacking = append(lacking, name)
		}
	}
	if slices.EqualFunc(old.Files, is.Files, ledger.Record.Equal) && len(lacking) == 0 {
		return nil
	}
	before, err := t.fs.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(is.Files) == 0 && len(lacking) == 0 {
		return t.write(path, before, nil, 0o600)
	}
	missing, err := files.Missing(t.fs, filepath.Join(p.stateDir, state.Backups))
	if err == nil {
		err = t.folders(missing)
	}
	if err != nil {
		return err
	}
	for _, name := range lacking {
		if err := t.write(ledger.BackupPath(p.stateDir, name), nil, p.backups[name], 0o600); err != nil {
			return err
		}
	}
	return t.write(path, before, is.Encode(), 0o600)
}

func (t *transaction) folders(dirs []string) error {
	for _, dir := range dirs {
		t.back = append(t.back, func() error {
			if left, err := t.fs.ReadDir(dir); err == nil && len(left) > 0 {
				return nil // another program has put a file into it
			}
			return ignore(fs.ErrNotExist, t.fs.Remove(dir))
		})
		err := t.fs.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) { // another program created it
			t.back = t.back[:len(t.back)-1]
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) write(path string, before, after []byte, mode fs.FileMode) error {
	t.back = append(t.back, func() error { return t.restore(path, before, after, mode) })
	err := t.fs.Replace(path, before, after, mode)
	if errors.Is(err, atomicfile.ErrChanged) { // nothing to undo
		t.back = t.back[:len(t.back)-1]
		return refusal.Error{Path: path, Err: ErrChanged, Fix: "run the command again"}
	}
	return err
}

// errOthers says why a change is not undone.
var errOthers = errors.New("another program changed it meanwhile, so wsi left it as it is")

// restore undoes the change from before to after. Other content is left: another program wrote it.
func (t *transaction) restore(path string, before, after []byte, mode fs.FileMode) error {
	now, err := files.Content(t.fs, path)
	switch {
	case err != nil:
	case files.Same(now, before):
	case !files.Same(now, after):
		err = errOthers
	default:
		err = t.fs.Replace(path, after, before, mode)
	}
	if errors.Is(err, atomicfile.ErrChanged) {
		err = errOthers
	}
	if err != nil {
		return fmt.Errorf("%s could not be restored: %w", path, err)
	}
	return nil
}

// removeFolders removes the empty ones of folders, the innermost first.
func (t *transaction) removeFolders(folders []string) error {
	for _, dir := range slices.Backward(folders) {
		left, err := t.fs.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return nil
		}
		t.back = append(t.back, func() error { return ignore(fs.ErrExist, t.fs.Mkdir(dir, 0o700)) })
		if err := t.fs.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}

// undo undoes everything, the last change first.
func (t *transaction) undo() error {
	var errs []error
	for _, back := range slices.Backward(t.back) {
		errs = append(errs, back())
	}
	return errors.Join(errs...)
}

// ignore returns nil for an error that is the expected one.
func ignore(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
