package clients

import (
	"wsi/harnesses"
	"wsi/harnesses/dialects"
)

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
