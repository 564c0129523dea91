// Package toollist asks an MCP server for its tools, as a harness does. It must not know how a server is started.
package toollist

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"wsi/internal/stdiorpc"
)

// Tool is a tool in the server's tools/list.
type Tool struct {
	Name        string
	InputSchema json.RawMessage
	Annotations struct{ ReadOnlyHint bool }
}

// Takes reports whether the tool has an argument of that name.
func (t Tool) Takes(argument string) bool {
	var schema struct {
		Properties map[string]json.RawMessage
	}
	_ = json.Unmarshal(t.InputSchema, &schema) // an invalid schema has no arguments
	_, ok := schema.Properties[argument]
	return ok
}

// pages limits the length of a list of tools.
const pages = 100

// The revisions of MCP in which wsi speaks to a server. Codex 0.169.0 asks for the first, too; servers answer with a version
// of their own. Claude Code 2.1.330 and Copilot 1.0.102 speak the second to a server that knows it.
const (
	Handshake = "2025-06-18"
	Stateless = "2026-07-28" // without initialize: each request names the revision and the client
)

const metaPrefix = "io.modelcontextprotocol/"

// Session is a connection to a server, in one revision of MCP.
type Session struct {
	Revision string // that the server chose
	talk     *stdiorpc.Client
	meta     map[string]any // of each request
}

// Open begins a session in a revision.
func Open(server *stdiorpc.Client, wsiVersion, revision string) (Session, error) {
	client := map[string]string{"name": "wsi", "version": wsiVersion}
	if revision == Stateless {
		s := Session{revision, server, map[string]any{
			metaPrefix + "protocolVersion": revision, metaPrefix + "clientInfo": client, metaPrefix + "clientCapabilities": struct{}{},
		}}
		_, err := s.Call("server/discover", map[string]any{})
		return s, err
	}
	s := Session{revision, server, nil}
	raw, err := s.Call("initialize", map[string]any{"protocolVersion": revision, "capabilities": struct{}{}, "clientInfo": client})
	if err != nil {
		return s, err
	}
	var chosen struct{ ProtocolVersion string }
	if json.Unmarshal(raw, &chosen) == nil && chosen.ProtocolVersion != "" {
		s.Revision = chosen.ProtocolVersion
	}
	return s, server.Notify("notifications/initialized")
}

// Call sends a request. It adds what the revision needs to params, which may have a _meta.
func (s Session) Call(method string, params map[string]any) (json.RawMessage, error) {
	if s.meta != nil {
		meta := maps.Clone(s.meta)
		own, _ := params["_meta"].(map[string]json.RawMessage)
		for name, value := range own {
			meta[name] = value
		}
		params["_meta"] = meta
	}
	return s.talk.Call(method, params)
}

// Ask opens a session, with the handshake if the server knows it, and lists the tools. If the tools are not nil, the server
// has answered the opening.
func Ask(server *stdiorpc.Client, wsiVersion string) (tools []Tool, revision string, err error) {
	s, err := Open(server, wsiVersion, Handshake)
	if refused, _ := errors.AsType[stdiorpc.Error](err); refused.Code == stdiorpc.MethodNotFound {
		s, err = Open(server, wsiVersion, Stateless)
	}
	if err == nil {
		tools, err = s.Tools()
	}
	return tools, s.Revision, err
}

// Tools lists the server's tools. They are not nil.
func (s Session) Tools() ([]Tool, error) {
	all := []Tool{}
	params := map[string]any{}
	for range pages {
		raw, err := s.Call("tools/list", params)
		if err != nil {
			return all, err
		}
		var page struct {
			Tools      []Tool
			NextCursor string
		}
		if json.Unmarshal(raw, &page) != nil {
			return all, errors.New("its list of tools is invalid")
		}
		all = append(all, page.Tools...)
		if page.NextCursor == "" {
			return all, nil
		}
		params["cursor"] = page.NextCursor
	}
	return all, fmt.Errorf("its list of tools does not end after %d pages", pages)
}
