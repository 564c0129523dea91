package qwencode

import "wsi/harnesses"

// Simulator simulates Qwen Code 0.24.4. It runs no hook of wsi before or after a call.
type Simulator struct{ harnesses.NoTranscript }

// Compacted returns the event behind a compaction.
func (Simulator) Compacted(p harnesses.ToolCall) []byte {
	o := harnesses.Object{
		"session_id", p.Session, "transcript_path", p.Transcript, "cwd", p.Cwd, "hook_event_name", compacted,
		"timestamp", "2026-11-22T10:00:00.000Z", "permission_mode", "yolo",
	}
	if p.Agent != "" {
		o = append(o, "agent_id", p.Agent)
	}
	return harnesses.JSONLine(append(o, "prompt_id", p.Session+"########0", "trigger", "auto", "compact_summary", "a summary"))
}

// Before returns nil.
func (Simulator) Before(harnesses.ToolCall) []byte { return nil }

// After returns nil.
func (Simulator) After(harnesses.ToolCall, []byte) []byte { return nil }

// Apply returns the model's arguments.
func (Simulator) Apply(p harnesses.ToolCall, _ []byte, _ int) ([]byte, error) { return p.Args, nil }

// Shell is bash, on Windows PowerShell.
func (Simulator) Shell(env harnesses.Env, command string) []string {
	if env.GOOS == "windows" {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", "$input | & " + command}
	}
	return []string{"bash", "-c", command}
}
