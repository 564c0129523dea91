// Package claudecode is what hooks and relays must know of Claude Code. Package setup/claudecode has the rest.
package claudecode

import (
	"time"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "claude-code"

// Dialect returns how Claude Code speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Capabilities: capabilities()}
}

// capabilities of 2.1.197 and 2.1.329. There is no SessionVariable: CLAUDE_CODE_SESSION_ID names no session with
// --continue, and keeps its value when /clear or /resume change the session.
func capabilities() harnesses.Capabilities {
	return harnesses.Capabilities{
		// The model reads the reason as the result, which is marked as an error.
		Deny: harnesses.Saying(harnesses.ClaudeDeny),
		// Without a permissionDecision the user's permissions stay as they are.
		Tell: harnesses.Saying(harnesses.ClaudeTell),
		// output is an array of blocks or a string, as in the event. The old name of the field is updatedMCPToolOutput.
		Rewrite: func(output []byte) []byte {
			return harnesses.Render(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":%s}}`, output)
		},
		// The text is in the next request to the model, next to the results of the batch (2.1.330). An answer to PostToolUse could
		// show it there as well, but _meta is not known by then.
		Add:         harnesses.Adding(harnesses.Batch, `{"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":%s}}`),
		Transcripts: Codec{}.Transcripts, TranscriptLine: Codec{}.Line,
		// Cursor runs Claude Code's hooks, too.
		RunByOther: func(getenv func(string) string) bool {
			return getenv("CURSOR_VERSION") != "" && getenv("CLAUDECODE") == ""
		},
		Caller: caller,
		// Claude Code sends SIGINT, SIGTERM after 100 ms, and SIGKILL about 500 ms later, which ends the relay but
		// not the server.
		StopTimeout: 400 * time.Millisecond,
	}
}

// caller returns the call's id, under which a hook has noted the caller.
func caller(meta, _ []byte) harnesses.Caller {
	return harnesses.Caller{Note: harnesses.Inside(meta).String("claudecode/toolUseId")}
}
