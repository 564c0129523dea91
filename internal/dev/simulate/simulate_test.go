package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/hook/journal"
)

// play runs at least a number of schedules, and more until the time is over.
func play(t *testing.T, first uint64, least, most int, p plan, port port, bound time.Duration) (n counts, found []violation) {
	t.Helper()
	n = counts{}
	start := time.Now()
	for i := range most {
		if i >= least && time.Since(start) > bound {
			break
		}
		seed := first + uint64(i)
		one, wrong, err := job{seed: seed, schedules: 1, plan: p, port: port, workers: 1}.do()
		if err != nil {
			t.Fatal(err)
		}
		n.add(one)
		found = append(found, wrong...)
	}
	return n, found
}

func fail(t *testing.T, n counts, found []violation) {
	t.Helper()
	var out bytes.Buffer
	n.print(&out)
	for _, v := range found {
		t.Errorf("seed %d, step %d: %s: %s (CONTRIBUTING.md says how to play a seed again)", v.seed, v.step, v.class, v.what)
	}
	t.Logf("\n%s", out.Bytes())
}

// TestHooks plays up to 300 schedules with the hook in this process.
func TestHooks(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	n, found := play(t, 1, 40, 300, plan{steps: 100}, inside{}, 6*time.Second)
	more, wrong := play(t, 1001, 40, 300, plan{steps: 100, names: true, pasted: true, traces: true}, inside{}, 6*time.Second)
	n.add(more)
	found = append(found, wrong...)
	fail(t, n, found)
	if n["left out, the right value arrived"] < 500 || n["damaged, the original arrived"] < 100 || n[journaled+"denied"] == 0 || n["sessions opened with a damaged value"] == 0 ||
		n["forks"] == 0 || n["resumed"] == 0 || n["  tokens in these"] == 0 {
		t.Error("the schedules do not cover all cases")
	}
}

// TestProcesses plays up to 40 schedules with the real program.
func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	program, err := build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n, found := play(t, 1_000_000, 6, 40, plan{steps: 60, kills: true, names: true, pasted: true, traces: true}, program, 6*time.Second)
	fail(t, n, found)
}

// In whatever order hooks that run at the same time get the vault, what they carry is right. One of the orders of this
// schedule once looked wrong, because the hooks ended in another.
func TestAnyOrderOfHooks(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	p := plan{steps: 100, kills: true, names: true, pasted: true, traces: true}
	for range 25 {
		n, found := play(t, 2_680_002_020, 1, 1, p, forgetful{atOnce: true, one: new(sync.Mutex), forgets: func() bool { return false }}, 0)
		if fail(t, n, found); t.Failed() {
			return
		}
	}
}

// TestOnceFound plays the stored schedules, cut to a few steps.
func TestOnceFound(t *testing.T) {
	stored, err := os.ReadFile("testdata/found.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(stored)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 5)
		if fields[0] == "#" {
			continue
		}
		t.Run(fields[4], func(t *testing.T) {
			t.Parallel()
			var seed uint64
			p := plan{verbose: true}
			if _, err := fmt.Sscan(fields[0]+" "+fields[1], &seed, &p.steps); err != nil {
				t.Fatal(err)
			}
			options := map[string]*bool{
				"-": new(bool), "kills": &p.kills, "names": &p.names, "pasted": &p.pasted, "traces": &p.traces, "looks": &p.looks, "collects": &p.collects,
			}
			for option := range strings.SplitSeq(fields[2], ",") {
				if options[option] == nil {
					t.Fatalf("no option %q", option)
				}
				*options[option] = true
			}
			kills := p.kills // also with a seed that has none in [job.do]
			p = p.of(seed)
			p.kills = kills
			w, err := run(seed, p, inside{})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range w.found {
				t.Errorf("step %d: %s: %s", v.step, v.class, v.what)
			}
			if got := digestOfCalls(w.story); got != fields[3] {
				t.Errorf("it plays other calls, with the digest %s", got)
			}
		})
	}
}

// digestOfCalls returns a digest of what the models of a story call and type, whatever wsi does about it.
func digestOfCalls(story []string) string {
	var calls strings.Builder
	for _, line := range story {
		if call, _, ok := strings.Cut(line, " -> "); ok {
			calls.WriteString(call + "\n")
		}
	}
	sum := sha256.Sum256([]byte(calls.String()))
	return hex.EncodeToString(sum[:4])
}

// TestReplay checks that a seed plays the same schedule again, and that the printed story contains no value.
func TestReplay(t *testing.T) {
	tell := func() string {
		w, err := run(7, plan{steps: 80, verbose: true, slow: true}, inside{})
		if err != nil {
			t.Fatal(err)
		}
		story := strings.Join(w.story, "\n")
		for value := range w.values {
			if w.leaks([]byte(story), value) {
				t.Fatal("the story contains a value")
			}
		}
		return story
	}
	if a, b := tell(), tell(); a != b || len(a) < 1000 {
		t.Errorf("two stories of one seed, of %d and %d bytes, differ", len(a), len(b))
	}
}

// TestAuditReadsTheJournal checks that audit counts and reports the journal's entries.
func TestAuditReadsTheJournal(t *testing.T) {
	h := home(t.TempDir())
	if err := h.create(""); err != nil {
		t.Fatal(err)
	}
	if err := journal.In(h.state()).Append(journal.Entry{Time: time.Unix(1795187971, 0), Verb: "inject", Did: "error", Why: "disk full"}); err != nil {
		t.Fatal(err)
	}
	w := &world{home: h, counts: counts{}}
	if err := w.audit(); err != nil || len(w.found) != 1 || w.counts[journaled+"error"] != 1 {
		t.Errorf("%v, %v", w.found, err)
	}
	if _, err := os.Stat(filepath.Join(string(h), "state", "journal.jsonl")); err != nil {
		t.Error(err)
	}
}
