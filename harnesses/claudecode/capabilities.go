package claudecode

import (
	"time"

	"wsi/harnesses"
	"wsi/internal/rawjson"
)

// capabilities of 2.1.197 and 2.1.329. There is no SessionVariable: CLAUDE_CODE_SESSION_ID names no session with
// --continue, and keeps its value when /clear or /resume change the session.
func capabilities() harnesses.Capabilities {
	return harnesses.Capabilities{
		Deny: Codec{}.Deny, Tell: Codec{}.Tell, Rewrite: Codec{}.Rewrite, Remind: Codec{}.Remind,
		Transcripts: Codec{}.Transcripts, TranscriptLine: Codec{}.Line, ModelRead: Codec{}.ModelRead,
		AgentTranscripts: agentTranscripts, NamesCompacted: namesCompacted,
		// Cursor runs Claude Code's hooks, too.
		RunByOther: func(getenv func(string) string) bool {
			return getenv("CURSOR_VERSION") != "" && getenv("CLAUDECODE") == ""
		},
		Caller: caller,
		// Claude Code sends SIGINT, SIGTERM after 100 ms, and SIGKILL about 500 ms later, which ends the relay but
		// not the server.
		StopTimeout: 400 * time.Millisecond,
		History:     history(),
	}
}

// namesCompacted: 2.1.197 omits the agent of a compaction, and 2.1.330 names it. Each line has the version.
func namesCompacted(line []byte) bool {
	m, err := rawjson.Object(line)
	if err != nil {
		return false
	}
	version := m.String("version")
	return version != "" && !harnesses.Newer("2.1.330", version)
}

// caller returns the call's id, under which a hook has noted the caller.
func caller(meta, _ []byte) harnesses.Caller {
	return harnesses.Caller{Note: harnesses.Inside(meta).String("claudecode/toolUseId")}
}
