// Package copilotcli is what hooks and relays must know of Copilot CLI. Package setup/copilotcli has the rest.
package copilotcli

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "copilot-cli"

// Dialect returns how Copilot CLI speaks with servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Older: true, Capabilities: harnesses.Capabilities{SessionVariable: "COPILOT_AGENT_SESSION_ID"}}
}
