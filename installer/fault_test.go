package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
)

// watched calls at before every operation and after every change. If at returns an error, the operation
// returns it.
type watched struct {
	files.FS
	at func(op, path string, after bool) error
}

func see[T any](w watched, op, path string, do func(string) (T, error)) (T, error) {
	if err := w.at(op, path, false); err != nil {
		var none T
		return none, failed(op, path, err)
	}
	return do(path)
}

func (w watched) change(op, path string, do func() error) error {
	if err := w.at(op, path, false); err != nil {
		return failed(op, path, err)
	}
	if err := do(); err != nil {
		return err
	}
	if err := w.at(op, path, true); err != nil {
		return failed(op, path, err)
	}
	return nil
}

func (w watched) ReadFile(path string) ([]byte, error) { return see(w, "read", path, w.FS.ReadFile) }

func (w watched) ReadDir(path string) ([]fs.DirEntry, error) {
	return see(w, "list", path, w.FS.ReadDir)
}

func (w watched) Lstat(path string) (fs.FileInfo, error) { return see(w, "lstat", path, w.FS.Lstat) }

func (w watched) Resolve(path string) (string, error) { return see(w, "resolve", path, w.FS.Resolve) }

func (w watched) Check(path string) error {
	if err := w.at("check", path, false); err != nil {
		return failed("check", path, err)
	}
	return w.FS.Check(path)
}

func (w watched) Replace(path string, before, after []byte, mode fs.FileMode) error {
	return w.change("replace", path, func() error { return w.FS.Replace(path, before, after, mode) })
}

func (w watched) Mkdir(path string, mode fs.FileMode) error {
	return w.change("mkdir", path, func() error { return w.FS.Mkdir(path, mode) })
}

func (w watched) Remove(path string) error {
	return w.change("remove", path, func() error { return w.FS.Remove(path) })
}

// run plans and applies. planned is nil without a plan.
func run(ctx context.Context, plan func(Options) (Plan, error), o Options) (planned *Plan, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("panic: %w", errPanic)
		}
	}()
	p, err := plan(o)
	if err != nil {
		return nil, err
	}
	return &p, Apply(ctx, o.FS, p, nil)
}

var (
	errPanic = errors.New("a bug")
	errDead  = errors.New("the process is dead")
)

// faults are the failures of an operation. Each gets the moment, and whether it is the chosen one or a later
// one.
var faults = map[string]func(chosen bool, end context.CancelFunc) error{
	"not permitted": func(chosen bool, _ context.CancelFunc) error { return only(chosen, syscall.EACCES) },
	diskFull:        func(chosen bool, _ context.CancelFunc) error { return only(chosen, syscall.ENOSPC) },
	"broken disk":   func(chosen bool, _ context.CancelFunc) error { return only(chosen, syscall.EIO) },
	death:           func(bool, context.CancelFunc) error { return errDead },
	"panic": func(chosen bool, _ context.CancelFunc) error {
		if chosen {
			panic(errPanic)
		}
		return nil
	},
	"ctrl-c": func(chosen bool, end context.CancelFunc) error {
		if chosen {
			end()
		}
		return nil
	},
}

// These do not affect reads.
const (
	diskFull = "disk full"
	death    = "death"
)

var looks = []string{"read", "list", "lstat", "resolve", "check"}

func only(chosen bool, err error) error {
	if chosen {
		return err
	}
	return nil
}

// Every file operation of setup and remove fails in turn, reads and changes, before and after its effect, in
// six ways, for all harnesses with trust records and a program to install. Then nothing has changed unless
// wsi reports it, the ledger is correct, and remove restores every byte and leaves no folder, at once or after the same step
// again. The process dies so at each change of every journey, also of a change of wiring. Rows 21, 22 and 27.
func TestEveryOperationFails(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	points, all := map[string]int{}, map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(journeys)) {
		for _, edited := range []bool{false, true} {
			o, clean := inMemory(served)
			if edited { // files that setup would make are there, empty but for what is others'
				clean.put(filepath.Join(home(), codexFile), "{\"description\": \"theirs\"}\n")
				clean.put(filepath.Join(home(), ".config/opencode/plugin/theirs.js"), "export const b = 1\n")
			}
			before, steps, proven := clean.clone(), journeys[name], map[string]bool{}
			last := steps[len(steps)-1]
			for _, plan := range steps[:len(steps)-1] {
				mustApply(t, plan, on(o, before))
			}
			for _, fault := range slices.Sorted(maps.Keys(faults)) {
				if fault != death && (edited || name != "setup" && name != "remove") {
					continue
				}
				for n := 1; ; n++ {
					m := before.clone()
					where, at := failAt(t, fault, last, n, on(o, m), m)
					if where == "" {
						break
					}
					ledgerIsTrue(t, where, o, m, fault == death)
					all[fault]++
					points[name+", "+at]++
					if state := fmt.Sprint(m.tree()); !proven[state] { // many failures leave the same
						proven[state] = true
						where = fmt.Sprintf("%s, edited %v, %s", name, edited, where)
						completes(t, where, o, m.clone(), clean, PlanRemove)
						completes(t, where+", once more", o, m.clone(), clean, last, PlanRemove)
					}
					if t.Failed() {
						t.FailNow()
					}
				}
			}
		}
	}
	t.Logf("%v: %v", all, points)
	if len(all) < len(faults) || all["panic"] < 400 || all[death] < 300 || len(points) < 18 {
		t.Errorf("only %v: %v", all, points)
	}
}

