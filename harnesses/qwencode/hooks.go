package qwencode

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
)

// events of 0.24.4 (read).
var events = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest", "PermissionDenied", "SubagentStart",
	"SubagentStop", "PreCompact", "PostCompact", "SessionStart", "SessionEnd", "SessionDelete", "Stop", "StopFailure", "Notification",
	"InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion", "MessageDisplay", "TodoCreated", "TodoCompleted",
}

// toolEvents have a matcher for the names of tools.
var toolEvents = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"}

// tools returns the names that a matcher can have for Qwen Code's own tools (read in 0.24.4).
func tools() []string {
	return strings.Fields(`
	Agent AgentTool Artifact AskUserQuestion AskUserQuestionTool Bash CaptionAudio CaptionImage ClipAudio ClipImage
	ClipVideo ConvertImage CreateSubSession CreateSubSessionTool CronCreate CronDelete CronList DisplayImage
	DownsampleAudio DownsampleImage DownscaleVideo Edit EditTool EnterPlanMode EnterPlanModeTool EnterWorktree Exec
	ExecTool ExitPlanMode ExitPlanModeTool ExitWorktree ExtractAudio ExtractKeyframes FindFiles GetGoal Glob GlobTool Goal
	Grep GrepTool ImageGen ImageGenTool ListAgents ListAgentsTool ListFiles ListFilesTool LoopWakeup LoopWakeupTool Lsp
	LspTool Monitor MonitorTool NotebookEdit NotebookEditTool OcrImage ProposeGoal ProposeGoalTool Read ReadFile
	ReadFileTool ReadFolder ReadMcpResource ReadMcpResourceTool RecallMediaMemory RecordArtifact RecordSource
	ReportFindings RequestShutdown SaveMemory SaveMemoryTool SearchFiles SendMessage SendMessageTool Shell ShellTool Skill
	SkillTool StructuredOutput Task TaskCreate TaskList TaskStop TaskTool TaskUpdate TeamCreate TeamDelete
	TeamPlanApproval TodoList TodoWrite TodoWriteTool ToolCall ToolCallTool ToolSearch ToolSearchTool TranscribeAudio
	UnderstandVideoSegments UpdateGoal UpdateGoalTool WebFetch WebFetchTool WebSearch WebSearchTool Workflow Write
	WriteFile WriteFileTool ZoomImage ZoomImageTool agent artifact ask_user_question create_sub_session cron_create
	cron_delete cron_list display_image edit enter_plan_mode enter_worktree exec exit_plan_mode exit_worktree get_goal
	glob grep_search image_gen list_agents list_directory loop_wakeup lsp monitor notebook_edit omni_caption_audio
	omni_caption_image omni_clip_audio omni_clip_image omni_clip_video omni_convert_image omni_downsample_audio
	omni_downsample_image omni_downscale_video omni_extract_audio omni_extract_keyframes omni_ocr_image
	omni_recall_media_memory omni_transcribe_audio omni_understand_video_segments propose_goal read_file read_mcp_resource
	record_artifact record_source replace report_findings request_shutdown run_shell_command save_memory
	search_file_content send_message skill structured_output task task_create task_list task_stop task_update team_create
	team_delete team_plan_approval todo_write tool_call tool_search update_goal web_fetch web_search workflow write_file
	zoom_image
`)
}

const order = `Qwen Code starts the hooks of an event at once; if one of them has "sequential": true, one after the other, the project's first, then the user's, the administrator's and those of extensions.`

// managed returns the files of the machine's administrator (read in 0.24.4). Variables can move them.
func managed(env harnesses.Env) []harnesses.HookFile {
	system := cmp.Or(env.Getenv("QWEN_CODE_SYSTEM_SETTINGS_PATH"), env.ByOS("/etc/qwen-code/settings.json",
		"/Library/Application Support/QwenCode/settings.json", `C:\ProgramData\qwen-code\settings.json`))
	defaults := cmp.Or(env.Getenv("QWEN_CODE_SYSTEM_DEFAULTS_PATH"), filepath.Join(filepath.Dir(system), "system-defaults.json"))
	return []harnesses.HookFile{hookFile(defaults), hookFile(system)}
}

// settings returns all settings files. A later one overrides an earlier one.
func settings(env harnesses.Env) []harnesses.HookFile {
	m := managed(env)
	return slices.Concat(m[:1], reads(env, harnesses.User), reads(env, harnesses.Project), m[1:])
}

