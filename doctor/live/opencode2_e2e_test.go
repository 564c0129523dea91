//go:build e2e

package live

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/opencode"
	"wsi/internal/refserver"
	"wsi/internal/refserver/scripted"
)

// openCode2s are the versions from npm, pinned, and openCode2Binary is a pattern below node_modules. The package
// opencode-ai, which has OpenCode 1, does not have OpenCode 2.
var openCode2s = []string{"2.0.15"}

const openCode2Binary = "@opencode/cli-linux-x64-baseline/bin/opencode"

// openCode2Rig is rig for OpenCode 2. With direct, the model calls the server's tools itself, not from scripts.
func openCode2Rig(t *testing.T, version string, s Scenario, direct bool) *Rig {
	t.Helper()
	return openCode2Home(t, version, Options{Server: []string{server}, Flags: s.Flags, Script: s.Scripts}, openCode2{direct: direct})
}

// openCode2Home makes a home for OpenCode 2. The options lack what every home has.
func openCode2Home(t *testing.T, version string, o Options, d openCode2) *Rig {
	t.Helper()
	o.Harness, o.Binary, o.Wsi, o.Dir, o.Path = opencode.ID, harness(t, opencode.ID, version, openCode2Binary), linked(t), t.TempDir(), os.Getenv("PATH")
	r, err := newRig(o, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// openCode2Case is what OpenCode 2 is tried with.
type openCode2Case struct {
	way    harnesses.Mode
	direct bool
	s      Scenario
}

// openCode2Cases are those of OpenCode 1. Hooks see no _meta in OpenCode 2, so by hooks the server shows the token in the
// text, too.
func openCode2Cases() (all []openCode2Case) {
	for _, way := range ways[opencode.ID] {
		for _, s := range Scenarios {
			if !s.suits(opencode.ID, way) || s.Name == "token only in block-meta" && way == harnesses.ByHooks {
				continue
			}
			if way == harnesses.ByHooks && !slices.Contains(s.Flags, "-place") {
				s.Flags, s.Shown = append(slices.Clone(s.Flags), "-place", "meta,text"), true
			}
			all = append(all, openCode2Case{way, false, s})
			if way == harnesses.ByJoin { // what setup chooses
				all = append(all, openCode2Case{way, true, s})
			}
		}
	}
	return all
}

// TestOpenCode2 is TestHarnesses for OpenCode 2, with the same plugin.
func TestOpenCode2(t *testing.T) {
	for _, version := range openCode2s {
		t.Run(opencode.ID+"-"+version, func(t *testing.T) {
			harness(t, opencode.ID, version, openCode2Binary) // installed before two want it at once
			for _, c := range openCode2Cases() {
				name := fmt.Sprintf("%s, direct %v", c.s.Name, c.direct)
				t.Run(string(c.way)+", "+name, func(t *testing.T) {
					t.Parallel()
					start := time.Now()
					r := openCode2Rig(t, version, c.s, c.direct)
					r.Way = c.way
					o := runWired(t, r, c.s)
					record(opencode.ID, version, c.way, name, o, start)
					if !o.OK() {
						t.Errorf("%s", o)
					}
					if bytes.Contains(bytes.Join(r.Model.bodies(), nil), []byte(harnesses.MarkArgument)) {
						t.Error("the model was shown the mark of a join")
					}
				})
			}
		})
	}
}

// TestOpenCode2Limits is what a plugin does not see in OpenCode 2, and what is carried without one: nothing.
func TestOpenCode2Limits(t *testing.T) {
	s := Scenarios[0]
	for name, wired := range map[string]bool{"limit: hooks see no _meta": true, "without wsi": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := openCode2Rig(t, openCode2s[0], s, true)
			r.Way = harnesses.ByHooks
			if wired {
				if err := r.Setup(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			o, err := s.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			record(opencode.ID, openCode2s[0], harnesses.ByHooks, name, o, start)
			if o.Right != 0 || o.OK() {
				t.Errorf("%s, want nothing carried", o)
			}
		})
	}
}

// wsi doctor --live tells what OpenCode 2 delivers, in each way.
func TestDoctorLiveOpenCode2(t *testing.T) {
	for _, version := range openCode2s {
		for way, want := range map[harnesses.Mode]string{
			harnesses.ByJoin:  "the server saw 11 calls of 2 sessions: 9 of 9 right",
			harnesses.ByRelay: "the server saw 10 calls of 2 sessions: 8 of 8 right",
			harnesses.ByHooks: "opencode.live.delivered fail",
		} {
			t.Run(fmt.Sprintf("%s-%s, %s", opencode.ID, version, way), func(t *testing.T) {
				t.Parallel()
				u := newUser(t, opencode.ID, harness(t, opencode.ID, version, openCode2Binary), "", way)
				if ids, said := u.red(); !strings.Contains(said, want) || len(ids) > 0 != (way == harnesses.ByHooks) {
					t.Errorf("red: %v, want %q in\n%s", ids, want, said)
				}
			})
		}
	}
}

// TestOpenCode2KeepsIDs: behind a call that failed the model reads which id it may have meant, and behind a summary which
// ids there are; without wsi neither.
func TestOpenCode2KeepsIDs(t *testing.T) {
	for _, version := range openCode2s {
		for _, with := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s-%s, wsi %v", opencode.ID, version, with), func(t *testing.T) {
				t.Parallel()
				basket, other := newID(), newID()
				c := &shopSession{t: t}
				script := Script{}
				for _, says := range []says{c.creates(basket), c.creates(other), c.fills(basket), c.fails(mistyped(basket)), c.looks(0)} {
					says.Bare = true
					script = append(script, Turn{says.Call})
				}
				r := openCode2Home(t, version, Options{
					Name: shop, Server: []string{wsi, refserver.Command}, Flags: []string{"--kind", scripted.Kind}, Script: Scripts{"first": script},
				}, openCode2{direct: true, full: len(script)})
				r.Model.chat = summarizing(r.Model.chat)
				if err := scripted.Write(r.Server, c.tools, c.answers); err != nil {
					t.Fatal(err)
				}
				if with {
					r.Way = harnesses.ByHooks
					if err := r.Setup(t.Context(), "--handles", "all"); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := r.Prompt(t.Context(), "first", ""); err != nil {
					t.Fatal(err)
				}
				requests := r.Model.bodies()
				last := requests[len(requests)-1]
				if !bytes.Contains(last, []byte("<conversation-checkpoint>")) {
					t.Fatalf("after %d requests the conversation was not compacted", len(requests))
				}
				if card, all := shows(last, basket); with != (card == 1) || with != (all == 1) {
					t.Errorf("the id is %d times in a list and %d times in all", card, all)
				}
				hinted := 0
				for _, request := range requests {
					hinted = max(hinted, bytes.Count(request, []byte("1 place from "+basket)))
				}
				if with != (hinted == 1) {
					t.Errorf("%d hints in a request", hinted)
				}
			})
		}
	}
}

// summarizing has a model answer requests for a summary in the form that OpenCode 2 wants.
func summarizing(chat func([]byte, *stream) error) func([]byte, *stream) error {
	const summary = "## Objective\n- baskets\n\n## Requirements\n- (none)\n\n## Decisions\n- (none)\n\n## Work State\n### Completed\n- (none)\n\n### Active\n- (none)\n\n" +
		"### Blocked\n- (none)\n\n## Next Move\n1. (none)\n\n## Relevant Files\n(none)\n\n## Important Context\n- (none)\n"
	return func(body []byte, s *stream) error {
		if !bytes.Contains(body, []byte("You MUST summarize the conversation")) {
			return chat(body, s)
		}
		for _, e := range []object{chunk("script", object{"role": "assistant", "content": summary}, nil), chunk("script", object{}, "stop")} {
			if err := s.event("", e); err != nil {
				return err
			}
		}
		return s.write("", []byte("data: [DONE]\n\n"))
	}
}
