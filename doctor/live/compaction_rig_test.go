//go:build e2e

package live

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"wsi/harnesses"
	"wsi/internal/refserver"
	"wsi/internal/refserver/scripted"
)

// compacting is a harness whose conversation can be compacted headless.
type compacting struct {
	id, version string
	full        int                        // as many reported tokens make it compact
	env         []string                   // needed for that
	configure   func(config string) string // needed for that: its configuration
	config      string                     // that file
	summary     int                        // tokens to report of the request for the summary; 0 = few
	command     string                     // the prompt that makes it compact; "" = it has none headless
	tool        string                     // what its model writes before a tool's name; "" = as its codec reads it
	told        []harnesses.Mode           // the ways in which wsi hears of a failed call
	listed      []harnesses.Mode           // the ways in which wsi lists ids after a compaction
	late        bool                       // the list comes with the result of the next call
	lingers     string                     // it prints this once it has compacted, and sometimes does not end then, also without wsi; "" = it ends
}

var (
	hooksAlone   = []harnesses.Mode{harnesses.ByHooks}
	relayAlone   = []harnesses.Mode{harnesses.ByRelay}
	hooksOrRelay = []harnesses.Mode{harnesses.ByHooks, harnesses.ByRelay}
)

var compactingHarnesses = []compacting{
	{id: "claude-code", version: "2.1.197", full: 198_000, env: []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}, command: "/compact", told: hooksOrRelay, listed: hooksAlone},
	{id: "claude-code", version: "2.1.330", full: 198_000, env: []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}, command: "/compact", told: hooksOrRelay, listed: hooksAlone},
	{id: "codex", version: "0.169.0", full: 50_000, told: relayAlone, listed: hooksOrRelay, config: ".codex/config.toml", configure: func(config string) string {
		return "model_auto_compact_token_limit = 20000\n" + config
	}},
	{id: "opencode", version: "1.18.33", full: 99_000, told: hooksOrRelay, listed: hooksAlone},
	{id: "qwen-code", version: "0.24.4", full: 178_500, summary: 178_400, command: "/compress", tool: "mcp__shop__", told: relayAlone, listed: relayAlone, late: true},
	{id: "copilot-cli", version: "1.0.102", full: 120_000, command: "/compact", tool: "shop-", told: hooksOrRelay, listed: hooksOrRelay, late: true, lingers: "Compacted conversation history"},
	{id: "gemini-cli", version: "0.61.0", tool: "mcp_shop_", told: relayAlone}, // headless it never compacts what the same process was told
}

// tellsAgents reports whether wsi can tell whose conversation was compacted, and whose a call is. Else it lists nothing in
// a session with two agents.
func (c compacting) tellsAgents(way harnesses.Mode) bool {
	return c.version != "2.1.197" && (c.tool == "" || way != harnesses.ByRelay)
}

func (c compacting) name() string { return c.id + "-" + c.version }

// shopSession is one session of a harness with the shop.
type shopSession struct {
	*Rig
	t       *testing.T
	of      compacting
	model   *talker
	session string
	steps   int
	tools   []scripted.Tool
	answers []scripted.Answer
}

// shop is the MCP server's name. It hands out ids, as servers without a rule do.
const shop = "shop"

// refused is what it says of a call that fails, as servers do that blame the wrong thing.
const refused = "permission denied"

// newID makes a UUID, as the shop does.
func newID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// calls is a call of the model to the shop, and what the shop answers.
func (c *shopSession) calls(tool string, args, answer object, tokens int) says {
	c.steps++
	step := string(rune('a' + c.steps))
	typed := object{"step": step}
	for name, value := range args {
		typed[name] = value
	}
	result := object{"content": []object{{"type": "text", "text": string(mustJSON(answer))}}}
	if answer == nil {
		result = object{"content": []object{{"type": "text", "text": refused}}, "isError": true}
	}
	if !slices.ContainsFunc(c.tools, func(t scripted.Tool) bool { return t.Name == tool }) {
		c.tools = append(c.tools, scripted.Tool{Name: tool, Schema: json.RawMessage(`{"type":"object","properties":{"step":{"type":"string"},"basket_id":{"type":"string"}}}`)})
	}
	c.answers = append(c.answers, scripted.Answer{Step: step, Tool: tool, Result: mustJSON(result)})
	return says{Call: Call{Tool: tool, Args: string(mustJSON(typed))}, tokens: tokens}
}

func (c *shopSession) creates(id string) says {
	return c.calls("create_basket", nil, object{"basket_id": id}, 0)
}

func (c *shopSession) fills(id string) says {
	return c.calls("add_item", object{"basket_id": id}, object{"basket_id": id, "items": 1}, 0)
}

