package relay

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/clients"
	"wsi/hook/callers"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/hook/ruleset"
	"wsi/hook/schemas"
	"wsi/hook/vault"
	"wsi/internal/jsonraw"
)

// engine applies the rules to calls and results, stores the state and writes the journal. Its methods may be
// called concurrently.
type engine struct {
	server, as string // as in Options
	harness    string
	can        harnesses.Capabilities
	vault      vault.Vault
	journal    journal.File // without a path, none is written
	current    vault.Current
	writing    sync.Mutex // held while the journal or current is written
	ruleFile   string
	room       int                   // as in carry.Call
	asIs       bool                  // results keep the server's form
	forms      atomic.Pointer[forms] // nil before the client has said who it is
	schemas    schemas.Folder

	mu    sync.Mutex        // guards what follows
	now   inForce           // its set is nil if the rules must be read
	file  stamp             // of the rule file that was read
	tools map[string][]byte // raw input schemas by tool name; nil before the first list
}

type toolCall struct {
	owner caller
	id    string
	tool  string
	args  []byte // once the call is sent, those that were sent
	alone bool   // it has waited too long, so it is not made without what it waits for
}

func (e *engine) of(c toolCall) ruleset.Call {
	return ruleset.Call{
		Call:    carry.Call{Agent: c.owner.agent, ID: c.id, Tool: c.tool, Args: c.args, Early: c.alone, Room: e.room},
		Session: vault.SessionKey(e.harness, c.owner.session),
	}
}

func (e *engine) sets(r inForce, o caller) []ruleset.Set {
	return ruleset.Split(r.own, e.harness, o.session, e.server)
}

func (e *engine) before(v vault.Vault, r inForce, c toolCall) (o ruleset.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			o, err = ruleset.Outcome{}, panicError(p)
		}
	}()
	if c.alone && slices.ContainsFunc(r.own, func(rule carry.Rule) bool { return rule.Gathers(c.tool) }) {
		return ruleset.Outcome{Decision: carry.Decision{Action: carry.Denied, Why: "an earlier call has no answer yet; repeat this call after that answer"}}, nil
	}
	call := e.of(c)
	call.Lacks = e.lacks(c.tool)
	o, err = ruleset.Before(e.sets(r, c.owner), call, func(s ruleset.Set, call ruleset.Call) (ruleset.Outcome, error) {
		return inject(v, s, call, c.owner.agents)
	})
	if err == nil {
		err = e.collections(v, r, c.owner).Gather(call.Call, &o)
	}
	return o, err
}

func (e *engine) collections(v vault.Vault, r inForce, o caller) ruleset.Collections {
	return ruleset.In(v, r.own, e.harness, o.session, e.server)
}

// counting returns the vault, which adds to waited how long it waits.
func (e *engine) counting(waited *time.Duration) vault.Vault {
	return vault.Vault{Dir: e.vault.Dir, Waited: waited}
}

// inject decides about a call. If it is not known which agent makes it, nothing is recorded.
func inject(v vault.Vault, s ruleset.Set, call ruleset.Call, agents bool) (ruleset.Outcome, error) {
	call.Others = s.Others(v)
	state, err := v.Load(s.Harness, s.Session)
	if err != nil {
		return ruleset.Outcome{}, err
	}
	if !agents {
		markAmbiguous(s, &state)
	}
	o := s.Decide(&state, call)
	if !agents || !s.Bind(&state, call, o.Each) {
		return o, nil
	}
	return s.Record(v, call, o, ruleset.Late{})
}

// markAmbiguous marks every chain that may be of one of several agents as ambiguous, so that the engine injects nothing from it.
func markAmbiguous(s ruleset.Set, state *carry.State) {
	for i := range s.Rules {
		rule := &s.Rules[i]
		if rule.OnlyByKey() || rule.Scope == carry.ScopeUser {
			continue
		}
		alive := 0
		for _, c := range state.Chains {
			if c.Server == rule.Server && c.Value != "" {
				alive++
			}
		}
		for k := range state.Uses {
			if u := &state.Uses[k]; u.Server == rule.Server && alive > 1 {
				u.Unsure = true
			}
		}
	}
}

