//go:build e2e

package live

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/registry"
)

// hooked is what a harness lets its hooks see.
type hooked struct {
	typed   string // what a model gives a tool that takes a value: where one is required, some value
	place   string // where results must have the value
	errors  bool   // hooks see the value of a result that is an error
	resumes bool   // a session can go on headless: Cline CLI's cannot
}

// carried is what hooks carry, in a session and, where that can be tried, in the same one resumed. All three
// show the model the value.
func (h relayFirstHarness) carried() Scenario {
	flags := []string{"-place", h.hooks.place}
	if h.hooks.errors {
		flags = append(flags, "-rotate-on-error")
	}
	next := func(id string) Turn {
		return Turn{{Tool: "next_activity", Args: strings.Replace(`{"activity_id":"`+id+`",`+h.hooks.typed[1:], ",}", "}", 1)}}
	}
	get := Turn{{Tool: "get_activity", Args: h.hooks.typed}}
	s := Scenario{
		Name: "hooks: carry, fail", Flags: flags, Shown: true, Runs: [][]string{{"first"}},
		Scripts: Scripts{"first": {{{Tool: opening, Args: `{"workflow_id":"demo"}`}}, get, next("design"), next("no-such-activity"), get, next("build")}},
	}
	if h.hooks.resumes {
		s.Name += ", resume"
		s.Scripts["resumed"] = Script{get, next("review")}
		s.Runs, s.Resume = append(s.Runs, []string{"resumed"}), true
	}
	return s
}

// gets is a session that reads its activity: so many times in each turn.
func (h relayFirstHarness) gets(name string, flags []string, turns ...int) Scenario {
	s := Scenario{Name: name, Flags: flags, Shown: true, Runs: [][]string{{"first"}}}
	script := Script{{{Tool: opening, Args: `{"workflow_id":"demo"}`}}}
	for _, n := range turns {
		var turn Turn
		for range n {
			turn = append(turn, Call{Tool: "get_activity", Args: h.hooks.typed})
		}
		script = append(script, turn)
	}
	s.Scripts = Scripts{"first": script}
	return s
}

