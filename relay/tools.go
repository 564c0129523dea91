package relay

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"wsi/hook/carry"
	"wsi/hook/schemas"
	"wsi/internal/jsonraw"
)

// toolbox holds the schemas of the server's tools on this connection. Its methods may be called concurrently.
type toolbox struct {
	mu    sync.Mutex
	tools map[string][]byte // raw input schemas by tool name; nil before the first list
	pages int               // answers to tools/list
}

func (b *toolbox) listed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pages
}

// see stores the schemas of a raw tools/list result, which may be one of several pages.
func (b *toolbox) see(result []byte) {
	members, err := jsonraw.Object(result)
	if err != nil {
		return
	}
	tools, err := jsonraw.Array(members.Get("tools"))
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages++
	if b.tools == nil {
		b.tools = map[string][]byte{}
	}
	for _, raw := range tools {
		tool, err := jsonraw.Object(raw)
		if name := tool.String("name"); err == nil && name != "" && len(b.tools) < maxTools {
			b.tools[name] = append([]byte(nil), tool.Get("inputSchema")...)
		}
	}
}

// admit returns rules with the listed tools among their tools that they do not name and that require their argument, and
// these tools by name.
func (b *toolbox) admit(own []carry.Rule) (with []carry.Rule, all []schemas.Tool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, schema := range b.tools {
		var admitted bool
		own, admitted = carry.Admit(own, name, nil, func(argument string) bool { return slices.Contains(schemas.Required(schema), argument) })
		if admitted {
			all = append(all, schemas.Tool{Name: name, Schema: schema})
		}
	}
	slices.SortFunc(all, func(x, y schemas.Tool) int { return strings.Compare(x.Name, y.Name) })
	return own, all
}

const maxTools = 4096

// lacks returns the value of carry.Call.Lacks for a tool.
func (b *toolbox) lacks(tool string) func(argument string) bool {
	b.mu.Lock()
	schema, listed := b.tools[tool]
	b.mu.Unlock()
	if !listed {
		return nil
	}
	return func(argument string) bool { return !hasArgument(schema, carry.Path(argument).Parts()) }
}

// hasArgument reports whether the schema of an object may have the argument at a path. A schema that refers to
// others, or combines them, may have any.
func hasArgument(schema []byte, path []string) bool {
	for _, name := range path {
		members, err := jsonraw.Object(schema)
		if err != nil {
			return false
		}
		for _, combined := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
			if members.Get(combined) != nil {
				return true
			}
		}
		if members, err = jsonraw.Object(members.Get("properties")); err != nil {
			return false
		}
		if schema = members.Get(name); schema == nil {
			return false
		}
	}
	return true
}

// refutes reports whether the listed tools show that a presumed rule is not for this server: no tool opens a
// session.
func (b *toolbox) refutes(rule *carry.Rule) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return rule.Presumed && b.tools != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(b.tools)), rule.Flow.Opens.Has)
}