// extensions returns the hook files of the extensions: the manifest itself, or the file that it names.
func extensions(env harnesses.Env) (files []harnesses.HookFile) {
	all := filepath.Join(dir(env), "extensions")
	for _, name := range env.Names(all) {
		root := filepath.Join(all, name)
		var manifest struct {
			Name  string          `json:"name"`
			Hooks json.RawMessage `json:"hooks"`
		}
		path := filepath.Join(root, "qwen-extension.json")
		if !decode(env, path, &manifest) || manifest.Name == "" {
			continue
		}
		var said string
		if len(manifest.Hooks) == 0 || json.Unmarshal(manifest.Hooks, &said) == nil {
			path = filepath.Join(root, "hooks", "hooks.json")
		}
		if _, err := env.Stat(filepath.Join(root, said)); said != "" && err == nil {
			path = filepath.Join(root, said)
		}
		files = append(files, harnesses.HookFile{Path: path, Format: harnesses.JSON, Shape: harnesses.Grouped, Origin: harnesses.OfPlugin, Owner: manifest.Name})
	}
	return files
}

func decode(env harnesses.Env, path string, into any) bool {
	content, err := env.ReadIfThere(path)
	return err == nil && len(content) > 0 && json.Unmarshal(jsonc.ToJSON(content), into) == nil
}

// switches returns what switches off all hooks (read in 0.24.4).
func switches(env harnesses.Env) []harnesses.BlockedError {
	off := ""
	for _, file := range settings(env) {
		var said struct {
			Off *bool `json:"disableAllHooks"`
		}
		decode(env, file.Path, &said)
		if said.Off != nil && *said.Off {
			off = file.Path
		} else if said.Off != nil {
			off = ""
		}
	}
	if off == "" {
		return nil
	}
	return []harnesses.BlockedError{{Why: "disableAllHooks in " + off + " switches all hooks off", Fix: "remove disableAllHooks from " + off, Off: true}}
}

func skips(env harnesses.Env, _ harnesses.HookFile, _ []byte, hooks []harnesses.Hook) {
	gates := switches(env)
	for i := range hooks {
		h := &hooks[i]
		if !slices.Contains(events, h.Event) {
			h.Skip(harnesses.BlockedError{Why: "Qwen Code knows no event " + harnesses.Shown(h.Event), Fix: "make it one of " + strings.Join(events, ", ")})
		}
		if why := malformed(h); why != "" {
			h.Skip(harnesses.BlockedError{Why: why, Fix: `make it {"type": "command", "command": "..."}`})
		}
		if slices.Contains(toolEvents, h.Event) && matchesNothing(h.Matcher) {
			h.Skip(harnesses.BlockedError{Why: "its matcher matches no known tool of Qwen Code, and no tool of a server", Fix: "make it the name of a tool, such as run_shell_command, or a regular expression"})
		}
		for _, gate := range gates {
			h.Skip(gate)
		}
	}
}

// malformed returns why Qwen Code discards an entry.
func malformed(h *harnesses.Hook) string {
	needs := map[string]string{"command": "command", "http": "url", "prompt": "prompt"}
	kind, _ := h.Fields["type"].(string)
	member, known := needs[kind]
	switch {
	case kind == "":
		return "the entry has no type"
	case !known:
		return "unknown type " + harnesses.Shown(kind)
	}
	if said, _ := h.Fields[member].(string); said == "" {
		return "the entry has no " + member
	}
	return ""
}

// matches reports whether a matcher matches a tool's name: as a regular expression, or as one of a list of names. One
// that only JavaScript can compile counts as a match.
func matches(matcher string, ev harnesses.Event) bool {
	matcher = strings.TrimSpace(matcher)
	if matcher == "" || matcher == "*" || slices.Contains(strings.Split(matcher, "|"), ev.Name) {
		return true
	}
	re, err := regexp.Compile(matcher)
	return err != nil && strings.Contains(matcher, "(?") || err == nil && re.MatchString(ev.Name)
}

// matchesNothing reports whether a matcher matches neither a tool of Qwen Code nor one of a server. It does not say so
// of a pattern that could match some name.
func matchesNothing(matcher string) bool {
	known := func(name string) bool { return matches(matcher, harnesses.Event{Name: name}) }
	if _, err := regexp.Compile(strings.TrimSpace(matcher)); err == nil && harnesses.MayName(matcher, "mcp__") {
		return false
	}
	return !slices.ContainsFunc(tools(), known)
}
