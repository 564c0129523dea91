package setup

import "fmt"

// HookGroups says which groups of hooks, in a file of the shape [Grouped], a harness accepts.
type HookGroups struct {
	Name       string // of the harness
	Matcher    Field  // of a group
	NeedsHooks bool   // a group must have a list of hooks
	Types      map[string]HookType
}

// HookType says which hooks of one type a harness accepts.
type HookType struct {
	Required []string // fields that must be strings, even empty ones
	Optional []Field
	Also     func(hook map[string]any) *InvalidConfigError // another check, of the required fields; nil: none
}

// Check returns the first error in a list of groups, nil if there is none. place is that of the list.
func (g HookGroups) Check(place string, groups []any) *InvalidConfigError {
	for i, v := range groups {
		if bad := g.checkGroup(v); bad != nil {
			return bad.In(fmt.Sprintf("%s[%d]", place, i))
		}
	}
	return nil
}

func (g HookGroups) checkGroup(v any) *InvalidConfigError {
	group, ok := v.(map[string]any)
	if !ok {
		return Wrong("", v, "an object")
	}
	if bad := g.Matcher.Check(group); bad != nil {
		return bad
	}
	hooks, there := group["hooks"]
	list, ok := hooks.([]any)
	if !ok && (there || g.NeedsHooks) {
		return Wrong("hooks", hooks, "a list")
	}
	for i, v := range list {
		if bad := g.checkHook(v); bad != nil {
			return bad.In(fmt.Sprintf("hooks[%d]", i))
		}
	}
	return nil
}

func (g HookGroups) checkHook(v any) *InvalidConfigError {
	hook, ok := v.(map[string]any)
	if !ok {
		return Wrong("", v, "an object")
	}
	name, _ := hook["type"].(string)
	known, ok := g.Types[name]
	if !ok {
		return &InvalidConfigError{
			Place: "type", Why: "unknown type " + Shown(hook["type"]),
			Fix: "make it one that " + g.Name + " knows, such as command, or remove the entry",
		}
	}
	for _, field := range known.Required {
		if _, ok := hook[field].(string); !ok {
			return Wrong(field, hook[field], "a string")
		}
	}
	if known.Also != nil {
		if bad := known.Also(hook); bad != nil {
			return bad
		}
	}
	for _, field := range known.Optional {
		if bad := field.Check(hook); bad != nil {
			return bad
		}
	}
	return nil
}
