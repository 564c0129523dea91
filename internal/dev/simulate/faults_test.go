package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

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

// forgetful is a hook in this process that ignores some results. At once with others, the order in which they end says
// nothing about the order in which they get the vault.
type forgetful struct {
	inside
	atOnce  bool
	one     *sync.Mutex
	forgets func() bool
}

func (f forgetful) sequential() bool { return !f.atOnce }

func (f forgetful) run(h home, verb string, event []byte) (stdout []byte, err error) {
	f.one.Lock()
	if verb != verbs.capture || !f.forgets() {
		stdout, err = f.inside.run(h, verb, event)
	}
	f.one.Unlock()
	if f.atOnce && verb == verbs.capture {
		time.Sleep(time.Duration(rand.IntN(4)) * time.Millisecond / 2)
	}
	return stdout, err
}

// A capture that ignores every third result is found, too, if others ran at the same time.
func TestForgetfulHooks(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		if atOnce && testing.Short() {
			t.Skip("make test-all runs it")
		}
		calls := 0
		finds(t, "an older value", 15, plan{steps: 60}, forgetful{
			atOnce: atOnce, one: new(sync.Mutex), forgets: func() bool { calls++; return calls%3 == 0 },
		})
	}
}

// altered is what the hook answered before a call, and what a fault makes of it.
type altered struct {
	home          home
	event, stdout []byte
}

func (a *altered) has(words string) bool { return bytes.Contains(a.event, []byte(words)) }

// given returns an argument as the model typed it.
func (a *altered) given(name string) string { return text(object(object(a.event)["tool_input"])[name]) }

// args returns the arguments that the tool gets.
func (a *altered) args() map[string]json.RawMessage {
	if read, err := readAnswer(a.stdout); err == nil && read.args != nil {
		return object(read.args)
	}
	return object(object(a.event)["tool_input"])
}

func (a *altered) set(name string, value any) {
	args := map[string]any{}
	for other, raw := range a.args() {
		args[other] = raw
	}
	args[name] = value
	raw, err := json.Marshal(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse", "updatedInput": args}})
	if err != nil {
		panic(err) // cannot fail
	}
	a.stdout = raw
}

// faulty is a hook with one fault.
type faulty struct {
	inside
	fault func(a *altered)
}

func (f faulty) run(h home, verb string, event []byte) ([]byte, error) {
	stdout, err := f.inside.run(h, verb, event)
	a := altered{h, event, stdout}
	if verb == verbs.inject {
		f.fault(&a)
	}
	return a.stdout, err
}

// findsEach gives the hook each fault, which the simulator must find as a violation of its class.
func findsEach(t *testing.T, most int, p plan, faults map[string]func(a *altered)) {
	t.Helper()
	for class, fault := range faults {
		t.Run(class, func(t *testing.T) { finds(t, class, most, p, faulty{fault: fault}) })
	}
}

func TestFaultsAreFound(t *testing.T) {
	last := ""
	findsEach(t, 15, plan{steps: 60}, map[string]func(a *altered){
		"not injected though entitled": func(a *altered) { a.stdout = nil },
		"a good value was changed": func(a *altered) {
			if v := a.given("session_token"); len(v) > 100 {
				earlier := last
				if last = v; earlier != "" && earlier != v {
					a.set("session_token", earlier)
				}
			}
		},
		"a damaged value became another": func(a *altered) {
			if v := a.given("session_token"); len(v) > 100 && len(a.stdout) > 0 {
				a.set("session_token", v[:len(v)-1]+"0")
			}
		},
		"another argument was changed": func(a *altered) {
			if a.given("activity_id") != "" {
				a.set("activity_id", "other")
			}
		},
		"a value in a call that takes none": func(a *altered) {
			if a.has(`"mcp__workflow-server__discover"`) {
				a.set("session_token", "x")
			}
		},
		"a call was denied": func(a *altered) {
			if a.has("next_activity") && len(a.given("session_token")) < 250 {
				a.stdout = []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`)
			}
		},
		"the hook failed": func(a *altered) {
			a.stdout = bytes.Replace(a.stdout, []byte(`"PreToolUse",`), []byte(`"PreToolUse","permissionDecision":"allow",`), 1)
		},
		"a value in journal.jsonl": func(a *altered) {
			if token := text(a.args()["session_token"]); token != "" && len(a.stdout) > 0 {
				f, err := os.OpenFile(a.home.journal(), os.O_APPEND|os.O_WRONLY, 0o600)
				if err == nil {
					_, _ = f.WriteString(token + "\n")
					_ = f.Close()
				}
			}
		},
	})
}

func TestFaultsWithAnIndexAreFound(t *testing.T) {
	first := map[home]string{}
	findsEach(t, 30, plan{steps: 60, pasted: true, indexes: true}, map[string]func(a *altered){
		"not injected though entitled": func(a *altered) { a.stdout = nil },
		"another session's index": func(a *altered) {
			if value := text(a.args()[index]); value != "" && len(a.stdout) > 0 {
				if first[a.home] == "" {
					first[a.home] = value
				}
				a.set(index, first[a.home])
			}
		},
		"a value was changed": func(a *altered) {
			if v := a.given(index); len(v) == 6 && v != "AAAAAA" {
				a.set(index, "AAAAAA")
			}
		},
		"a placeholder for a parent was passed on": func(a *altered) {
			if a.has("dispatch_child") {
				a.stdout = nil
			}
		},
		"a value in a call that takes none": func(a *altered) {
			if a.has("delete_session") {
				a.set(index, "AAAAAA")
			}
		},
		"a value where it was left out on purpose": func(a *altered) {
			if a.has(`__peek"`) && a.given(index) == "" {
				a.set(index, "AAAAAA")
			}
		},
	})
}

func TestFaultsWithTraceTokensAreFound(t *testing.T) {
	last, faults := "", map[string]func(a *altered){}
	for class, change := range map[string]func(tokens []string) []string{
		"a trace token is missing": func(tokens []string) []string { return tokens[:len(tokens)-1] },
		"trace tokens in another order, or twice": func(tokens []string) []string {
			slices.Reverse(tokens)
			return tokens
		},
		"another chain's trace token": func(tokens []string) []string {
			other := last
			last = tokens[0]
			return append(tokens, other)
		},
	} {
		faults[class] = func(a *altered) {
			if tokens, ok := tokensIn(a.args()[tokenList]); ok && len(tokens) > 0 && len(a.stdout) > 0 {
				a.set(tokenList, change(tokens))
			}
		}
	}
	findsEach(t, 30, plan{steps: 60, pasted: true, collects: true}, faults)
}
