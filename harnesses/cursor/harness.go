// Package cursor is all that wsi knows of Cursor, from its documentation of 2026-08-25 and from reports about builds up
// to 2026.09.26. Nothing was tried with the binary.
package cursor

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/tidwall/jsonc"

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
		Guide:      &harnesses.Guide{Project: guideProject, Open: guideOpen},
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

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := locate(env)
	var err error
	for _, file := range []string{filepath.Join(p.ConfigHome, "mcp.json"), filepath.Join(env.Cwd, ".cursor", "mcp.json")} {
		found, e := servers(env, file)
		for i := range found {
			if filepath.Dir(file) != p.ConfigHome {
				found[i].Scope = harnesses.Project
			}
		}
		p.Servers = append(p.Servers, found...)
		err = errors.Join(err, e)
	}
	return p, err
}

func servers(env harnesses.Env, file string) ([]harnesses.Server, error) {
	content, err := env.ReadIfThere(file)
	if err != nil || len(content) == 0 {
		return nil, err
	}
	var root map[string]json.RawMessage
	plain := jsonc.ToJSON(content)
	if err := json.Unmarshal(plain, &root); err != nil {
		return nil, harnesses.ConfigError{Path: file, Err: harnesses.ExplainJSON(plain, err)}
	}
	return harnesses.MCPServers(file, root["mcpServers"])
}
