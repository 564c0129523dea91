// Package clients says what MCP clients show their models of a result, as far as their programs were asked, and what they tell a relay.
//
// It must not know how a relay or a harness is configured.
package clients

import (
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/dialects"
)

// Form says how a result that has both content and structuredContent must be written so that a client's model reads all of it, once.
type Form int

const (
	// AsIs leaves the result as the server wrote it.
	AsIs Form = iota
	// AsText makes the structured part one more text, because the model reads only one of the two.
	AsText
	// TextToo adds the structured part as one more text, because the model reads only texts. The part itself stays: the
	// client refuses a result without it from a tool that has an outputSchema.
	TextToo
	// TextInto does the same in the first text, because the model reads only that.
	TextInto
	// Once removes a text that is the structured part, because the model would read it twice.
	Once
)

// known are the clients whose models do not read all of a result, or some of it twice, by the name and the beginning of the version in initialize.
// TestContent in doctor/live asks their programs: Claude Code 2.1.197 and 2.1.332, Codex 0.171.0, OpenCode 1.18.33, Kilo Code 7.7.9,
// Droid 0.225.2, Gemini CLI 0.61.0, Cline CLI 3.0.65, Copilot CLI 1.0.102, Qwen Code 0.24.4. Kimi Code 2.1.0 shows both, once.
var known = []struct {
	harness, name, version string
	ok, failed             Form
}{
	{"claude-code", "claude-code", "2.", AsText, AsText},
	{"codex", "codex-mcp-client", "0.", AsText, AsText},
	{"opencode", "opencode", "1.", TextToo, TextToo},
	{"kilo-code", "kilo", "7.", TextToo, TextToo},
	{"droid", "factory-cli", "0.", TextToo, TextInto},
	{"gemini-cli", "gemini-cli-mcp-client", "0.", TextToo, AsIs},
	{"cline-cli", "@cline/core", "0.", Once, AsIs},
	{"copilot-cli", "copilot-cli", "1.", Once, AsIs},
	{"qwen-code", "qwen-cli-mcp-client-*", "0.0.1", Once, AsIs}, // the server's name follows
}

// Forms returns the forms of results, and of those that are errors, for a client that calls itself by a name and a version
// in initialize.
func Forms(name, version string) (ok, failed Form) {
	for _, c := range known {
		begins, open := strings.CutSuffix(c.name, "*")
		if (c.name == name || open && strings.HasPrefix(name, begins)) && strings.HasPrefix(version, c.version) {
			return c.ok, c.failed
		}
	}
	return AsIs, AsIs
}

// shown is what a harness shows of a result that has both, and what the relay does about it.
var shown = map[Form]string{
	AsText:  "shows only the structured part of a result, so the relay sends all of it as text",
	TextToo: "shows only the texts of a result, so the relay adds the structured part as a text",
	Once:    "shows all of a result, so the relay leaves out a text that repeats the structured part",
}

// Says returns what a harness shows of a result: a clause after its name, "" if it needs no other form.
func Says(harness string) string {
	for _, c := range known {
		if c.harness == harness {
			return shown[c.ok]
		}
	}
	return ""
}

// Harnesses that have hooks, in which wsi registers none.
const (
	QwenCode   = "qwen-code"
	GeminiCLI  = "gemini-cli"
	CopilotCLI = "copilot-cli"
	ClineCLI   = "cline-cli"
	KimiCode   = "kimi-code"
)

// Capabilities returns what hooks of a harness can do, and what it tells a relay.
func Capabilities(id string) harnesses.Capabilities {
	switch id {
	case QwenCode:
		return harnesses.Capabilities{SessionVariable: "QWEN_CODE_SESSION_ID"} // 0.15.10 does not set it
	case CopilotCLI:
		return harnesses.Capabilities{SessionVariable: "COPILOT_AGENT_SESSION_ID"}
	case ClineCLI, KimiCode: // of Kimi Code 2.1.0
		return harnesses.Capabilities{ShowsMeta: true}
	}
	return dialects.Get(id).Capabilities
}
