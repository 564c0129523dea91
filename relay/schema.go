package relay

import (
	"bytes"
	"slices"

	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

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
		return "Filled in automatically: leave it out, unless another value than this conversation's newest is meant."
	}
	return "Filled in automatically: leave it out while this conversation works with one session. Once it has opened another one, " +
		"for a sub-agent for example, pass the " + argument + " of the session that is meant, as shown in the answer that created it."
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
	elements, err := jsonraw.Array(array)
	if err != nil {
		return array
	}
	left := slices.DeleteFunc(slices.Clone(elements), func(e []byte) bool {
		s, ok := jsonraw.Unquote(e)
		return ok && s == name
	})
	if len(left) == len(elements) {
		return array
	}
	return slices.Concat([]byte{'['}, bytes.Join(left, []byte{','}), []byte{']'})
}
