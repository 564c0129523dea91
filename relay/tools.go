package relay

import (
	"bytes"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/hook/schemas"
	"wsi/internal/jsonraw"
)

// see stores the schemas of a raw tools/list result, which may be one of several pages.
func (e *engine) see(result []byte) {
	members, _ := jsonraw.ObjectIn(result) // none if it is not an object
	tools, err := jsonraw.ArrayIn(members.Get("tools"))
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now = inForce{} // they depend on the list
	if e.tools == nil {
		e.tools = map[string][]byte{}
	}
	for _, raw := range tools {
		tool, _ := jsonraw.ObjectIn(raw) // none if it is not an object
		if name := tool.String("name"); name != "" && len(e.tools) < maxTools {
			e.tools[name] = bytes.Clone(tool.Get("inputSchema"))
		}
	}
}

// admit returns rules with those of the listed tools that they do not name and that require their argument, and these
// tools by name.
func admit(own []carry.Rule, listed map[string][]byte) (with []carry.Rule, all []schemas.Tool) {
	for name, schema := range listed {
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
func (e *engine) lacks(tool string) func(argument string) bool {
	e.mu.Lock()
	schema, listed := e.tools[tool]
	e.mu.Unlock()
	if !listed {
		return nil
	}
	return func(argument string) bool { return !hasArgument(schema, carry.Path(argument).Parts()) }
}

// hasArgument reports whether the schema of an object may have the argument at a path. A schema that refers to
// others, or combines them, may have any.
func hasArgument(schema []byte, path []string) bool {
	for _, name := range path {
		members, _ := jsonraw.ObjectIn(schema) // none if it is not an object
		for _, combined := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
			if members.Get(combined) != nil {
				return true
			}
		}
		properties, _ := jsonraw.ObjectIn(members.Get("properties"))
		if schema = properties.Get(name); schema == nil {
			return false
		}
	}
	return true
}
