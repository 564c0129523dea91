package relay

import (
	"slices"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/schemas"
)

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

// keepSchemas keeps which tools the list of tools has added to the rules, for hooks and for a relay that is started
// without being asked for the list: Claude Code 2.1.329 restarts a server that has died and makes the next call at once.
func (e *engine) keepSchemas(r inForce) {
	if e.schemas.Dir != "" {
		_ = e.schemas.Write(e.harness, e.server, r.admitted) // without it, such a relay knows less
	}
}

// leaves reports whether the rules leave all calls of a tool alone.
func (e *engine) leaves(r inForce, tool string) bool { return r.set.Leaves(tool, e.server, tool) }

func (r inForce) concern(tool string) bool {
	return slices.ContainsFunc(r.own, func(rule carry.Rule) bool { return rule.Concerns(tool) })
}
