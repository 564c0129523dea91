package guided

import (
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/recorder"
	"wsi/internal/lists"
	"wsi/internal/refserver"
)

// learnt has facts about the harness that the calls have shown and its documentation does not state.
func learnt(calls []refserver.Call, records []recorder.Record) []string {
	if len(records) == 0 {
		return nil
	}
	before, after := only(records, harnesses.Inject), only(records, harnesses.Capture)
	facts := []string{"", "What this has shown of the harness:"}
	say := func(fact string) { facts = append(facts, "  - "+fact) }
	ask := func(fact string, seen, yes bool) {
		switch {
		case !seen:
			say(fact + ": not seen")
		case yes:
			say(fact + ": yes")
		default:
			say(fact + ": no")
		}
	}
	injected := slices.ContainsFunc(before, func(r recorder.Record) bool { return r.Did == string(carry.Injected) })
	right := slices.ContainsFunc(calls, func(c refserver.Call) bool { return c.Verdict == refserver.Right })
	failed := slices.ContainsFunc(calls, func(c refserver.Call) bool { return c.Error })
	ask("changed arguments reach the server", injected, right)
	ask("a result's _meta is shown to hooks", len(after) > 0, anyHas(after, "_meta"))
	ask("structured content is shown to hooks", len(after) > 0, anyHas(after, "structuredContent"))
	ask("the event before a call names the server", len(before) > 0, anyHas(before, "mcp_server_name"))
	ask("results that are errors are shown to hooks", failed, slices.ContainsFunc(after, errs))
	ask("a call without a required argument reaches the hook", len(before) > 1, slices.ContainsFunc(before, lacks))
	say(fmt.Sprintf("the hook before a call ran %d times for %d calls", len(before), len(calls)))
	say("events: " + strings.Join(texts(records, "hook_event_name"), ", "))
	say("tools are called: " + strings.Join(texts(before, "tool_name"), ", "))
	return facts
}

func only(records []recorder.Record, verb string) []recorder.Record {
	return slices.DeleteFunc(slices.Clone(records), func(r recorder.Record) bool { return r.Verb != verb })
}

func anyHas(records []recorder.Record, member string) bool {
	return slices.ContainsFunc(records, func(r recorder.Record) bool {
		return has(r.Event, func(key string, _ any) bool { return key == member })
	})
}

func errs(r recorder.Record) bool {
	return has(r.Event, func(key string, v any) bool {
		return key == "isError" && v == true || key == "hook_event_name" && v == "postToolUseFailure"
	})
}

// lacks reports whether an event's call has no session_token although its tool requires one.
func lacks(r recorder.Record) bool {
	event, _ := r.Event.(map[string]any)
	name, _ := event["tool_name"].(string)
	return !strings.HasSuffix(name, "start_session") && !has(event["tool_input"], func(key string, _ any) bool { return key == "session_token" })
}

// has looks for a member anywhere in a skeleton.
func has(v any, want func(key string, v any) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if want(key, inner) || has(inner, want) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return has(inner, want) })
	}
	return false
}

// texts returns the distinct texts of a member of events.
func texts(records []recorder.Record, member string) (all []string) {
	for _, r := range records {
		event, _ := r.Event.(map[string]any)
		text, _ := event[member].(string)
		all = lists.AddUnique(all, text)
	}
	return all
}