// after stores the values of a call's result. From the result it removes those that the harness need not see,
// unless they could not be stored. current is the value for [vault.Current], "" for none.
func (e *engine) after(in vault.Vault, rules inForce, c toolCall, v *view) (all carry.Decision, current string, err error) {
	old := *v
	defer func() {
		if p := recover(); p != nil {
			*v, all, err = old, carry.Decision{}, panicError(p)
		}
	}()
	result := harnesses.ResultIn(v.members)
	if e.can.ShowsMeta || e.can.OnlyStructured && len(result.Structured) > 0 && !e.reforms() {
		result.Room = -1
	}
	var withheld bool
	var each []carry.Decision
	var errs []error
	var told string
	for _, s := range e.sets(rules, c.owner) {
		got, err := s.Capture(in, result, resultPort{e.of(c)})
		each, errs = append(each, got.Decision), append(errs, err)
		for _, rule := range got.Rules {
			if rule.Secret {
				v.strip(rule)
			}
		}
		current, told, withheld = cmp.Or(got.Current, current), told+got.Told, withheld || got.Withheld
		if got.Begins && e.journal.Path != "" {
			e.journal.Prune(time.Now())
		}
	}
	collections := e.collections(in, rules, c.owner)
	all, err = collections.Keep(e.of(c).Call, result, ruleset.Together(each), told)
	if withheld && !e.can.ShowsMeta {
		all.Why = "the model reads only structuredContent, so it sees nothing of _meta"
	}
	for i := range collections.Rules {
		if err == nil && collections.Rules[i].Secret {
			v.strip(&collections.Rules[i])
		}
	}
	if told != "" {
		v.add(ruleset.Notice(e.server, told), true)
	}
	return all, current, errors.Join(append(errs, err)...)
}

// resultPort is what the relay knows about a result; it is a [ruleset.Port].
type resultPort struct{ call ruleset.Call }

// Sent implements [ruleset.Port].
func (p resultPort) Sent(_ ruleset.Set, rule *carry.Rule, _ *carry.State) (call carry.Call, ok bool) {
	return p.call.For(rule), true
}

// Unseen implements [ruleset.Port]: the relay sees all of a result, so the value is lost.
func (resultPort) Unseen(state *carry.State, result carry.Result, d *carry.Decision) {
	carry.GiveUp(state, d.Note, result)
}

// Keep implements [ruleset.Port]. Without a value in the call or the result, and without a member of _meta to show,
// nothing has changed.
func (p resultPort) Keep(c ruleset.Captured) bool {
	return c.HasValue || slices.ContainsFunc(c.Rules, func(rule *carry.Rule) bool {
		n := rule.Note(p.call.For(rule))
		return n.Opens || n.Carried != "" || len(rule.Show) > 0
	})
}

// log writes one line of the journal about a call. current is the value for [vault.Current], "" for none.
func (e *engine) log(verb string, c toolCall, d decided, current string) {
	entry := journal.Entry{
		Time: d.start.UTC(), Verb: verb, Who: "relay", Harness: e.harness, Agent: c.owner.agent != "", Server: e.server, Tool: c.tool,
		Did: cmp.Or(string(d.Action), "nothing"), Why: d.Why, Kept: d.Kept, Given: d.Gathered, Told: d.Told, Failed: d.failed,
		Micros: d.took.Microseconds(), Waited: d.waited.Microseconds(),
	}
	if c.owner.isKnown() {
		entry.Session, entry.Unnamed = vault.SessionKey(e.harness, c.owner.session)[:8], c.owner.unnamed
	}
	if d.err != nil {
		entry.Did, entry.Why = "error", d.err.Error()
	}
	e.write(entry, current)
}

// logServer writes one line of the journal about the server: what was done, and why, in the time since then.
func (e *engine) logServer(verb, did, why string, began time.Time) {
	e.write(journal.Entry{
		Time: began.UTC(), Verb: verb, Who: "relay", Harness: e.harness, Server: e.server, Did: did, Why: why, Micros: time.Since(began).Microseconds(),
	}, "")
}

// write writes an entry of the journal, and a value for [vault.Current], "" for none.
func (e *engine) write(entry journal.Entry, value string) {
	e.writing.Lock()
	defer e.writing.Unlock()
	if err := e.current.Save(value); err != nil && entry.Why == "" {
		entry.Why = err.Error()
	}
	if e.journal.Path != "" {
		_ = e.journal.Append(entry) // the doctor reports a failure
	}
}

// panicError turns a panic into an error, so that messages go on unchanged. The panic's own text may quote a
// message.
func panicError(p any) error { return fmt.Errorf("panic: %T", p) }

type caller struct {
	session, agent string
	agents         bool   // the agent is known, the main one included
	unnamed        bool   // the session is the connection
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
	i := &identity{harness: opt.Harness, can: clients.Capabilities(opt.Harness), notes: callers.In(stateDir(env, opt)), connection: caller{session: "connection " + rand.Text(), unnamed: true}}
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
	if said.Note != "" {
		var err error
		if said, err = i.notes.Read(i.harness, said.Note); err != nil {
			return caller{why: "the note that says who calls cannot be read"}, args, err
		}
	}
	if said.Session != "" {
		i.named = true
		return caller{session: said.Session, agent: said.Agent, agents: true}, args, nil
	}
	if i.named {
		return caller{why: "the harness does not say who makes the call"}, args, nil
	}
	return i.connection, args, nil
}
