package harnesses

import "strings"

// DefaultServer is the server that wsi carries values for when no other is named.
const DefaultServer = "workflow-server"

// Verbs of wsi on a registered command line: two of hooks, and that of the command that is started instead of an MCP server.
const (
	Inject  = "inject"
	Capture = "capture"
	Relay   = "relay"
)

// ServerWord returns the argument of --server: the name under which a server is registered and, if as is not
// empty, "=" and the server that has its rules.
func ServerWord(name, as string) string {
	if as == "" {
		return name
	}
	return name + "=" + as
}

// ParseServer parses what [ServerWord] returns.
func ParseServer(word string) (name, as string) {
	name, as, _ = strings.Cut(word, "=")
	return name, as
}

// ParseServers parses several words of [ServerWord].
func ParseServers(words []string) (names []string, as map[string]string) {
	for _, word := range words {
		name, of := ParseServer(word)
		names = append(names, name)
		if of != "" {
			if as == nil {
				as = map[string]string{}
			}
			as[name] = of
		}
	}
	return names, as
}