// failAt makes operation n fail and returns its name and its kind, "" if there is none.
func failAt(t *testing.T, fault string, plan func(Options) (Plan, error), n int, o Options, m memory) (where, at string) {
	t.Helper()
	before := m.tree()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	moment := 0
	p, err := run(ctx, plan, on(o, watched{FS: m, at: func(op, path string, after bool) error {
		if (fault == diskFull || fault == death) && slices.Contains(looks, op) {
			return nil
		}
		if moment++; moment == n {
			at = map[bool]string{true: "after ", false: "before "}[after] + op
			where = fmt.Sprintf("%s %s: %s", at, path, fault)
		}
		if moment < n {
			return nil
		}
		return faults[fault](moment == n, end)
	}}))
	switch {
	case where == "":
		return "", ""
	case err == nil:
		for _, c := range p.Changes {
			if now, e := files.Content(m, c.Target); e != nil || !files.Same(now, c.After) {
				t.Errorf("%s: applied, but %s is %q", where, c.Path, now)
			}
		}
	case fault == death:
		if p != nil {
			eachOldOrNew(t, where, m, *p)
		}
	default:
		sameTree(t, where+": "+err.Error(), m.tree(), before)
		var r refusal.Error
		if !errors.Is(err, errPanic) && !errors.Is(err, ErrStopped) && (!errors.As(err, &r) || r.Fix == "") {
			t.Errorf("%s: no hint: %v", where, err)
		}
	}
	return where, at
}

// completes checks that steps succeed, after which everything is as it was at first.
func completes(t *testing.T, where string, o Options, m, clean memory, steps ...func(Options) (Plan, error)) {
	t.Helper()
	o = on(o, m)
	for _, plan := range steps {
		mustApply(t, plan, o)
		if again := mustPlan(t, plan, o); len(again.Changes) > 0 {
			t.Errorf("%s: a second time would change %+v", where, again.Changes)
		}
	}
	state := filepath.Dir(o.StateDir)
	sameTree(t, where, m.tree(state), clean.tree(state))
}

func eachOldOrNew(t *testing.T, where string, fsys files.FS, p Plan) {
	t.Helper()
	for _, c := range p.Changes {
		if now, err := files.Content(fsys, c.Target); err != nil || !files.Same(now, c.Before) && !files.Same(now, c.After) {
			t.Errorf("%s: %s is neither old nor new: %q, %v", where, c.Path, now, err)
		}
	}
}

// ledgerIsTrue checks that the ledger is correct for every file, and that the backups exist. The ledger is
// written first, so it can be ahead of the files when the process dies.
func ledgerIsTrue(t *testing.T, where string, o Options, fsys files.FS, ahead bool) {
	t.Helper()
	l, err := ledger.Read(fsys.ReadFile, o.StateDir)
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
	for _, r := range l.Files {
		now, err := files.Content(fsys, r.Path)
		if is := ledger.Sum(now); err != nil || !r.Unchanged(is) && !(ahead && (is == r.Before || is == "")) {
			t.Errorf("%s: the ledger is wrong about %s: %v", where, r.Path, err)
		}
		if r.Before == "" {
			continue
		}
		if backup, err := fsys.ReadFile(ledger.BackupPath(o.StateDir, r.Before)); err != nil || ledger.Sum(backup) != r.Before {
			t.Errorf("%s: no backup of %s: %v", where, r.Path, err)
		}
	}
}
