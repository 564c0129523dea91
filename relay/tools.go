package relay

import (
	"bytes"
	"maps"
	"slices"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/schemas"
	"wsi/internal/jsonraw"
)

// see stores the schemas of a raw tools/list result, which may be one of several pages.
func (e *engine) see(result []byte) {
	tools, err := jsonraw.ArrayIn(jsonraw.In(result).Get("tools"))
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
		tool := jsonraw.In(raw)
		if name := tool.String("name"); name != "" && len(e.tools) < maxTools {
			e.tools[name] = bytes.Clone(tool.Get("inputSchema"))
		}
	}
}

// admit returns rules with those of the listed tools that they do not name and that require their argument, and these
// tools by name.
func admit(own []carry.Rule, listed map[string][]byte) (with []carry.Rule, all []schemas.Tool) {
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		var admitted bool
		own, admitted = carry.Admit(own, name, nil, func(argument string) bool { return slices.Contains(schemas.Required(listed[name]), argument) })
		if admitted {
			all = append(all, schemas.Tool{Name: name, Schema: listed[name]})
		}
	}
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
		members := jsonraw.In(schema)
		for _, combined := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
			if members.Get(combined) != nil {
				return true
			}
		}
		if schema = members.In("properties").Get(name); schema == nil {
			return false
		}
	}
	return true
}

// inForce holds the rules in force. It is never changed, only replaced.
type inForce struct {
	set      *rules.Set
	own      []carry.Rule   // the server's
	admitted []schemas.Tool // by which the list of tools has added to them
	listed   bool           // the list of tools was seen
}

// rules returns the rules in force. It reads the user's file again if that has changed. A file with an error
// has no effect; the doctor reports it.
func (e *engine) rules() inForce {
	file := stampOf(e.ruleFile)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now.set != nil && file.same(e.file) {
		return e.now
	}
	set, _ := rules.Load(e.ruleFile)
	if e.as != "" {
		set.As = map[string]string{e.server: e.as}
	}
	own, admitted := admit(set.For(e.server), e.tools)
	e.now, e.file = inForce{&set, own, admitted, e.tools != nil}, file
	return e.now
}

// admitting returns the rules with a tool that none of them names among those that they inject into, if the call shows
// that it takes the value, or the list of tools that an earlier relay was asked for.
func (e *engine) admitting(r inForce, tool string, args []byte) inForce {
	r.own, _ = carry.Admit(r.own, tool, args, func(argument string) bool {
		return !r.listed && e.schemas.Dir != "" && slices.Contains(e.schemas.Read(e.harness, e.server, tool), argument)
	})
	return r
}

// leaves reports whether the rules leave all calls of a tool alone.
func (e *engine) leaves(r inForce, tool string) bool { return r.set.Leaves(tool, e.server, tool) }

func (r inForce) concern(tool string) bool {
	return slices.ContainsFunc(r.own, func(rule carry.Rule) bool { return rule.Concerns(tool) })
}

// How a tool's schema asks the model for a carried argument.
const (
	// Optional makes the argument optional and says so in its description. A model that means another
	// value than the newest can still pass it.
	Optional = "optional"
	// Hidden removes the argument from the schema.
	Hidden = "hidden"
	// AsIs does not change the schema.
	AsIs = "as-is"
)

// optionalText returns the description that says when to leave an argument out.
func optionalText(r *carry.Rule, argument string) string {
	if r.Flow.Parent == "" || r.OnlyByKey() {
		return "Filled in automatically: leave it out, unless you mean a value other than the newest of this conversation."
	}
	return "Filled in automatically: leave it out while this conversation works with one session. Once it has opened a second one, " +
		"such as for a sub-agent, pass the " + argument + " of the session you mean, as you last saw it."
}

// relaxSchema changes a raw tools/list result, so that it does not require arguments that rules fill in.
func relaxSchema(all []carry.Rule, leaves func(tool string) bool, schema string, result []byte) []byte {
	if schema == AsIs {
		return result
	}
	return within(result, "tools", func(tools []byte) []byte {
		return each(tools, func(tool []byte) []byte {
			members, err := jsonraw.Object(tool)
			name := members.String("name")
			if err != nil || name == "" || leaves(name) {
				return tool
			}
			for i := range all {
				argument := all[i].Takes(name)
				if argument == "" {
					continue
				}
				tool = within(tool, "inputSchema", func(s []byte) []byte {
					return relaxed(s, carry.Path(argument).Parts(), schema, optionalText(&all[i], argument))
				})
			}
			return tool
		})
	})
}

// relaxed returns an object's schema with the argument at a path relaxed; text is its new description.
func relaxed(schema []byte, path []string, how, text string) []byte {
	if !hasArgument(schema, path) {
		return schema
	}
	if len(path) > 1 {
		return within(schema, "properties", func(properties []byte) []byte {
			return within(properties, path[0], func(inner []byte) []byte { return relaxed(inner, path[1:], how, text) })
		})
	}
	schema = within(schema, "required", func(required []byte) []byte { return removeString(required, path[0]) })
	return within(schema, "properties", func(properties []byte) []byte {
		if how == Hidden {
			return jsonraw.Remove(properties, path[0])
		}
		return within(properties, path[0], func(property []byte) []byte {
			if now := jsonraw.Set(property, "description", jsonraw.Quote(text)); now != nil {
				return now
			}
			return property // it is not an object, such as true
		})
	})
}

func removeString(array []byte, name string) []byte {
	elements, _ := jsonraw.ArrayIn(array) // none if it is not an array
	left := slices.DeleteFunc(slices.Clone(elements), func(e []byte) bool {
		s, ok := jsonraw.Unquote(e)
		return ok && s == name
	})
	if len(left) == len(elements) {
		return array
	}
	return jsonraw.List(left)
}
