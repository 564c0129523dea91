package setup

// Guide tells the user of a harness that cannot run headless how to make it call a server. The doctor then asks
// that server what arrived.
type Guide struct {
	// Project returns the files that register an MCP server of this name in a project, by slash-separated
	// paths below the project's folder.
	Project func(server string, command []string) map[string][]byte
	// Open returns the steps to open the folder in the harness and to enable the server, a sentence each.
	Open func(folder, server string) []string
}
