//go:build e2e

package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

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

// prepare has the model call the tools as soon as they are in the request.
func (d directly) prepare(r *Rig) {
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

// wsi doctor --live tells what OpenCode 2 delivers, in each way.
func TestDoctorLiveOpenCode2(t *testing.T) {
	for _, h := range openCode2s {
		for way, want := range map[setup.Mode]string{
			setup.ByRelay: "wsi's test server, with a session_token, saw 14 calls of 2 sessions, with 5 trace tokens: 12 of 12 right",
			setup.ByHooks: "opencode.live.delivered fail",
		} {
			t.Run(fmt.Sprintf("%s, %s", h, way), func(t *testing.T) {
				t.Parallel()
				u := newUser(t, h, "", way)
				if ids, said := u.red(); !strings.Contains(said, want) || len(ids) > 0 != (way == setup.ByHooks) {
					t.Errorf("red: %v, want %q in\n%s", ids, want, said)
				}
			})
		}
	}
}
