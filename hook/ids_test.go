package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wsi/hook/journal"
	"wsi/hook/vault"
)

const basket, order = "550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"

// keeper is Claude Code with a shop whose ids are kept.
type keeper struct {
	*world
	Options

	session, transcript string
	n                   int
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	w := newWorld(t)
	return &keeper{
		world: w, session: "one", transcript: filepath.Join(w.home, "one.jsonl"),
		Options: Options{Verb: "capture", Harness: "claude-code", Servers: []string{"flows"}, Handles: []string{"shop"}},
	}
}

// event runs a hook with an event of Claude Code and returns what the model is told.
func (k *keeper) event(name string, more map[string]any) (told string) {
	k.t.Helper()
	k.n++
	event := map[string]any{"session_id": k.session, "transcript_path": k.transcript, "hook_event_name": name, "tool_use_id": fmt.Sprint("toolu_", k.n)}
	for key, v := range more {
		event[key] = v
	}
	raw, err := json.Marshal(event)
	if err != nil {
		k.t.Fatal(err)
	}
	var out bytes.Buffer
	Run(Env{Stdin: bytes.NewReader(raw), Stdout: &out, Getenv: func(key string) string { return k.env[key] }, Home: k.home, GOOS: "linux"}, k.Options)
	if out.Len() == 0 {
		return ""
	}
	var answer struct {
		Of struct {
			Event string `json:"hookEventName"`
			Told  string `json:"additionalContext"`
			Other any    `json:"updatedToolOutput"` // of a rule
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.Of.Event != name || answer.Of.Told == "" && answer.Of.Other == nil {
		k.t.Fatalf("answer to %s: %v: %s", name, err, out.Bytes())
	}
	return answer.Of.Told
}

func (k *keeper) call(tool, args, result string) {
	k.t.Helper()
	if told := k.event("PostToolUse", map[string]any{"tool_name": "mcp__" + tool, "tool_input": json.RawMessage(args), "tool_response": []any{map[string]any{"type": "text", "text": result}}}); told != "" {
		k.t.Errorf("after a call that succeeded: %s", told)
	}
}

func (k *keeper) fail(tool, args, message string) (told string) {
	k.t.Helper()
	return k.event("PostToolUseFailure", map[string]any{"tool_name": "mcp__" + tool, "tool_input": json.RawMessage(args), "error": message})
}

func (k *keeper) compact() (told string) {
	k.t.Helper()
	return k.event("SessionStart", map[string]any{"source": "compact"})
}

func id(name, value string) string { return `{"` + name + `":"` + value + `"}` }

func TestIDsSurviveCompaction(t *testing.T) {
	k := newKeeper(t)
	if got := k.compact(); got != "" {
		t.Errorf("nothing was seen: %s", got)
	}
	k.call("shop__create_basket", `{}`, id("basket_id", basket))
	k.call("shop__list_orders", `{}`, id("order_id", order))
	k.call("other__create", `{}`, id("id", "11111111-2222-4333-8444-555555555555"))
	want := "wsi: ids seen earlier in this conversation, for reference; nothing to do:\n- " + basket + " (shop create_basket, basket_id)\n"
	if got := k.compact(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	k.call("shop__get_order", id("order_id", order), `{}`)
	if got := k.compact(); !strings.Contains(got, order+" (shop list_orders, order_id)") {
		t.Errorf("an id that the model passed is missing: %s", got)
	}
	if e := k.last(); e.Did != journal.Told || e.Session == "" {
		t.Errorf("%+v", e)
	}
	if got := k.event("SessionStart", map[string]any{"source": "startup"}); got != "" {
		t.Errorf("at the start of a session: %s", got)
	}
	k.session = "two"
	if got := k.compact(); got != "" {
		t.Errorf("another session's ids: %s", got)
	}
}

func TestAgentsHaveTheirOwnIDs(t *testing.T) {
	k := newKeeper(t)
	if err := os.WriteFile(k.transcript, []byte(`{"type":"user","version":"2.1.330"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.call("shop__create_basket", `{}`, id("basket_id", basket))
	k.event("PostToolUse", map[string]any{"agent_id": "a1", "tool_name": "mcp__shop__create_order", "tool_input": map[string]any{}, "tool_response": id("order_id", order)})
	if got := k.compact(); !strings.Contains(got, basket) || strings.Contains(got, order) {
		t.Error(got)
	}
	if got := k.event("SessionStart", map[string]any{"source": "compact", "agent_id": "a1"}); strings.Contains(got, basket) || !strings.Contains(got, order) {
		t.Error(got)
	}
}

// Claude Code 2.1.197 compacts a sub-agent's conversation without saying so. The main agent's ids are not for it.
func TestACompactionThatMayBeASubAgents(t *testing.T) {
	for version, listed := range map[string]bool{"2.1.197": false, "2.1.330": true, "3.0.1": true, "": false} {
		for _, known := range []string{"by its transcript", "by its calls"} {
			k := newKeeper(t)
			k.call("shop__create_basket", `{}`, id("basket_id", basket))
			if err := os.WriteFile(k.transcript, []byte(`{"type":"user","version":"`+version+`"}`+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := k.compact(); !strings.Contains(got, basket) {
				t.Errorf("%s: without a sub-agent: %q", version, got)
			}
			if known == "by its calls" {
				k.event("PostToolUse", map[string]any{"agent_id": "a1", "tool_name": "mcp__shop__list", "tool_input": map[string]any{}, "tool_response": "none"})
			} else if err := os.MkdirAll(filepath.Join(k.home, "one", "subagents"), 0o700); err != nil {
				t.Fatal(err)
			}
			if got := k.compact(); strings.Contains(got, basket) != listed {
				t.Errorf("%s, a sub-agent known %s: %q", version, known, got)
			}
		}
	}
}

// Codex tells its sub-agents nothing after a compaction, so that they read the list with their next result.
func TestCodexTellsASubAgentLater(t *testing.T) {
	k := newKeeper(t)
	k.Harness = "codex"
	of := func(agent string, more map[string]any) map[string]any { more["agent_id"] = agent; return more }
	made := map[string]any{"tool_name": "mcp__shop__create_order", "tool_input": map[string]any{}, "tool_response": id("order_id", order)}
	k.event("PostToolUse", of("a1", made))
	if got := k.event("PostCompact", of("a1", map[string]any{"trigger": "auto"})); got != "" {
		t.Errorf("PostCompact takes no text: %s", got)
	}
	k.call("shop__create_basket", `{}`, id("basket_id", basket))
	got := k.event("PostToolUse", of("a1", map[string]any{"tool_name": "mcp__shop__list", "tool_input": map[string]any{}, "tool_response": "none"}))
	if !strings.Contains(got, order) || strings.Contains(got, basket) {
		t.Errorf("%q", got)
	}
	if got := k.event("PostToolUse", of("a1", made)); got != "" {
		t.Errorf("told twice: %q", got)
	}
}

func TestHintAfterAFailure(t *testing.T) {
	k := newKeeper(t)
	k.call("shop__create_basket", `{}`, id("basket_id", basket))
	k.call("shop__create_order", `{}`, id("order_id", order))
	typed := strings.Replace(basket, "5", "6", 1)
	want := "wsi: the basket_id you passed is not one that shop returned; it differs in 1 place from " + basket + " (create_basket, 2 calls ago)"
	if got := k.fail("shop__add", id("basket_id", typed), "no basket "+typed); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	if e := k.last(); e.Did != journal.Told || e.Server != "shop" || e.Tool != "add" {
		t.Errorf("%+v", e)
	}
	if got := k.fail("shop__add", id("basket_id", basket), "the shop is closed"); got != "" {
		t.Errorf("the id was right: %s", got)
	}
	if got := k.fail("other__add", id("basket_id", typed), "no basket"); got != "" {
		t.Errorf("another server: %s", got)
	}
	k.call("shop__add", id("basket_id", typed), `{}`)
	if got := k.fail("shop__add", id("basket_id", typed), "the shop is closed"); got != "" {
		t.Errorf("the server had taken it: %s", got)
	}
}

// The model may have an id from its user, or from a tool whose ids are not kept. What it wrote itself, and the failed
// result, do not count.
func TestAnIDOfTheConversationIsNotDoubted(t *testing.T) {
	typed := strings.Replace(basket, "5", "6", 1)
	for name, c := range map[string]struct {
		line  string
		doubt bool
	}{
		"a prompt":       {`{"type":"user","message":{"role":"user","content":"use ` + typed + `"}}`, false},
		"another result": {`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_x","type":"tool_result","content":"` + typed + `"}]}}`, false},
		"its own result": {`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_2","type":"tool_result","content":"no ` + typed + `"}]}}`, true},
		"its own words":  {`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_2","input":{"basket_id":"` + typed + `"}}]}}`, true},
	} {
		k := newKeeper(t)
		if err := os.WriteFile(k.transcript, []byte(c.line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		k.call("shop__create_basket", `{}`, id("basket_id", basket))
		if got := k.fail("shop__add", id("basket_id", typed), "no basket"); (got != "") != c.doubt {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A rule's value that the model must not see is never listed; its alias is.
func TestSecretsAreNotKept(t *testing.T) {
	const secret, shown = "bsk_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6", "550e8400-e29b-41d4-a716-446655440001"
	for _, kind := range []string{"secret", "alias"} {
		k := newKeeper(t)
		k.Servers = []string{"shop"}
		k.rulesFile(`
[[carry]]
name = "basket"
servers = ["shop"]
secret = ` + strconv.FormatBool(kind == "secret") + `
[carry.capture]
from = ["json:basket"]
tools = ["open"]
[[carry.inject]]
tools = ["add"]
argument = "basket"
[carry.alias]
mode = "` + map[string]string{"secret": "off", "alias": "on"}[kind] + `"
`)
		k.call("shop__open", `{}`, `{"basket":"`+secret+`","id":"`+shown+`"}`)
		k.call("shop__add", `{"basket":"`+secret+`","id":"`+shown+`"}`, `{}`)
		got := k.compact()
		if strings.Contains(got, secret) || !strings.Contains(got, shown) || strings.Contains(got, "- wsi:") != (kind == "alias") {
			t.Errorf("%s: %s", kind, got)
		}
		all, err := filepath.Glob(filepath.Join(k.home, "state", "handles", "*"))
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if content, err := os.ReadFile(all[0]); err != nil || strings.Contains(string(content), secret) {
			t.Errorf("%v: %s", err, content)
		}
	}
}

// A value that looks like a secret rule's is not kept, though the rule did not capture it; nor is anything of a call
// whose values could not be stored, because wsi then does not know them.
func TestSecretsThatNoRuleCaptured(t *testing.T) {
	const secret, shown = "bsk_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6", "550e8400-e29b-41d4-a716-446655440001"
	kept := func(k *keeper) string {
		content, err := os.ReadFile(filepath.Join(k.home, "state", "handles", vault.SessionKey("claude-code", k.session)+".jsonl"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(content)
	}
	for _, shape := range []string{"", "shape = '^bsk_[a-z0-9]+$'"} {
		k := newKeeper(t)
		k.Servers = []string{"shop"}
		k.rulesFile("[[carry]]\nname = \"basket\"\nservers = [\"shop\"]\n" + shape + "\n[carry.capture]\nfrom = [\"json:basket\"]\ntools = [\"open\"]\n[[carry.inject]]\ntools = [\"add\"]\nargument = \"basket\"\n")
		if shape == "" {
			if err := errors.Join(os.MkdirAll(filepath.Join(k.home, "state"), 0o700), os.WriteFile(filepath.Join(k.home, "state", "vault"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			k.call("shop__open", `{}`, `{"basket":"`+secret+`","id":"`+shown+`"}`)
		} else {
			k.call("shop__show", `{}`, `{"basket":"`+secret+`","id":"`+shown+`"}`)
			if !strings.Contains(kept(k), shown) {
				t.Error("nothing is kept")
			}
		}
		if strings.Contains(kept(k), secret) {
			t.Errorf("%q: the secret is kept: %s", shape, kept(k))
		}
	}
}
