package relay

import (
	"math/rand/v2"
	"strconv"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/clients"
	"wsi/hook/callers"
	"wsi/internal/jsonraw"
)

type caller struct {
	session, agent string
	agents         bool   // the agent is known, the main one included
	why            string // if not known, the reason
}

func (c caller) isKnown() bool { return c.session != "" }

// identity determines the callers of calls, from what the harness sends on the wire, from notes of the hook,
// or from the environment. After a call with a caller's name, the caller of a call without one is unknown.
type identity struct {
	harness    string
	can        harnesses.Capabilities
	notes      callers.Notes
	connection caller // for a call without a caller's name
	named      bool   // a call had a caller's name
}

// newIdentity returns the identity of the calls on one connection.
func newIdentity(env Env, opt Options) *identity {
	unique := strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatInt(time.Now().UnixNano(), 36) //nolint:gosec // no secret
	i := &identity{harness: opt.Harness, can: clients.Capabilities(opt.Harness), notes: callers.In(stateDir(env, opt)), connection: caller{session: "connection " + unique}}
	if name := i.can.SessionVariable; name != "" && env.Getenv(name) != "" {
		i.connection = caller{session: env.Getenv(name)}
	}
	return i
}

// of returns the caller of a call, and the call's arguments without a mark. meta is the raw _meta of the call's
// parameters, nil if there is none.
func (i *identity) of(meta, args []byte) (caller, []byte, error) {
	var said harnesses.Caller
	if i.can.Caller != nil {
		said = i.can.Caller(meta)
	}
	if i.can.Marks {
		said.Note, args = harnesses.Inside(args).String(harnesses.MarkArgument), jsonraw.Remove(args, harnesses.MarkArgument)
	}
	c := caller{session: said.Session, agent: said.Agent}
	if said.Note != "" {
		noted, err := i.notes.Read(i.harness, said.Note)
		if err != nil {
			return caller{why: "its caller's note cannot be read"}, args, err
		}
		c = caller{session: noted.Session, agent: noted.Agent}
	}
	if c.isKnown() {
		c.agents, i.named = true, true
		return c, args, nil
	}
	if i.named {
		return caller{why: "the harness does not say who makes it"}, args, nil
	}
	return i.connection, args, nil
}
