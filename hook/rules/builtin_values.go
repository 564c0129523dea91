// Code generated from builtin.toml by go test ./hook/rules -update; DO NOT EDIT.

package rules

import "wsi/hook/carry"

var builtin = Set{Rules: []Rule{
	{Rule: carry.Rule{
		Name:    "workflow-server token",
		Tools:   carry.Tools{"start_session", "discover", "list_workflows", "health_check", "resolve_operations", "get_workflow", "next_activity", "get_activity", "yield_checkpoint", "resume_checkpoint", "present_checkpoint", "respond_checkpoint", "get_trace", "get_workflow_status", "get_skills", "get_skill", "get_resource", "get_checkpoint", "get_activities", "get_step_skill", "save_state", "restore_state", "dispatch_workflow"},
		Secret:  true,
		Scope:   "agent",
		Capture: carry.Capture{From: []carry.Source{{Kind: "meta", Path: "session_token"}, {Kind: "structured", Path: "session_token"}, {Kind: "structured", Path: "checkpoint_handle"}, {Kind: "json", Path: "session_token"}, {Kind: "json", Path: "checkpoint_handle"}, {Kind: "text", Pattern: "(?m)^session_token: (\\S+)$"}}, Tools: carry.Tools{"*"}, Key: []carry.Source{{Kind: "inside", Path: "sid"}, {Kind: "inside", Path: "aid"}}},
		Inside:  carry.Reading{Order: "seq", ChildOf: "psid"},
		Flow:    carry.Flow{Opens: carry.Tools{"start_session", "dispatch_workflow"}, Parent: "parent_session_token", Changes: carry.Tools{"next_activity", "yield_checkpoint", "respond_checkpoint"}, Keeps: carry.Tools{"present_checkpoint", "resume_checkpoint"}, Lost: []carry.Source{{Kind: "json", Path: "recovered"}, {Kind: "structured", Path: "recovered"}, {Kind: "text", Pattern: "^(Invalid session token)"}}},
		Inject:  []carry.Inject{{Tools: carry.Tools{"*"}, Except: carry.Tools{"start_session", "dispatch_workflow", "discover", "list_workflows", "health_check", "resolve_operations"}, Argument: "session_token", Choose: "only", Unless: []string{"checkpoint_handle"}, Otherwise: "tell"}},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"*"}, Arguments: []carry.Path{"session_token", "checkpoint_handle", "parent_session_token"}}},
	}, Servers: []string{"workflow-server"}},
	{Rule: carry.Rule{
		Name:    "workflow-server index",
		Tools:   carry.Tools{"start_session", "dispatch_child", "discover", "list_workflows", "health_check", "get_workflow", "next_activity", "get_activity", "yield_checkpoint", "resume_checkpoint", "present_checkpoint", "respond_checkpoint", "get_trace", "get_workflow_status", "inspect_session", "get_technique", "get_resource", "record_usage", "get_skills", "get_skill", "resolve_operations"},
		Shape:   "^[A-Z2-7]{6}$",
		Scope:   "agent",
		Capture: carry.Capture{From: []carry.Source{{Kind: "meta", Path: "session_index"}, {Kind: "structured", Path: "session_index"}, {Kind: "json", Path: "session_index"}, {Kind: "text", Pattern: "(?m)^session_index: (\\S+)$"}}, Tools: carry.Tools{"*"}, Key: []carry.Source{{Kind: "self"}}},
		Flow:    carry.Flow{Opens: carry.Tools{"start_session", "dispatch_child"}, Parent: "session_index", Keeps: carry.Tools{"*"}, Lost: []carry.Source{{Kind: "text", Pattern: "(no session (?:under .* )?has (?:this )?session_index)"}}},
		Inject:  []carry.Inject{{Tools: carry.Tools{"*"}, Except: carry.Tools{"start_session", "dispatch_child", "discover", "list_workflows", "health_check", "resolve_operations"}, Argument: "session_index", Choose: "only", Otherwise: "tell"}, {Tools: carry.Tools{"dispatch_child"}, Argument: "session_index", Choose: "only", Otherwise: "tell"}},
		Show:    []carry.Source{{Kind: "meta", Path: "validation"}, {Kind: "meta", Path: "batch"}},
	}, Servers: []string{"workflow-server"}},
	{Rule: carry.Rule{
		Name:    "workflow-server trace",
		Secret:  true,
		Scope:   "user",
		Collect: carry.Collect{From: []carry.Source{{Kind: "meta", Path: "trace_token"}}, Key: []carry.Source{{Kind: "inside", Path: "sid"}}, Tools: carry.Tools{"next_activity"}, Into: carry.Tools{"get_trace"}, Argument: "trace_tokens", By: []carry.Path{"session_index", "session_token"}},
	}, Servers: []string{"workflow-server"}},
	{Rule: carry.Rule{
		Name:    "claude-code-mcp resume token",
		Shape:   "^[A-Za-z0-9_-]{43}$",
		Secret:  true,
		Scope:   "user",
		Capture: carry.Capture{From: []carry.Source{{Kind: "json", Path: "resumeToken"}}, Tools: carry.Tools{"claude_code", "claude_code_reply"}, Key: []carry.Source{{Kind: "json", Path: "sessionId"}}},
		Inject:  []carry.Inject{{Tools: carry.Tools{"claude_code_reply"}, Argument: "diskResumeConfig.resumeToken", Choose: "key", Key: "sessionId", Otherwise: "leave"}},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"claude_code_reply"}, Arguments: []carry.Path{"diskResumeConfig.resumeToken"}}},
	}, Servers: []string{"claude-code", "claude-code-mcp"}},
	{Rule: carry.Rule{
		Name:    "claude-code-mcp session",
		Shape:   "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
		Scope:   "session",
		Capture: carry.Capture{From: []carry.Source{{Kind: "json", Path: "sessionId"}, {Kind: "json", Path: "sessions[].sessionId"}}, Tools: carry.Tools{"claude_code", "claude_code_reply", "claude_code_check", "claude_code_session"}, Key: []carry.Source{{Kind: "self"}}, Each: true},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"claude_code_check"}, Arguments: []carry.Path{"sessionId"}}},
	}, Servers: []string{"claude-code", "claude-code-mcp"}},
	{Rule: carry.Rule{
		Name:    "LocalRouter session",
		Shape:   "^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|temp_[0-9]{13}_[0-9a-z]{1,6})$",
		Scope:   "session",
		Capture: carry.Capture{From: []carry.Source{{Kind: "json", Path: "sessionId"}, {Kind: "json", Path: "sessions[].sessionId"}}, Tools: carry.Tools{"claude_start", "claude_list", "claude_create_session", "claude_list_sessions"}, Key: []carry.Source{{Kind: "self"}}, Each: true},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"claude_get_status", "claude_status"}, Arguments: []carry.Path{"sessionId"}}},
	}, Servers: []string{"localrouter", "local-router", "claude-code", "claude-code-mcp"}},
	{Rule: carry.Rule{
		Name:    "Clawed Abode session",
		Shape:   "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
		Scope:   "session",
		Capture: carry.Capture{From: []carry.Source{{Kind: "json", Path: "sessionId"}, {Kind: "json", Path: "id"}, {Kind: "json", Path: "[].id"}}, Tools: carry.Tools{"create_session", "list_sessions"}, Key: []carry.Source{{Kind: "self"}}, Each: true},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"get_session", "get_messages", "get_message"}, Arguments: []carry.Path{"sessionId"}}},
	}, Servers: []string{"clawed-abode"}},
	{Rule: carry.Rule{
		Name:    "PAL continuation",
		Shape:   "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
		Scope:   "session",
		Capture: carry.Capture{From: []carry.Source{{Kind: "json", Path: "continuation_offer.continuation_id"}, {Kind: "json", Path: "continuation_id"}}, Tools: carry.Tools{"chat", "clink", "thinkdeep", "planner", "consensus", "codereview", "precommit", "debug", "secaudit", "docgen", "analyze", "refactor", "tracer", "testgen"}, Key: []carry.Source{{Kind: "self"}}, Each: true},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"chat", "clink", "thinkdeep", "planner", "consensus", "codereview", "precommit", "debug", "secaudit", "docgen", "analyze", "refactor", "tracer", "testgen"}, Arguments: []carry.Path{"continuation_id"}}},
	}, Servers: []string{"pal", "pal-mcp-server", "zen", "zen-mcp-server"}},
	{Rule: carry.Rule{
		Name:    "MongoDB connection",
		Shape:   "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
		Scope:   "session",
		Capture: carry.Capture{From: []carry.Source{{Kind: "structured", Path: "connectionId"}, {Kind: "structured", Path: "connections[].connectionId"}, {Kind: "text", Pattern: "Your connectionId is \"([0-9a-f-]{36})\""}}, Tools: carry.Tools{"connect", "list-connections"}, Key: []carry.Source{{Kind: "self"}}, Each: true},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"list-databases", "list-collections", "find", "count", "db-stats", "explain", "mongodb-logs", "collection-schema", "collection-indexes", "collection-storage-size"}, Arguments: []carry.Path{"connectionId"}}},
	}, Servers: []string{"mongodb", "MongoDB", "mongodb-mcp-server"}},
	{Rule: carry.Rule{
		Name:    "Codex thread",
		Shape:   "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
		Scope:   "session",
		Capture: carry.Capture{From: []carry.Source{{Kind: "structured", Path: "threadId"}, {Kind: "json", Path: "threadId"}}, Tools: carry.Tools{"codex", "codex-reply", "reply"}, Key: []carry.Source{{Kind: "self"}}},
		Flow:    carry.Flow{Opens: carry.Tools{"codex"}, Keeps: carry.Tools{"*"}},
		Inject:  []carry.Inject{{Tools: carry.Tools{"codex-reply", "reply"}, Argument: "threadId", Choose: "alone", Unless: []string{"conversationId"}, Otherwise: "tell"}},
		Repair:  []carry.RepairRule{{Tools: carry.Tools{"codex-reply", "reply"}, Arguments: []carry.Path{"threadId", "conversationId"}}},
	}, Servers: []string{"codex", "codex-mcp-server"}},
}, Leave: []string{"mcp__plexus__loopback_permit", "mcp__test__permit", "mcp__codelayer__request_permission", "mcp__perm__permission_check"}}
