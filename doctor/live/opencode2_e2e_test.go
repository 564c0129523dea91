//go:build e2e

package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
)

// openCode2s are the versions from npm, pinned, and openCode2Binary is a pattern below node_modules. The package
// opencode-ai, which has OpenCode 1, does not have OpenCode 2.
var openCode2s = []string{"2.0.15"}

const openCode2Binary = "@opencode/cli-linux-x64-baseline/bin/opencode"

// directly drives OpenCode 2 with a configuration of its own, by which the model calls the tools itself.
type directly struct{ openCode2 }

func (directly) configure(r *Rig, server []string) error {
	return r.write(".config/opencode/opencode.json", string(mustJSON(object{
		"model": "loopback/script",
		"providers": object{"loopback": object{
			"package": "aisdk:@ai-sdk/openai-compatible", "name": "loopback",
			"settings": object{"baseURL": r.Model.URL + "/v1", "apiKey": "loopback"},
			"models":   object{"script": object{"name": "script", "limit": object{"context": 100000, "output": 4000}}},
		}},
		"mcp": object{"servers": object{r.name: object{"type": "local", "command": server, "codemode": false}}},
	}))+"\n")
}

// speak has the model call the tools as soon as they are in the request.
func (d directly) speak(r *Rig) {
	d.openCode2.speak(r, func(tools json.RawMessage, _ []json.RawMessage) bool {
		return bytes.Contains(tools, []byte(r.tool("")))
	})
	r.Model.call = func(c Call, script string) namedCall {
		if c.Sub != "" {
			return r.scripted(c, script)
		}
		return namedCall{name: r.tool(c.Tool), args: c.arguments(script)}
	}
}

// openCode2Rig is rig for OpenCode 2. With direct, the model calls the server's tools itself, not from scripts.
func openCode2Rig(t *testing.T, version string, s Scenario, direct bool) *Rig {
	t.Helper()
	var d driver = openCode2{}
	if direct {
		d = directly{}
	}
	r, err := newRig(Options{
		Harness: opencode.ID, Binary: harness(t, opencode.ID, version, openCode2Binary), Wsi: linked(t), Dir: t.TempDir(), Path: os.Getenv("PATH"),
		Server: []string{server}, Flags: s.Flags, Script: s.Scripts,
	}, d)
	if err != nil {
		t.Fatal(err)
	}
	if direct {
		directly{}.speak(r)
	}
	onStage(r)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// openCode2Case is what OpenCode 2 is tried with.
type openCode2Case struct {
	way    setup.Mode
	direct bool
	s      Scenario
}

// openCode2Cases are those of OpenCode 1. Hooks see no _meta in OpenCode 2, so by hooks the server shows the token in the
// text, too.
func openCode2Cases() (all []openCode2Case) {
	for _, way := range ways[opencode.ID] {
		for _, s := range Scenarios {
			if !s.suits(opencode.ID, way) || s.Name == "token only in block-meta" && way == setup.ByHooks {
				continue
			}
			if way == setup.ByHooks && !slices.Contains(s.Flags, "-place") {
				s.Flags, s.Shown = append(slices.Clone(s.Flags), "-place", "meta,text"), true
			}
			all = append(all, openCode2Case{way, false, s})
			if way == setup.ByRelay { // what setup chooses
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
						t.Error("the model was shown the mark for the relay")
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
			r.Way = setup.ByHooks
			if wired {
				if err := r.Setup(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			o, err := s.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			record(opencode.ID, openCode2s[0], setup.ByHooks, name, o, start)
			if o.Right != 0 || o.OK() {
				t.Errorf("%s, want nothing carried", o)
			}
		})
	}
}

// wsi doctor --live tells what OpenCode 2 delivers, in each way.
func TestDoctorLiveOpenCode2(t *testing.T) {
	for _, version := range openCode2s {
		for way, want := range map[setup.Mode]string{
			setup.ByRelay: "wsi's test server, with a session_token, saw 14 calls of 2 sessions, with 5 trace tokens: 12 of 12 right",
			setup.ByHooks: "opencode.live.delivered fail",
		} {
			t.Run(fmt.Sprintf("%s-%s, %s", opencode.ID, version, way), func(t *testing.T) {
				t.Parallel()
				u := newUser(t, opencode.ID, harness(t, opencode.ID, version, openCode2Binary), "", way)
				if ids, said := u.red(); !strings.Contains(said, want) || len(ids) > 0 != (way == setup.ByHooks) {
					t.Errorf("red: %v, want %q in\n%s", ids, want, said)
				}
			})
		}
	}
}
