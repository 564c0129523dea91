package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// rowFile is a file of a harness as people have it: its forms are those of files in public repositories. wrapped is what
// setup must write into it.
type rowFile struct{ path, content, wrapped string }

// Files of the harnesses that have only a row, three each, by id. A path below src/demo is a project's.
var rowFiles = map[string][]rowFile{
	"devin-desktop": {
		{".config/devin/mcp_config.json", "{\n  // shared with the CLI\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"url\": \"http://127.0.0.1:3000/mcp\",\n      \"transport\": \"http\",\n      \"headers\": {\n        \"Authorization\": \"Bearer t\"\n      }\n    }\n  }\n}\n", `"transport": "stdio"`},
		{".codeium/windsurf/mcp_config.json", `{"mcpServers": {"workflow-server": {"serverUrl": "http://127.0.0.1:3000/mcp"}, "time": {"command": "uvx", "args": ["mcp-server-time"], "disabled": true}}}`, `"--url"`},
		{"src/demo/.devin/mcp_config.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"command\": \"docker\",\n      \"args\": [\"run\", \"-i\", \"--rm\", \"-e\", \"DATABASE\", \"workflow\"],\n      \"env\": {\n        \"DATABASE\": \"postgresql://a:b@host/c\"\n      }\n    }\n  }\n}\n", `"-e", "DATABASE"`},
	},
	"antigravity": {
		{".gemini/config/mcp_config.json", "{\n    \"mcpServers\": {\n        \"workflow-server\": {\n            \"serverUrl\": \"http://127.0.0.1:5000/mcp\",\n            \"disabledTools\": [\n                \"health_check\"\n            ]\n        },\n        \"docs\": {\n            \"args\": [\n                \"--stdio\"\n            ],\n            \"command\": \"uvx\"\n        }\n    }\n}", `"http://127.0.0.1:5000/mcp"`},
		{"src/demo/.agents/mcp_config.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"args\": [\n        \"--from\",\n        \"server\",\n        \"serve\"\n      ],\n      \"command\": \"uvx\",\n      \"env\": {},\n      \"excludeTools\": [\"get_trace\"]\n    }\n  }\n}\n", `"--from"`},
		{".gemini/config/mcp_config.json", "{\"mcpServers\":{\"workflow-server\":{\"serverUrl\":\"http://127.0.0.1:3000/mcp\",\"headers\":{\"X-Key\":\"${KEY}\"},\"disabled\":false}}}\n", `"X-Key=WSI_HEADER_X_KEY"`},
	},
	"kiro": {
		{".kiro/settings/mcp.json", "{\n  \"mcpServers\": {\n     \"workflow-server\": {\n      \"command\": \"uvx\",\n      \"args\": [\"--from\", \"server\", \"serve\"]\n    }\n  }\n\n}", `"--from"`},
		{"src/demo/.kiro/settings/mcp.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"command\": \"node\",\n      \"args\": [\"/Users/me/Work Projects/server/dist/index.js\"],\n      \"env\": {\n        \"WORKSPACE_ROOT\": \"/Users/me/Work Projects\"\n      },\n      \"disabled\": false,\n      \"autoApprove\": [\n        \"get_activity\"\n      ]\n    }\n  }\n}\n", `Work Projects/server`},
		{".kiro/settings/mcp.json", "{\n  \"mcpServers\": {\n    \"figma\": {\n      \"url\": \"http://127.0.0.1:3845/mcp\"\n    },\n    \"workflow-server\": { \"url\": \"http://localhost:9200/mcp\", \"disabled\": false }\n  }\n}\n", `"http://localhost:9200/mcp"`},
	},
	"droid": {
		{".factory/mcp.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"type\": \"stdio\",\n      \"command\": \"brew\",\n      \"args\": [\"mcp-server\"],\n      \"disabled\": false\n    }\n  }\n}\n", `"mcp-server"`},
		{"src/demo/.factory/mcp.json", "{\n  \"mcpServers\": {\n    \"wiki\": {\n      \"type\": \"http\",\n      \"url\": \"https://example.invalid/mcp\"\n    },\n    \"workflow-server\": {\n      \"type\": \"stdio\",\n      \"command\": \"uvx\",\n      \"args\": [\n        \"serve\",\n        \"--project\",\n        \"${workspaceFolder:-.}\"\n      ]\n    }\n  }\n}", `"${workspaceFolder:-.}"`},
		{".factory/mcp.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"type\": \"http\",\n      \"url\": \"http://127.0.0.1:3000/mcp?project=a&features=docs%2Caccount\",\n      \"disabled\": false\n    }\n  }\n}\n", `"type": "stdio"`},
	},
	"kimi-code": {
		{".kimi-code/mcp.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"workflow-server@latest\", \"--isolated\"],\n      \"env\": {\n        \"LOG_LEVEL\": \"info\"\n      }\n    }\n  }\n}\n", `"--isolated"`},
		{"src/demo/.kimi-code/mcp.json", "{\n  \"mcpServers\": {\n    \"linear\": {\n      \"auth\": \"oauth\",\n      \"type\": \"http\",\n      \"url\": \"https://mcp.linear.app/mcp\"\n    },\n    \"workflow-server\": {\n      \"args\": [],\n      \"command\": \"workflow-server\"\n    }\n  }\n}\n", `"relay"`},
		{".kimi-code/mcp.json", "{\"mcpServers\":{\"workflow-server\":{\"transport\":\"http\",\"url\":\"http://127.0.0.1:3000/mcp\",\"enabled\":true,\"toolTimeoutMs\":60000}}}", `"transport":"stdio"`},
	},
	"kilo-code": {
		{".config/kilo/kilo.jsonc", "{\n\t\"$schema\": \"https://app.kilo.ai/config.json\",\n\t\"mcp\": {\n\t\t\"workflow-server\": {\n\t\t\t\"type\": \"local\",\n\t\t\t\"command\": [\"bunx\", \"-y\", \"workflow-server\"], // newest\n\t\t},\n\t},\n\t\"permission\": {\n\t\t\"bash\": \"allow\",\n\t},\n}\n", `"bunx", "-y"`},
		{"src/demo/.kilo/kilo.json", "{\n  \"mcp\": {\n    \"workflow-server\": {\n      \"type\": \"remote\",\n      \"url\": \"http://127.0.0.1:3000/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer {env:MY_KEY}\"\n      },\n      \"enabled\": true,\n      \"timeout\": 15000\n    }\n  }\n}\n", `"type": "local"`},
		{"src/demo/kilo.jsonc", `{"instructions":[".agents/*.md"],"mcp":{"workflow-server":{"type":"local","command":["node","/srv/server.js"],"environment":{"KEY":"k"},"enabled":true}}}`, `"/srv/server.js"`},
	},
	"crush": {
		{".config/crush/crush.json", "{\n  \"$schema\": \"https://charm.land/crush.json\",\n  \"lsp\": {\n    \"nix\": {\n      \"command\": \"nil\"\n    }\n  },\n  \"mcp\": {\n    \"workflow-server\": {\n      \"type\": \"stdio\",\n      \"command\": \"nix\",\n      \"args\": [\"run\", \"github:me/server\", \"--\"]\n    }\n  }\n}\n", `"github:me/server", "--"`},
		{"src/demo/crush.json", "{\n  \"$schema\": \"https://charm.land/crush.json\",\n  \"mcp\": {\n    \"workflow-server\": {\n      \"type\": \"http\",\n      \"url\": \"http://127.0.0.1:3000/mcp/\",\n      \"timeout\": 120,\n      \"disabled_tools\": [\"next_activity\"],\n      \"headers\": {\n        \"Authorization\": \"Bearer $TOKEN\"\n      }\n    }\n  }\n}", `"type": "stdio"`},
		{"src/demo/.crush.json", `{"permissions":{"allowed_tools":["mcp_workflow-server_get_activity"]},"mcp":{"workflow-server":{"command":"npx","args":["workflow-server"]}}}`, `"relay"`},
	},
	"warp": {
		{".warp/.mcp.json", "{\n\t\"mcpServers\": {\n\t\t\"docs\": {\n\t\t\t\"url\": \"https://example.invalid/mcp\"\n\t\t},\n\t\t\"workflow-server\": {\n\t\t\t\"args\": [\"./scripts/serve.sh\", \"--serve\"],\n\t\t\t\"command\": \"bash\"\n\t\t}\n\t}\n}\n", `"./scripts/serve.sh"`},
		{"src/demo/.warp/.mcp.json", `{"mcpServers":{"workflow-server":{"command":"npx","args":["-y","workflow-server"],"env":{},"working_directory":"/srv"}}}`, `"relay"`},
		{".warp/.mcp.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": { \"url\": \"http://127.0.0.1:3000/mcp\", \"headers\": { \"X-Key\": \"k\" } }\n  }\n}\n", `"X-Key=WSI_HEADER_X_KEY"`},
	},
	"amp": {
		{".config/amp/settings.json", "{\n  \"amp.experimental.planMode\": true,\n  \"amp.mcpServers\": {\n    \"workflow-server\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"mcp-remote\",\n        \"https://example.invalid/mcp\",\n        \"{\\\"client_id\\\":\\\"a\\\"}\"\n      ]\n    }\n  }\n}\n", `"mcp-remote"`},
		{"src/demo/.amp/settings.json", "{\n  \"amp.mcpServers\": {\n    \"workflow-server\": {\n      \"command\": \"php\",\n      \"args\": [\"artisan\", \"serve\"]\n    }\n  }\n}", `"artisan"`},
		{"src/demo/.amp/settings.jsonc", "{\n  // the team's\n  \"amp.mcpServers\": { \"workflow-server\": { \"url\": \"http://127.0.0.1:3000/mcp\", }, },\n}\n", `"--url"`},
	},
	"junie": {
		{".junie/mcp/mcp.json", "{\n    \"mcpServers\": {\n        \"workflow-server\": {\n            \"command\": \"/usr/bin/php\",\n            \"args\": [\n                \"/srv/artisan\",\n                \"serve\"\n            ]\n        }\n    }\n}", `"/srv/artisan"`},
		{"src/demo/.junie/mcp/mcp.json", "{\"mcpServers\": {\"workflow-server\": {\"command\": \"npx\", \"args\": [\"workflow-server\"], \"env\": {\"A\": \"b\"}, \"enabled\": true}}}", `"relay"`},
		{".junie/mcp/mcp.json", "{\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"type\": \"http\",\n      \"url\": \"http://127.0.0.1:3000/mcp\"\n    }\n  }\n}\n", `"type": "stdio"`},
	},
}

// Setup puts a relay in front of the server, and changes nothing the second time. Remove restores every byte.
func TestRowsAreUndone(t *testing.T) {
	onlyPosix(t)
	for _, id := range slices.Sorted(maps.Keys(rowFiles)) {
		for _, file := range rowFiles[id] {
			t.Run(id+"/"+file.path, func(t *testing.T) {
				w := newWorld(t, map[string]string{file.path: file.content}, nil)
				scope := "user"
				if strings.HasPrefix(file.path, "src/demo/") {
					scope = "project"
				}
				setUp := []string{"setup", "--yes", "--binary", installed, "--harness", id, "--scope", scope}
				wsi := func(args ...string) string {
					t.Helper()
					if out, exit := w.run(args...); exit != 0 {
						t.Fatalf("%v: exit status %d\n%s%s", args, exit, out, w.errs)
					}
					return w.files(t)["~/"+file.path]
				}
				first := wsi(setUp...)
				if !strings.Contains(first, file.wrapped) || !strings.Contains(first, `"relay"`) || !strings.Contains(first, `"`+id+`"`) {
					t.Errorf("setup writes\n%s\nwant a relay and %s", first, file.wrapped)
				}
				if again := wsi(setUp...); again != first {
					t.Errorf("the second setup writes\n%s", again)
				}
				if left := wsi("remove", "--yes", "--harness", id, "--scope", scope); left != file.content {
					t.Errorf("remove leaves\n%s\nof\n%s", left, file.content)
				}
				// Without the ledger remove takes out the relay, too.
				wsi(setUp...)
				w.put(t, file.path, strings.Replace(w.files(t)["~/"+file.path], `"args"`, ` "args"`, 1)) // as an editor may
				if left := wsi("remove", "--yes", "--scope", scope); strings.Contains(left, `"relay"`) {
					t.Errorf("after an edit remove leaves\n%s", left)
				}
			})
		}
	}
}
