// Package codex is what hooks and relays must know of Codex. Package setup/codex has the rest.
package codex

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "codex"

// Dialect returns how Codex speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Capabilities: harnesses.Capabilities{
		Deny: harnesses.Saying(harnesses.ClaudeDeny), // the reason replaces the result
		// A developer message, here and in Add. Without changed arguments, "allow" must be omitted.
		Tell:        harnesses.Saying(harnesses.ClaudeTell),
		Add:         harnesses.Adding(harnesses.After, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":%s}}`),
		Transcripts: Codec{}.Transcripts, TranscriptLine: Codec{}.Line,
		NoHookAfterFailure: true, // the result is in the transcript before the next hook runs
		Caller:             caller,
	}}
}

// caller reads _meta (0.169.0). In a sub-agent the thread differs from the session.
func caller(meta, _ []byte) harnesses.Caller {
	members := harnesses.Inside(meta)
	session, thread := members.String("sessionId"), members.String("threadId")
	switch thread {
	case "":
		return harnesses.Caller{}
	case session:
		thread = ""
	}
	return harnesses.Caller{Session: session, Agent: thread}
}
