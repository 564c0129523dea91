//go:build e2e

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
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
			name, err := filepath.Rel(r.Home, path)
			if err != nil {
				t.Fatal(err)
			}
			began, ended := untouched(t, r)
			rewritten(t, name, was, left, began[name], ended[name])
		}
	}
	if touched == 0 {
		t.Error("wsi setup changed nothing")
	}
	return o
}

// rewritten compares a file that the harness rewrote in the meantime with what it makes of one without
// wsi, from began to ended: no other members are new or changed, and it is written in the same style.
func rewritten(t *testing.T, name string, was, left, began, ended []byte) {
	t.Helper()
	old, now := decoded(t, was), decoded(t, left)
	own, its := decoded(t, began), decoded(t, ended)
	for member, value := range old {
		if now[member] != value && own[member] == its[member] {
			t.Errorf("after wsi remove %s has another %s: %s, was %s", name, member, now[member], value)
		}
	}
	for member, value := range now {
		if old[member] == "" && its[member] == "" {
			t.Errorf("wsi remove left %s in %s: %s", member, name, value)
		}
	}
	if indented(t, ended) && !indented(t, left) {
		t.Errorf("%s is not written as the harness writes it:\n%s", name, left)
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

// homes are the files of a home, by names below it, before a harness has run and after.
type homes struct{ began, ended map[string][]byte }

var (
	alonesMu sync.Mutex
	alones   = map[string]homes{} // by binary
)

// untouched runs this version of a harness without wsi, once.
func untouched(t *testing.T, like *Rig) (began, ended map[string][]byte) {
	t.Helper()
	alonesMu.Lock()
	defer alonesMu.Unlock()
	h, done := alones[like.binary]
	if !done {
		r := newStage(t, Options{Harness: like.id, Version: like.version, Binary: like.binary, Server: []string{server}}, like.driver, short)
		h.began = below(t, r.Home)
		if _, err := short.Run(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		h.ended = below(t, r.Home)
		alones[like.binary] = h
	}
	return h.began, h.ended
}

// below is a snapshot by names below the home.
func below(t *testing.T, home string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for path, content := range snapshot(t, home) {
		name, err := filepath.Rel(home, path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = content
	}
	return files
}
