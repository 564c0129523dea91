// Package qwencode is all that wsi knows of Qwen Code, measured on 0.24.4 with a relay. Its hooks cannot
// change the arguments of a call.
package qwencode

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "qwen-code"

// Harness returns what wsi knows of Qwen Code.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Qwen Code",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers, Measured: []string{"0.24.4"},
		Choices: []harnesses.Choice{{Way: harnesses.ByRelay, Why: "it ignores the arguments that a hook changes, and checks required ones before any hook runs"}},
		Caveats: []string{"Qwen Code says nothing of which agent calls, so that all agents of a session are one to wsi."},
	}
}

// No variable is known that moves Qwen Code's folder.
func dir(env harnesses.Env) string { return filepath.Join(env.Home, ".qwen") }

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("qwen", "", dir(env))
	var err error
	p.Servers, err = env.Registered(append(registers(env, harnesses.User), registers(env, harnesses.Project)...))
	return p, err
}

// registers: under url it has servers over HTTP+SSE. settings.local.json is of its documentation of
// 2026-11 (1.x) and was not tried.
func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	paths := []string{filepath.Join(dir(env), "settings.json")}
	if scope == harnesses.Project {
		paths = []string{filepath.Join(env.Cwd, ".qwen", "settings.json"), filepath.Join(env.Cwd, ".qwen", "settings.local.json")}
	}
	var all []harnesses.ServerFile
	for _, path := range paths {
		all = append(all, harnesses.ServerFile{
			Path: path, Format: harnesses.JSONC, Tables: [][]string{{"mcpServers"}},
			Form: harnesses.Form{
				Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
				Kept: []string{"url", "tcp", "oauth", "authProviderType"},
			},
		})
	}
	return all
}
