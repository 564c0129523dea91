//go:build e2e

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// runWired sets wsi up, runs the scenario and takes wsi out again: every file that setup touched must
// be as it was, or as the harness would have made it without wsi.
func runWired(t *testing.T, r *Rig, s Scenario) Outcome {
	t.Helper()
	before := snapshot(t, r.Home)
	if err := r.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	wired := snapshot(t, r.Home)
	o, err := s.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	ran := snapshot(t, r.Home)
	if err := r.Remove(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	after := snapshot(t, r.Home)
	touched := 0
	for path, content := range wired {
		if bytes.Equal(before[path], content) || strings.Contains(path, "/state/wsi/") {
			continue
		}
		touched++
		was, there := before[path]
		left, kept := after[path]
		switch {
		case !there && kept:
			t.Errorf("wsi remove left %s:\n%s", path, left)
		case there && bytes.Equal(content, ran[path]):
			if !bytes.Equal(was, left) {
				t.Errorf("after wsi remove %s is not as it was:\n%s", path, left)
			}
		case there:
			rewritten(t, path, was, ran[path], left)
		}
	}
	if touched == 0 {
		t.Error("wsi setup changed nothing")
	}
	return o
}

// rewritten compares a file after wsi remove with what it was when the harness, which rewrote it in the meantime, had left it: what
// names wsi is as it was before, all else is as the harness left it, and it is written in the same style.
func rewritten(t *testing.T, path string, was, ran, left []byte) {
	t.Helper()
	old, want, now := decoded(t, was), decoded(t, ran), decoded(t, left)
	for member, value := range want {
		if strings.Contains(value, "wsi") {
			want[member] = old[member]
		}
	}
	maps.DeleteFunc(want, func(_, value string) bool { return value == "" })
	if !maps.Equal(want, now) {
		t.Errorf("after wsi remove %s has %s\nwant %s", path, now, want)
	}
	if indented(t, ran) && !indented(t, left) {
		t.Errorf("%s is not written as the harness writes it:\n%s", path, left)
	}
}

// decoded are the members of a JSON object, compact.
func decoded(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	all := map[string]string{}
	for name, value := range members {
		all[name] = compact(t, value)
	}
	return all
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// indented reports whether a file is indented as by JSON.stringify with two spaces.
func indented(t *testing.T, raw []byte) bool {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(compact(t, raw)), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() == strings.TrimSuffix(string(raw), "\n")
}
