// Package harnesses is what hooks and relays must know of the programs in which models call MCP tools: how their hook
// events are read and answered, what their hooks can do besides, and the words of the command lines that they run. Each
// folder below it, other than setup, has that for one harness; package harnesses/dialects lists them. Package
// harnesses/setup is what the installer and the doctor must know.
//
// It must not know where a harness keeps its files or how it is set up.
package harnesses

// Dialect is how a harness speaks with hooks and servers. It is all that a hook or a relay needs to know of a harness.
type Dialect struct {
	Codec        Codec // nil: wsi reads no events of the harness
	Capabilities Capabilities

	// Older: only an older wsi registered hooks. They still run, and change nothing.
	Older bool

	// Recorded: the doctor may ask the harness's hooks to record the form of its events.
	Recorded bool
}