// TestRelayFirstHooks is TestHarnesses and TestLimits for the hooks of these harnesses.
func TestRelayFirstHooks(t *testing.T) {
	for _, h := range relayFirst {
		if h.hooks == nil {
			continue
		}
		t.Run(h.id+"-"+h.version, func(t *testing.T) {
			harness(t, h.id, h.version, h.binary) // installed before two want it at once
			place := []string{"-place", h.hooks.place}
			sessions := h.gets("hooks: two sessions at once", place, 1, 1, 1)
			sessions.Scripts = Scripts{"left": sessions.Scripts["first"], "right": sessions.Scripts["first"]}
			sessions.Runs = [][]string{{"left", "right"}}
			cases := map[*Scenario]func(Outcome) bool{
				ptr(h.carried()): Outcome.OK,
				&sessions:        Outcome.OK,
				ptr(h.gets("limit: calls are made at once, and hooks carry both the same value", place, 2, 1)): oneStaleAtMost,
			}
			if h.hooks.place != "meta" {
				cases[ptr(h.gets("limit: hooks see no _meta", nil, 1, 1))] = asTyped
			}
			if !h.hooks.errors {
				s := h.gets("limit: an error hides its value", append(place, "-rotate-on-error", "-lenient"), 1, 1, 1)
				s.Scripts["first"][1][0] = Call{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}
				cases[&s] = func(o Outcome) bool { return !o.OK() && oneStaleAtMost(o) }
			}
			for s, holds := range cases {
				t.Run(s.Name, func(t *testing.T) {
					t.Parallel()
					start := time.Now()
					o := runWired(t, h.hookRig(t, *s), *s)
					record(h.id, h.version, harnesses.ByHooks, s.Name, o, start)
					if o.Calls != o.Expected || !holds(o) {
						t.Errorf("%s", o)
					}
				})
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// TestRelayFirstProject is TestProject for them. Copilot CLI wants its user's trust, which wsi never gives.
func TestRelayFirstProject(t *testing.T) {
	for _, h := range relayFirst {
		if h.hooks == nil {
			continue
		}
		harness(t, h.id, h.version, h.binary)
		for _, trusted := range []bool{true, false} {
			if !trusted && h.id != "copilot-cli" {
				continue
			}
			t.Run(fmt.Sprintf("%s-%s, trusted %v", h.id, h.version, trusted), func(t *testing.T) {
				t.Parallel()
				start := time.Now()
				s := h.gets("hooks: one project", []string{"-place", h.hooks.place}, 1, 1)
				r := h.hookRig(t, s)
				r.Scope = harnesses.Project
				holds := Outcome.OK
				if h.id == "copilot-cli" && trusted {
					if err := r.write(".copilot/config.json", string(mustJSON(object{"trustedFolders": []string{r.Work}}))); err != nil {
						t.Fatal(err)
					}
				} else if !trusted {
					s.Name, holds = "limit: a project without trust runs no hooks", onlyMissing
				}
				work := snapshot(t, r.Work)
				if err := r.Setup(t.Context()); err != nil {
					t.Fatal(err)
				}
				o, err := s.Run(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				record(h.id, h.version, harnesses.ByHooks, s.Name, o, start)
				if o.Calls != o.Expected || !holds(o) {
					t.Errorf("%s", o)
				}
				if err := r.Remove(context.WithoutCancel(t.Context())); err != nil {
					t.Fatal(err)
				}
				if left := snapshot(t, r.Work); !maps.EqualFunc(work, left, bytes.Equal) {
					t.Errorf("wsi remove left %v in the project", slices.Collect(maps.Keys(left)))
				}
			})
		}
	}
}

// TestRelayFirstHookAgents: Copilot CLI tells hooks which agent calls. Gemini CLI does not, and as soon as a
// sub-agent has a session of its own, a call that carries nothing is left alone.
func TestRelayFirstHookAgents(t *testing.T) {
	for _, h := range relayFirst {
		sub, ok := spawning[h.id]
		if h.hooks == nil || !ok {
			continue
		}
		t.Run(h.id+"-"+h.version, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			spawn := sub.spawn
			begin, get := Turn{{Tool: opening, Args: `{"workflow_id":"demo"}`}}, Turn{{Tool: "get_activity", Args: h.hooks.typed}}
			s := Scenario{
				Name: "hooks: sub-agents", Flags: []string{"-place", h.hooks.place}, Shown: true, Runs: [][]string{{"main"}},
				Scripts: Scripts{"main": {begin, get, spawn("helper"), get, spawn("worker"), get}, "helper": {get, get}, "worker": {begin, get}},
			}
			r := h.hookRig(t, s)
			r.Model.tool = sub.naming(h.tool)
			if err := r.Setup(t.Context()); err != nil {
				t.Fatal(err)
			}
			o, err := s.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			calls, err := r.Calls()
			if err != nil {
				t.Fatal(err)
			}
			want := []string{
				`main start_session: not needed, "main"`, `main get_activity: right, "main"`,
				`helper get_activity: right, "main"`, `helper get_activity: right, "main"`, `main get_activity: right, "main"`,
				`worker start_session: not needed, "worker"`, `worker get_activity: right, "worker"`, `main get_activity: right, "main"`,
			}
			if h.id == "gemini-cli" { // what the model types arrives
				want[6], want[7] = `worker get_activity: unknown, ""`, `main get_activity: unknown, ""`
			}
			if got := told(calls); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			o.Expected, o.Wrong = len(want), nil // starting a sub-agent is not a call of the server
			record(h.id, h.version, harnesses.ByHooks, s.Name, o, start)
		})
	}
}

// hookRig is rig for hooks.
func (h relayFirstHarness) hookRig(t *testing.T, s Scenario) *Rig {
	t.Helper()
	r := h.rig(t, s, h.tool, server)
	r.Way = harnesses.ByHooks
	if h.id != "gemini-cli" {
		return r
	}
	r.wsi = strings.ReplaceAll(r.wsi, "$", "") // what it would take for a variable, setup refuses
	if err := os.Mkdir(filepath.Dir(r.wsi), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(wsi, r.wsi); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRelayFirstBrokenHooks is TestBrokenHooksAreSeen for them.
func TestRelayFirstBrokenHooks(t *testing.T) {
	for _, h := range relayFirst {
		if h.hooks == nil {
			continue
		}
		harness(t, h.id, h.version, h.binary)
		for name, c := range map[string]struct {
			script string // what stands in wsi's place; %[1]s is the real one
			want   string // regular expression
		}{
			"binary is gone":             {"", map[string]string{"cline-cli": "missing", "copilot-cli": "0 of 3 calls", "gemini-cli": "0 of 3 calls"}[h.id]},
			"hook crashes":               {"#!/bin/sh\nkill -9 $$\n", map[string]string{"cline-cli": "missing", "copilot-cli": "0 of 3 calls", "gemini-cli": "unknown"}[h.id]},
			"one character of the token": {"#!/bin/sh\n%[1]s \"$@\" | sed -E 's/(session_token\":\")(.)(.)/\\1\\3\\2/'\n", "unknown"},
			"nothing is captured":        {"#!/bin/sh\n[ \"$1\" = capture ] || exec %[1]s \"$@\"\n", "missing|unknown"},
			"the answer is misspelt":     {"#!/bin/sh\n%[1]s \"$@\" | sed -E 's/overrideInput|modifiedArgs|tool_input/x/'\n", "missing|unknown"},
			"the call is denied":         {"#!/bin/sh\necho '{\"cancel\":true,\"permissionDecision\":\"deny\",\"decision\":\"deny\",\"reason\":\"no\"}'\n", "0 of 3 calls"},
		} {
			t.Run(h.id+"-"+h.version+", "+name, func(t *testing.T) {
				t.Parallel()
				s := h.gets("", []string{"-place", h.hooks.place}, 1, 1)
				r := h.hookRig(t, s)
				if err := r.Setup(t.Context()); err != nil {
					t.Fatal(err)
				}
				replaceWsi(t, r, c.script)
				o, err := s.Run(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if o.OK() || !regexp.MustCompile(c.want).MatchString(o.String()) {
					t.Errorf("%s, want %s", o, c.want)
				}
			})
		}
	}
}

// TestRelayFirstDenied: where a hook can refuse a call, the server never sees it, and the model reads why.
func TestRelayFirstDenied(t *testing.T) {
	for _, h := range relayFirst {
		known, _ := registry.Get(h.id)
		if known.Capabilities.Deny == nil {
			continue
		}
		t.Run(h.id+"-"+h.version, func(t *testing.T) {
			t.Parallel()
			s := h.gets("", []string{"-place", h.hooks.place}, 1)
			r := h.hookRig(t, s)
			if err := r.Setup(t.Context()); err != nil {
				t.Fatal(err)
			}
			const why = "only the user's friend may call it"
			replaceWsi(t, r, "#!/bin/sh\n[ \"$1\" = capture ] || cat <<'END'\n"+string(known.Capabilities.Deny(why))+"END\n")
			o, err := s.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			read := slices.ContainsFunc(r.Model.bodies(), func(body []byte) bool { return bytes.Contains(body, []byte(why)) })
			if o.Calls > 0 || !read {
				t.Errorf("%s; the model reads why: %v", o, read)
			}
		})
	}
}
