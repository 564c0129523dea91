package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
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

// faultyPort is a hook with one fault.
type faultyPort struct {
	inside
	alter func(h home, verb string, event, stdout []byte) []byte
}

func (s faultyPort) run(h home, verb string, event []byte) ([]byte, error) {
	stdout, err := s.inside.run(h, verb, event)
	return s.alter(h, verb, event, stdout), err
}

// finds checks that a violation of this class, or one that begins with it, is found in one of so many schedules.
func finds(t *testing.T, class string, most int, p plan, port port) {
	t.Helper()
	others := 0
	for seed := range uint64(most) {
		_, found := play(t, seed, 1, 1, p, port, 0)
		if slices.ContainsFunc(found, func(v violation) bool { return strings.HasPrefix(v.class, class) }) {
			return
		}
		others += len(found)
	}
	t.Errorf("%s: not found, but %d other violations", class, others)
}

// TestFaultsAreFound gives the hook each fault that the simulator must find.
func TestFaultsAreFound(t *testing.T) {
	type fault = func(h home, verb string, event, stdout []byte) []byte
	var typed, own string
	set := func(event []byte, name, value string) []byte {
		args := object(object(event)["tool_input"])
		args[name] = json.RawMessage(quote(value))
		return answerWith(args)
	}
	given := func(event []byte, name string) string { return text(object(object(event)["tool_input"])[name]) }
	before := func(f fault) fault {
		return func(h home, verb string, event, stdout []byte) []byte {
			if verb != verbs.inject {
				return stdout
			}
			return f(h, verb, event, stdout)
		}
	}
	for class, f := range map[string]fault{
		"not injected though entitled": before(func(home, string, []byte, []byte) []byte { return nil }),
		"a good value was changed": before(func(_ home, _ string, event, stdout []byte) []byte {
			if v := given(event, "session_token"); len(v) > 100 {
				typed, own = own, v
				if typed != "" && typed != own {
					return set(event, "session_token", typed)
				}
			}
			return stdout
		}),
		"a damaged value became another": before(func(_ home, _ string, event, stdout []byte) []byte {
			if v := given(event, "session_token"); len(v) > 100 && len(stdout) > 0 {
				return set(event, "session_token", v[:len(v)-1]+"0")
			}
			return stdout
		}),
		"another argument was changed": before(func(_ home, _ string, event, stdout []byte) []byte {
			if given(event, "activity_id") != "" {
				return set(event, "activity_id", "other")
			}
			return stdout
		}),
		"a value in a call that takes none": before(func(_ home, _ string, event, stdout []byte) []byte {
			if text(object(event)["tool_name"]) == "mcp__workflow-server__discover" {
				return set(event, "session_token", "x")
			}
			return stdout
		}),
		"a call was denied": before(func(_ home, _ string, event, stdout []byte) []byte {
			if strings.Contains(string(event), "next_activity") && len(given(event, "session_token")) < 250 {
				return []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`)
			}
			return stdout
		}),
		"the hook failed": before(func(_ home, _ string, _, stdout []byte) []byte {
			return bytes.Replace(stdout, []byte(`"PreToolUse",`), []byte(`"PreToolUse","permissionDecision":"allow",`), 1)
		}),
		"a value in journal.jsonl": func(h home, _ string, _, stdout []byte) []byte {
			if a, err := readAnswer(stdout); err == nil && a.args != nil {
				f, err := os.OpenFile(h.journal(), os.O_APPEND|os.O_WRONLY, 0o600)
				if err == nil {
					_, _ = f.WriteString(text(object(a.args)["session_token"]) + "\n")
					_ = f.Close()
				}
			}
			return stdout
		},
	} {
		t.Run(class, func(t *testing.T) {
			finds(t, class, 15, plan{steps: 60}, faultyPort{alter: f})
		})
	}
}

// TestFaultsWithAnIndexAreFound does so for the server with an index.
func TestFaultsWithAnIndexAreFound(t *testing.T) {
	given := func(event []byte) map[string]json.RawMessage { return object(object(event)["tool_input"]) }
	put := func(event []byte, value string) []byte {
		args := given(event)
		args[index] = json.RawMessage(quote(value))
		return answerWith(args)
	}
	answers := func(stdout []byte) (value string) {
		if a, err := readAnswer(stdout); err == nil && a.args != nil {
			value = text(object(a.args)[index])
		}
		return value
	}
	first := ""
	for class, f := range map[string]func(event, stdout []byte) []byte{
		"not injected though entitled": func([]byte, []byte) []byte { return nil },
		"another session's index": func(event, stdout []byte) []byte {
			value := answers(stdout)
			if first == "" {
				first = value
			}
			if value != "" {
				return put(event, first)
			}
			return stdout
		},
		"a value was changed": func(event, stdout []byte) []byte {
			if v := text(given(event)[index]); len(v) == 6 && v != "AAAAAA" {
				return put(event, "AAAAAA")
			}
			return stdout
		},
		"a placeholder for a parent was passed on": func(event, stdout []byte) []byte {
			if bytes.Contains(event, []byte("dispatch_child")) {
				return nil
			}
			return stdout
		},
		"a value in a call that takes none": func(event, stdout []byte) []byte {
			if bytes.Contains(event, []byte("delete_session")) {
				return put(event, "AAAAAA")
			}
			return stdout
		},
		"a value where it was left out on purpose": func(event, stdout []byte) []byte {
			if bytes.Contains(event, []byte(`__peek"`)) && given(event)[index] == nil {
				return put(event, "AAAAAA")
			}
			return stdout
		},
	} {
		t.Run(class, func(t *testing.T) {
			var at home
			port := faultyPort{alter: func(h home, verb string, event, stdout []byte) []byte {
				if h != at {
					at, first = h, ""
				}
				if verb != verbs.inject {
					return stdout
				}
				return f(event, stdout)
			}}
			finds(t, class, 30, plan{steps: 60, pasted: true, indexes: true}, port)
		})
	}
}

// TestFaultsWithTraceTokensAreFound does so for the lists of trace tokens.
func TestFaultsWithTraceTokensAreFound(t *testing.T) {
	last := ""
	for class, f := range map[string]func(tokens []string) any{
		"a trace token is missing": func(tokens []string) any { return tokens[:len(tokens)-1] },
		"trace tokens in another order, or twice": func(tokens []string) any {
			slices.Reverse(tokens)
			return tokens
		},
		"another chain's trace token": func(tokens []string) any {
			other := last
			last = tokens[0]
			return append(tokens, other)
		},
	} {
		t.Run(class, func(t *testing.T) {
			port := faultyPort{alter: func(_ home, verb string, _, stdout []byte) []byte {
				a, err := readAnswer(stdout)
				if verb != verbs.inject || err != nil || a.args == nil {
					return stdout
				}
				args := object(a.args)
				tokens, ok := tokensIn(args[tokenList])
				if !ok || len(tokens) == 0 {
					return stdout
				}
				raw, err := json.Marshal(f(tokens))
				if err != nil {
					t.Error(err)
				}
				args[tokenList] = raw
				return answerWith(args)
			}}
			finds(t, class, 30, plan{steps: 60, pasted: true, collects: true}, port)
		})
	}
}

// TestForgetfulHooks checks that a capture that ignores every third result is found.
func TestForgetfulHooks(t *testing.T) {
	var n atomic.Int64
	port := forgetful{forgetful: func() bool { return n.Add(1)%3 == 0 }}
	finds(t, "an older value", 15, plan{steps: 60}, port)
}

type forgetful struct {
	inside
	forgetful func() bool
}

func (d forgetful) run(h home, verb string, event []byte) ([]byte, error) {
	if verb == verbs.capture && d.forgetful() {
		return nil, nil
	}
	return d.inside.run(h, verb, event)
}

func answerWith(args map[string]json.RawMessage) []byte {
	raw, err := json.Marshal(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse", "updatedInput": args}})
	if err != nil {
		panic(err) // cannot fail
	}
	return raw
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
