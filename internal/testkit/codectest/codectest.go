// Package codectest tests a harness's codec against recorded events. It must not know a particular harness.
package codectest

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

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden decodes every JSON file below testdata as an event and compares a summary, one line per file, with
// testdata/events.golden. The summary contains no values.
func Golden(t *testing.T, d harnesses.Dialect, server string) {
	t.Helper()
	var got strings.Builder
	each(t, func(name string, event []byte) {
		fmt.Fprintf(&got, "%s: %s\n", name, summary(t, d, server, event))
	})
	compare(t, "testdata/events.golden", got.String())
}

// each calls do for every recorded event.
func each(tb testing.TB, do func(name string, event []byte)) {
	tb.Helper()
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		event, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("testdata", path)
		do(filepath.ToSlash(name), event)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", golden, diff)
	}
}

func summary(t *testing.T, d harnesses.Dialect, server string, event []byte) string {
	t.Helper()
	ev, err := d.Codec.Read(event)
	if err != nil {
		return "no event"
	}
	kind := string(ev.Kind)
	if kind == "" {
		kind = "other"
	}
	words := []string{kind}
	for _, call := range ev.Calls {
		tool, ok := d.Codec.Tool(call, server)
		words = append(words, fmt.Sprintf("%s ours=%t args=%d id=%t", tool, ok, len(call.Args), call.ID != ""))
	}
	if ev.Kind == harnesses.Batch {
		return strings.Join(words, " ")
	}
	tool, ok := d.Codec.Tool(ev, server)
	if !ok {
		return strings.Join(append(words, "not of the server"), " ")
	}
	if ev.Args != nil && !json.Valid(ev.Args) {
		t.Errorf("the arguments are not JSON: %s", ev.Args)
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
		rule := Token(server)
		// The engine's tests cover values, tools and keys. The recorded servers had various ones.
		rule.Tools, rule.Inside, rule.Flow, rule.Capture.Key = nil, carry.Reading{}, carry.Flow{}, nil
		got := carry.After(&rule, new(carry.State), carry.Call{Tool: tool}, ev.Result)
		words = append(words, fmt.Sprintf("%s value=%d", got.Action, len(got.Value)))
	}
	if d.Capabilities.Transcripts != nil {
		words = append(words, fmt.Sprintf("transcripts=%d", len(d.Capabilities.Transcripts(ev))))
	}
	return strings.Join(words, " ")
}

// Fuzz fuzzes the codec. It must not change the event, and each of its answers must be one JSON value.
func Fuzz(f *testing.F, d harnesses.Dialect, server string) {
	f.Helper()
	each(f, func(_ string, event []byte) { f.Add(event) })
	st := carry.Stored(server, "VALUE")
	rule := Token(server)
	f.Fuzz(func(t *testing.T, event []byte) {
		before := bytes.Clone(event)
		ev, err := d.Codec.Read(event)
		if err != nil {
			return
		}
		tool, ok := d.Codec.Tool(ev, server)
		if !ok {
			return
		}
		got := carry.Before(&rule, &st, carry.Call{Tool: tool, Args: ev.Args})
		if got.Action == carry.Injected {
			if answer := d.Codec.Answer(got.Change); !json.Valid(answer) {
				t.Fatalf("%q is answered with %q", event, answer)
			}
		}
		for what, answer := range answers(d.Capabilities, string(event)) {
			if !json.Valid(answer) {
				t.Fatalf("%q: %s is %q", event, what, answer)
			}
		}
		if !bytes.Equal(before, event) {
			t.Fatalf("reading changed the event %q", before)
		}
	})
}

// Token returns the built-in rule for the workflow-server's session_token, for a server of that name.
func Token(server string) carry.Rule {
	set := rules.Builtin()
	rule := set.For(rules.WorkflowServer)[0]
	rule.Server = server
	return rule
}
