// Package cursor is all that wsi knows of Cursor, from its documentation of 2026-08-25 and from reports about builds up
// to 2026.09.26. Nothing was tried with the binary.
package cursor

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "cursor"

func capabilities() harnesses.Capabilities {
	return harnesses.Capabilities{Deny: Codec{}.Deny, Tell: Codec{}.Tell, Rewrite: Codec{}.Rewrite, MayOmitServer: true}
}

// Harness returns what wsi knows of Cursor.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Cursor",
		Choices: choices, Registers: registers,
		Find: find, Wiring: wiring, Validate: validate, Codec: Codec{}, Capabilities: capabilities(), Simulator: Simulator{},
		Reads: reads, Matches: matches, Imports: imports, Managed: managed, Flaws: flaws,
		ImportNote: "Cursor runs Claude Code's hooks, too (Settings, Agents, Third-Party Imports): those of wsi do nothing there, so that nothing is carried twice.",
		HookFolders: func(env harnesses.Env, hook harnesses.Hook) []string { // reports differ (2026-06)
			return []string{env.Cwd, filepath.Dir(hook.File)}
		},
		Guide: &harnesses.Guide{Project: guideProject, Open: guideOpen},
		Caveats: []string{
			"Not yet proven live: what wsi knows of Cursor comes from its documentation.",
			"Cursor names an MCP tool without its server, so wsi goes by the tool's name and the shape of its result.",
			"Cursor's cloud agents run on machines without this wsi: it does not work there.",
		},
	}
}

// locate has no variable for Cursor's folder: CURSOR_CONFIG_DIR moves only cli-config.json.
func locate(env harnesses.Env) harnesses.Presence {
	p := env.Locate("cursor", "", filepath.Join(env.Home, ".cursor"))
	if agent, err := env.LookPath("cursor-agent"); p.Binary == "" && err == nil {
		p.Binary, p.Found = agent, true
	}
	return p
}

// folder returns the folder of a scope's configuration.
func folder(env harnesses.Env, scope harnesses.Scope) string {
	if scope == harnesses.Project {
		return filepath.Join(env.Cwd, ".cursor")
	}
	return locate(env).ConfigHome
}

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := locate(env)
	servers, err := env.RegisteredIn(registers, false)
	p.Servers = servers
	return p, err
}
