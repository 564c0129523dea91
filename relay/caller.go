package relay

import (
	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/hook/callers"
	"wsi/relay/wire"
)

// caller is whose call it is.
type caller struct {
	session, agent string
	agents         bool // the agent is known, the main one included; else all agents of the session look alike
	why            string
}

// known tells whether anything is to be done for the call.
func (o caller) known() bool { return o.session != "" }

// identity finds out who makes a call, from what the harness says on the wire, notes, or has put into the
// environment. A harness that has once named an owner names all: a call without a name is nobody's then.
type identity struct {
	harness    string
	can        harnesses.Capabilities
	notes      callers.Notes
	connection caller // for a call that names nobody
	named      bool
}

// newIdentity returns the identity of the calls on one connection. No other connection has the same name.
func newIdentity(harness string, notes callers.Notes, getenv func(string) string, connection string) *identity {
	h, _ := registry.Get(harness)
	i := &identity{harness: harness, can: h.Capabilities, notes: notes, connection: caller{session: "connection " + connection}}
	if name := i.can.SessionVariable; name != "" && getenv(name) != "" {
		i.connection = caller{session: getenv(name)}
	}
	return i
}

// of returns who makes a call, and its arguments without a mark. meta is the raw _meta of the call's parameters,
// nil without one.
func (i *identity) of(meta, args []byte) (caller, []byte, error) {
	var o caller
	if i.can.Caller != nil {
		said := i.can.Caller(meta, args)
		o = caller{session: said.Session, agent: said.Agent}
		if said.Marked {
			args = wire.Remove(args, harnesses.MarkArgument)
		}
		if said.Note != "" {
			noted, ok, err := i.notes.Read(i.harness, said.Note)
			if err != nil {
				return caller{why: "its caller's note cannot be read"}, args, err
			}
			if ok {
				o = caller{session: noted.Session, agent: noted.Agent}
			}
		}
	}
	if o.known() {
		o.agents, i.named = true, true
		return o, args, nil
	}
	if i.named {
		return caller{why: "the harness does not say who makes it"}, args, nil
	}
	return i.connection, args, nil
}

// marks reports whether the arguments of calls hold a mark, whatever the tool is.
func (i *identity) marks() bool { return i.can.Mark != nil }

// unmark returns the arguments of a call without a mark.
func (i *identity) unmark(args []byte) []byte {
	if !i.marks() || !i.can.Caller(nil, args).Marked {
		return args
	}
	return wire.Remove(args, harnesses.MarkArgument)
}
