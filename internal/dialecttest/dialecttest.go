// Package dialecttest tests a harness's dialect against recorded events. It must not know any one
// harness.
package dialecttest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
)

var update = flag.Bool("update", false, "write golden files anew")

// Golden reads every JSON file below testdata as an event of the dialect and compares what was
// understood of it, a line per file, with testdata/events.golden. Values do not appear there.
func Golden(t *testing.T, d harnesses.Dialect, server string) {
	t.Helper()
	var got strings.Builder
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		event, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("testdata", path)
		fmt.Fprintf(&got, "%s: %s\n", filepath.ToSlash(name), summary(t, d, server, event))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/events.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("events are understood otherwise than before (-want +got):\n%s", diff)
	}
}

func summary(t *testing.T, d harnesses.Dialect, server string, event []byte) string {
	t.Helper()
	ev, err := d.Read(event)
	if err != nil {
		return "no event"
	}
	words := []string{string(ev.Kind)}
	tool, ok := d.Tool(ev, server)
	if !ok {
		return strings.Join(append(words, "not of the server"), " ")
	}
	if ev.Args != nil && !json.Valid(ev.Args) {
		t.Errorf("arguments are no JSON: %s", ev.Args)
	}
	words = append(words, tool, fmt.Sprintf("args=%d", len(ev.Args)))
	for name, there := range map[string]bool{"session": ev.Session != "", "id": ev.ID != ""} {
		if !there {
			words = append(words, "no-"+name)
		}
	}
	if ev.Agent != "" {
		words = append(words, "agent")
	}
	if ev.By != "" {
		words = append(words, "by="+ev.By)
	}
	if ev.Kind == harnesses.After {
		rule := rules.ForToken(server)
		got := carry.After(&rule, new(carry.State), carry.Call{Tool: tool}, ev.Result)
		words = append(words, fmt.Sprintf("%s value=%d", got.Did, len(got.Value)))
	}
	if tr, ok := d.(harnesses.Transcripts); ok {
		words = append(words, fmt.Sprintf("transcripts=%d", len(tr.Transcripts(ev))))
	}
	return strings.Join(words, " ")
}

// Fuzz feeds the dialect with anything: what it reads must lie within the event, and its answer to
// a change must be one JSON value.
func Fuzz(f *testing.F, d harnesses.Dialect, server string) {
	f.Helper()
	err := filepath.WalkDir("testdata", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" {
			event, e := os.ReadFile(path)
			f.Add(event)
			return e
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	st := carry.Stored(server, "VALUE")
	rule := rules.ForToken(server)
	f.Fuzz(func(t *testing.T, event []byte) {
		before := bytes.Clone(event)
		ev, err := d.Read(event)
		if err != nil {
			return
		}
		tool, ok := d.Tool(ev, server)
		if !ok {
			return
		}
		got := carry.Before(&rule, &st, carry.Call{Tool: tool, Args: ev.Args})
		if got.Did == carry.Injected {
			if answer := d.Answer(got.Change); !json.Valid(answer) {
				t.Fatalf("%q is answered with %q", event, answer)
			}
		}
		if !bytes.Equal(before, event) {
			t.Fatalf("reading changed the event %q", before)
		}
	})
}