func (c *shopSession) fails(id string) says {
	return c.calls("add_item", object{"basket_id": id}, nil, 0)
}

// looks is a call without an id.
func (c *shopSession) looks(tokens int) says {
	return c.calls("show_prices", nil, object{"bread": 2}, tokens)
}

// spawns starts a sub-agent.
func (c *shopSession) spawns(script string) says {
	if c.of.tool == "" {
		return says{Call: Call{Sub: script}}
	}
	return says{Call: spawning[c.of.id].spawn(script)[0]}
}

func (c *shopSession) ends(tokens int) says { return says{tokens: tokens} }

// opens makes the harness's home. say gives the model its scripts.
func opens(t *testing.T, h compacting, say func(c *shopSession) map[string][]says) *shopSession {
	t.Helper()
	c := &shopSession{t: t, of: h, model: &talker{summary: h.summary}}
	c.model.scripts = say(c)
	scripts := Scripts{}
	for name, all := range c.model.scripts { // what the user permits
		for _, s := range all {
			scripts[name] = append(scripts[name], Turn{s.Call})
		}
	}
	if h.tool == "" {
		i := slices.IndexFunc(installed, func(i struct{ harness, version, binary string }) bool {
			return i.harness == h.id && i.version == h.version
		})
		r, err := New(Options{
			Harness: h.id, Binary: harness(t, h.id, h.version, installed[i].binary), Wsi: linked(t), Name: shop, Dir: t.TempDir(), Path: os.Getenv("PATH"), Script: scripts,
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Rig, c.model.tool = r, r.tool
	} else {
		i := slices.IndexFunc(relayFirst, func(i relayFirstHarness) bool { return i.id == h.id })
		c.model.tool = spawning[h.id].naming(func(name string) string { return h.tool + name })
		c.Rig = relayFirst[i].rig(t, Scenario{Scripts: scripts}, c.model.tool, wsi)
		c.name = shop
	}
	model, err := c.model.start()
	if err == nil {
		err = c.Rig.Close() // the model that goes by the conversation
		c.Model = model
	}
	if err == nil {
		err = c.driver.configure(c.Rig, c.shop())
	}
	if err == nil {
		err = scripted.Write(c.Server, c.tools, c.answers)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.close() })
	if h.configure != nil {
		c.edit(h.config, h.configure)
	}
	return c
}

// shop is the command line of the server.
func (c *shopSession) shop() []string {
	return []string{c.wsi, refserver.Command, "--kind", scripted.Kind, "--state", c.Server}
}

// edit changes a file of the user's.
func (c *shopSession) edit(name string, change func(string) string) {
	c.t.Helper()
	old, err := os.ReadFile(filepath.Join(c.Home, filepath.FromSlash(name)))
	if err == nil {
		err = c.write(name, change(string(old)))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// works runs the harness with the prompt for a script, in the same session as before.
func (c *shopSession) works(script string) {
	c.t.Helper()
	c.prompts("Work through the script. " + marker(script))
	if asked, said := len(c.model.of(script)), len(c.model.scripts[script]); asked < said {
		c.t.Fatalf("the model was asked for %d of %d turns of %q", asked, said, script)
	}
}

// prompts runs the harness with a prompt.
func (c *shopSession) prompts(prompt string) {
	c.t.Helper()
	args, env := c.driver.command(c.Rig, "first", c.session, prompt)
	out, err := c.run(c.t.Context(), c.binary, args, append(env, c.of.env...))
	lingered := c.of.lingers != "" && prompt == c.of.command && bytes.Contains(out, []byte(c.of.lingers))
	if err != nil && !lingered {
		c.t.Fatalf("%s: %v\n%s", prompt, err, tail(out))
	}
	if id := c.driver.session("first", out); c.session == "" {
		c.session = id
	}
	if refused := c.Model.Refused(); len(refused) > 0 {
		c.t.Errorf("the harness asked for %v", refused)
	}
}

// arrived fails the test unless the shop got all calls of the scripts.
func (c *shopSession) arrived() {
	c.t.Helper()
	arrived, err := scripted.Arrived(c.Server)
	if err != nil || len(arrived) != len(c.answers) {
		c.t.Errorf("the shop got %d of %d calls: %v", len(arrived), len(c.answers), err)
	}
}

// keepIDs registers wsi with the harness so that it keeps the shop's ids.
func (c *shopSession) keepIDs(way harnesses.Mode) {
	c.t.Helper()
	c.Way = way
	if err := c.Setup(c.t.Context(), "--handles", "all"); err != nil {
		c.t.Fatal(err)
	}
}
