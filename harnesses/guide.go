package harnesses

// Guide is for a harness that cannot be run headless: how its user has it call a server, so that the
// doctor can ask that server what arrived.
type Guide struct {
	// Project returns the files, by slash-separated paths below a project's folder, with which the
	// harness knows an MCP server of this name in that project.
	Project func(server string, command []string) map[string][]byte
	// Open says how to open the folder there and let the server in, a sentence each.
	Open func(folder, server string) []string
}
