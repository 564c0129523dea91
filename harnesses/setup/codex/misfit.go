package codex

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// Values that a setting must have, whatever else is true of it.
var (
	aTable   = setup.Want{Name: "a table", Is: setup.AnObject.Is}
	aNumber  = setup.Want{Name: "a number", Is: func(v any) bool { _, i := v.(int64); _, f := v.(float64); return i || f }}
	aFeature = setup.Want{Name: "true or false", Is: func(v any) bool { return setup.AFlag.Is(v) || setup.AnObject.Is(v) }} // some are tables
)

func fields(want setup.Want, names ...string) []setup.Field {
	return lists.Map(names, func(name string) setup.Field { return setup.Field{Name: name, Want: want} })
}

// misfit returns a value in the merged configuration with which Codex does not start (`features list` of 0.169.0), nil if it knows of
// none. It knows types of settings that users set often. Codex knows all, and the doctor asks it.
func misfit(config map[string]any) *setup.InvalidConfigError {
	texts := fields(setup.AString, "model", "model_provider", "model_reasoning_effort", "instructions", "developer_instructions")
	flags := fields(setup.AFlag, "hide_agent_reasoning", "check_for_update_on_startup")
	tables := fields(aTable, "mcp_servers", "features", "profiles", "projects", "tui", "history", "model_providers", "sandbox_workspace_write", "shell_environment_policy")
	for _, f := range slices.Concat(texts, flags, tables, fields(setup.AList, "notify")) {
		if bad := f.Check(config); bad != nil {
			return bad
		}
	}
	features := setup.Table(config, "features")
	for _, f := range fields(aFeature, slices.Sorted(maps.Keys(features))...) {
		if bad := f.Check(features); bad != nil {
			return bad.In("features")
		}
	}
	servers := setup.Table(config, "mcp_servers")
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if bad := misfitServer(servers[name]); bad != nil {
			return bad.In("mcp_servers." + name)
		}
	}
	return nil
}

func misfitServer(v any) *setup.InvalidConfigError {
	entry := setup.Table(v)
	if entry == nil {
		return setup.Wrong("", v, "a table")
	}
	local, remote := []string{"args", "env", "cwd"}, []string{"http_headers", "bearer_token_env_var"}
	one := slices.Concat(fields(setup.AString, "command", "url", "cwd", "bearer_token_env_var"), fields(setup.AList, "args", "enabled_tools", "disabled_tools"),
		fields(aTable, "env", "http_headers"), fields(setup.AFlag, "enabled"), fields(aNumber, "startup_timeout_sec", "tool_timeout_sec"))
	for _, f := range one {
		if bad := f.Check(entry); bad != nil {
			return bad
		}
	}
	with, without := "url", local
	if entry["command"] != nil {
		with, without = "command", append(remote, "url")
	} else if entry["url"] == nil {
		return &setup.InvalidConfigError{Why: "it has neither a command nor a url", Fix: "add one, or remove the table"}
	}
	for _, name := range without {
		if entry[name] != nil {
			return &setup.InvalidConfigError{Place: name, Why: fmt.Sprintf("a server with a %s cannot have it", with), Fix: "remove it"}
		}
	}
	return nil
}

// notRead are settings that Codex ignores in a project's file (0.169.0).
func notRead(name string) bool {
	return strings.HasPrefix(name, "profile") || strings.HasPrefix(name, "model_provider") || name == "notify"
}
