package installer

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"wsi/installer/files"
	"wsi/installer/refusal"
)

// Harnesses rewrite their files at any time. At each moment between the beginning of a plan and the end of
// Apply, another program edits, deletes or creates one file, or puts a folder there. Its content remains, or
// the plan was made from it, and wsi reports what it did not write. The same holds while wsi undoes its
// changes because its last write failed. Row 22.
func TestConcurrentWriteAtEveryMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clean, first := inMemory(messy)
	wired := first.clone()
	mustApply(t, PlanSetup, on(clean, wired))
	rounds, noticed := 0, 0
	for _, removal := range []bool{false, true} {
		from, plan := first, PlanSetup
		if removal {
			from, plan = wired, PlanRemove
		}
		last := lastChange(t, clean, from, plan)
		for _, file := range []string{".claude/settings.json", ".codex/hooks.json", ".codex/config.toml", ".cursor/hooks.json", ".config/opencode/plugins/wsi.js"} {
			for _, how := range []string{"written", "deleted", "folder"} {
				for _, fails := range []string{"", last} {
					if fails != "" && how == "folder" {
						continue
					}
					for n := 1; ; n++ {
						one := racer{file: filepath.Join(home(), file), how: how, moment: n, fails: fails}
						met, saw := one.run(t, clean, from.clone(), plan)
						if !met {
							break
						}
						rounds++
						if saw {
							noticed++
						}
						if t.Failed() {
							t.Fatalf("removal %v: %+v", removal, one)
						}
					}
				}
			}
		}
	}
	t.Logf("%d meetings, %d of them told as a change of another's", rounds, noticed)
	if rounds < 1500 || noticed < 700 {
		t.Errorf("only %d meetings, %d noticed", rounds, noticed)
	}
}

// lastChange returns the path of the last file that is written.
func lastChange(t *testing.T, o Options, from memory, plan func(Options) (Plan, error)) (last string) {
	t.Helper()
	_, err := run(t.Context(), plan, on(o, watched{FS: from.clone(), at: func(op, path string, _ bool) error {
		if op == "replace" {
			last = path
		}
		return nil
	}}))
	if err != nil || last == "" {
		t.Fatal(err)
	}
	return last
}

// racer is another program: what it does to a file, and before which of wsi's operations on that file and its
// folders. Other operations make no difference.
type racer struct {
	file, how string
	moment    int
	fails     string // the file that wsi then cannot write, "" if it can
}

func (x racer) concerned(path string) bool {
	_, above := files.Within(path, x.file)
	_, below := files.Within(x.file, path)
	return above || below
}

// theirs is what the other program writes. It is valid in every format.
func (x racer) theirs() string {
	if filepath.Ext(x.file) == ".toml" {
		return "theirs = 1\n"
	}
	return "{\"hooks\": {}, \"version\": 1}"
}

func (x racer) do(m memory) {
	switch x.how {
	case "written":
		m.put(x.file, x.theirs())
	case "deleted":
		delete(m, x.file)
	case "folder":
		m.put(filepath.Join(x.file, "theirs"), "x")
		f := *m[filepath.Dir(x.file)]
		m[x.file] = &f
	}
}

func (x racer) run(t *testing.T, o Options, m memory, plan func(Options) (Plan, error)) (met, noticed bool) {
	t.Helper()
	moment, failed := 0, false
	var old []byte
	p, err := run(t.Context(), plan, on(o, watched{FS: m, at: func(op, path string, _ bool) error {
		if x.concerned(path) {
			if moment++; moment == x.moment {
				met = true
				old, _ = files.Content(m, x.file)
				x.do(m)
			}
		}
		if op == "replace" && path == x.fails && !failed {
			failed = true
			return errPanic
		}
		return nil
	}}))
	if !met {
		return false, false
	}
	if files.Same(old, x.content()) && x.how != "folder" {
		return true, false // it was like that already
	}
	noticed = errors.Is(err, ErrChanged) || errors.Is(err, errOthers)
	var r refusal.Error
	if errors.Is(err, ErrChanged) && (!errors.As(err, &r) || r.Fix == "" || r.Path == "") {
		t.Errorf("no hint: %v", err)
	}
	var changes []Change
	if p != nil {
		changes = p.Changes
	}
	at := slices.IndexFunc(changes, func(c Change) bool { return c.Target == x.file })
	// The plan was made from the current content, or from the other program's folder.
	knew := at >= 0 && err == nil && files.Same(changes[at].Before, x.content())
	untold := at >= 0 && err == nil && files.Same(old, changes[at].Before) && !files.Same(old, x.content())
	if now, e := files.Content(m, x.file); !knew && (x.how != "folder" && e != nil || x.how == "folder" && e == nil || e == nil && !files.Same(now, x.content())) {
		t.Errorf("%s was lost at moment %d of %d: there is %q (%v), wsi said %v", x.how, x.moment, moment, now, e, err)
	}
	if untold {
		t.Errorf("wsi did not report it")
	}
	if err == nil {
		return met, noticed
	}
	for _, c := range changes {
		if now, e := files.Content(m, c.Target); c.Target != x.file && (e != nil || !files.Same(now, c.Before)) {
			t.Errorf("%s was not put back after %v: %q, %v", c.Path, err, now, e)
		}
	}
	return met, noticed
}

// content is the content of the file after the racer; nil if it is not a file.
func (x racer) content() []byte {
	if x.how == "written" {
		return []byte(x.theirs())
	}
	return nil
}
