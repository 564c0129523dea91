// Package cursor is all that wsi knows of Cursor besides its dialect, from its documentation of 2026-08-25 and from reports
// about builds up to 2026.09.26. Nothing was tried with the binary.
package cursor

import (
	"path/filepath"

	"wsi/harnesses/cursor"
	"wsi/harnesses/setup"
)

// Harness returns what wsi knows of Cursor.
func Harness() setup.Harness {
	return setup.Harness{
		ID: cursor.ID, Name: "Cursor", Dialect: cursor.Dialect(), Flaws: flaws,
		Find: find, Registers: registers, Choices: choices, Wiring: wiring,
		Files: setup.HookFiles{
			Reads: reads, Managed: managed, Imports: imports,
			ImportNote: "Cursor runs Claude Code's hooks, too (Settings, Agents, Third-Party Imports): those of wsi do nothing there, so that nothing is carried twice.",
		},
		Hooks: setup.HookFacts{
			Validate: validate, Matches: matches,
			Folders: func(env setup.Env, hook setup.Hook) []string { // reports differ (2026-06)
				return []string{env.Cwd, filepath.Dir(hook.File)}
			},
		},
		Proof: setup.Proof{Simulator: Simulator{}, Guide: &setup.Guide{Project: guideProject, Open: guideOpen}},
		Texts: setup.Texts{Caveats: []string{
			"Not yet proven live: what wsi knows of Cursor comes from its documentation.",
			"Cursor names an MCP tool without its server, so wsi goes by the tool's name and the shape of its result.",
			"Cursor's cloud agents run on machines without this wsi: it does not work there.",
		}},
	}
}

// locate has no variable for Cursor's folder: CURSOR_CONFIG_DIR moves only cli-config.json.
func locate(env setup.Env) setup.Presence {
	p := env.Locate("cursor", "", filepath.Join(env.Home, ".cursor"))
	if agent, err := env.LookPath("cursor-agent"); p.Binary == "" && err == nil {
		p.Binary, p.Found = agent, true
	}
	return p
}

// folder returns the folder of a scope's configuration.
func folder(env setup.Env, scope setup.Scope) string {
	if scope == setup.Project {
		return filepath.Join(env.Cwd, ".cursor")
	}
	return locate(env).ConfigHome
}

func find(env setup.Env) (setup.Presence, error) {
	p := locate(env)
	servers, err := env.RegisteredIn(registers, false)
	p.Servers = servers
	return p, err
}
