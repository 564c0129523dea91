package codex

import (
	"testing"

	"wsi/internal/testkit/codectest"
)

// The lines are shortened from rollouts of 0.169.0. Without an event the items of a call are all there is.
const rollout = `{"timestamp":"t","ordinal":0,"type":"session_meta","payload":{"id":"s","base_instructions":{"text":"be good"}}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"get_it","namespace":"mcp__my_shop","arguments":"{\"a\":1}","call_id":"c1"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"c1","server":"my-shop","tool":"get.it","arguments":{"a":1},"status":"completed","result":{"content":[{"type":"text","text":"it"}]}}}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"it"}]}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"c2","server":"my-shop","tool":"x","arguments":{},"status":"failed","error":{"message":"no"}}}}
{"type":"response_item","payload":{"type":"function_call","name":"mcp__shop__get","arguments":"{}","call_id":"c3"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}"}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c4"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** patch","call_id":"c5"}}
{"type":"response_item","payload":{"type":"custom_tool_call_output","output":"ok","call_id":"c5"}}
{"type":"event_msg","payload":{"type":"token_count"}}
{"type":"compacted","payload":{"message":"in short","replacement_history":[{"type":"message"}]}}
{"type":"compacted","payload":{"message":"","replacement_history":[{"encrypted_content":"x"}]}}
`

func TestHistory(t *testing.T) {
	want := []string{
		`told [{"type":"input_text","text":"go"}]`,
		`said [{"type":"output_text","text":"yes"}]`,
		`called id=c1 tool=my_shop/get_it args={"a":1}`,
		`called id=c1 tool=my-shop/get.it args={"a":1}`,
		`returned id=c1 block="it" {"content":[{"type":"text","text":"it"}]}`,
		`returned id=c1 block="it" [{"type":"input_text","text":"it"}]`,
		`called id=c2 tool=my-shop/x args={}`,
		`returned id=c2 failed `,
		`called id=c3 tool=shop/get args={}`,
		`returned id=c3 failed block="no" "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}"`,
		`said id=c4 "{\"cmd\":\"ls\"}"`,
		`said id=c5 "*** patch"`,
		`returned id=c5 block="ok" "ok"`,
		`compacted message=in short "in short" + [{"type":"message"}]`,
		`compacted `,
	}
	got, skipped := codectest.Steps(t, Harness(), rollout)
	if len(skipped) > 0 || len(got) != len(want) {
		t.Errorf("skipped %q, %d steps, want %d", skipped, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("\n got %s\nwant %s", got[i], want[i])
		}
	}
}

func FuzzHistory(f *testing.F) { codectest.FuzzHistory(f, Harness(), rollout) }
