package relay

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// proxy forwards messages between a client and a server: fromClient those of the client, fromServer those of
// the server. fromClient must be called by one goroutine, fromServer may be called by several. Waiting for one
// side never blocks the other.
type proxy struct {
	engine   *engine
	identity *identity // used by fromClient's goroutine only
	schema   string
	patience time.Duration // how long a call is held

	client, server *messageWriter

	mu    sync.Mutex
	calls map[string]*call // by wire.Key of the id, while an answer may come
	late  []string         // ids of cancelled calls, the oldest first
	queue queue

	passing map[string]bool // requests with an answer that is not inspected, by wire.Key of the id, until it comes

	work chan struct{} // todo is not empty
	todo []func()
	over bool // nothing in todo is run any more
}

// call is a request with an answer that is inspected.
type call struct {
	toolCall
	list   bool // tools/list
	rules  inForce
	raw    []byte // the message, while it waits
	reply  []byte // its id, as the client wrote it
	lanes  []string
	waits  bool // in its lanes
	stage  stage
	since  time.Time // when it was sent
	notice string    // for the model, added to the result
	timer  *time.Timer
}

type stage int

// The stages of a call. A call that was cancelled while it ran may still be answered.
const (
	held stage = iota
	sending
	running
	cancelled
	dropped
)

const (
	maxLate  = 1024
	maxCalls = 1 << 16
)

// patience is how long a call is held. OpenCode 1.18.33 gives up after 30 s.
var patience = 25 * time.Second

func newProxy(e *engine, i *identity, schema string, client, server *messageWriter) *proxy {
	return &proxy{
		engine: e, identity: i, schema: schema, patience: patience, client: client, server: server,
		calls: map[string]*call{}, passing: map[string]bool{}, work: make(chan struct{}, 1),
	}
}

// fromClient forwards a message to the server; a call may be held first.
func (t *proxy) fromClient(line []byte) error {
	m, ok := wire.Parse(line)
	if ok {
		switch {
		case m.Method == "tools/call" && m.ID != nil:
			return t.toolCall(m)
		case m.Method == "tools/list" && m.ID != nil:
			id := wire.Key(m.ID)
			t.track(id, &call{toolCall: toolCall{id: id}, list: true, stage: running})
		case m.Method == "notifications/cancelled":
			if t.cancel(m) {
				return nil
			}
		case m.Request():
			t.passes(m)
		}
	}
	return t.server.write(line)
}

// passes records a request with an answer that is not inspected, because the client waits for that too.
func (t *proxy) passes(m wire.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.passing) < maxCalls {
		t.passing[wire.Key(m.ID)] = true
	}
}

// track records a request with an answer that is inspected. It returns false if the id is in use, or there
// are too many requests.
func (t *proxy) track(id string, c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.calls[id]; other != nil && other.stage != cancelled || len(t.calls) >= maxCalls {
		return false
	}
	t.calls[id] = c
	return true
}

// toolCall sends a call, or holds it until the previous one is answered.
func (t *proxy) toolCall(m wire.Message) error {
	params, err := rawjson.Object(m.Params.Value)
	tool := params.String("name")
	args := arguments(params)
	r := t.engine.rules()
	if err != nil || tool == "" || !r.concern(tool) && !t.identity.usesMarker() {
		t.passes(m)
		return t.server.write(m.Raw)
	}
	start := time.Now()
	whose, args, err := t.identity.of(params.Get("_meta"), args) // any tool's arguments may have a marker
	if t.engine.leaves(r, tool) || !r.concern(tool) {
		t.passes(m)
		return t.server.write(withArguments(m, args))
	}
	c := &call{toolCall: toolCall{owner: whose, id: wire.Key(m.ID), tool: tool}, rules: r, stage: sending, reply: bytes.Clone(m.ID)}
	if !whose.known() {
		t.engine.note(harnesses.Inject, c.toolCall, carry.Decision{Action: carry.Left, Why: whose.why}, "", err, start, 0)
		t.passes(m)
		return t.server.write(withArguments(m, args))
	}
	c.args = args
	c.lanes = t.lanes(c)
	if !t.track(c.id, c) {
		t.passes(m)
		return t.server.write(withArguments(m, args))
	}
	if t.hold(c, m) {
		return nil
	}
	return t.send(c, m)
}

// lanes returns the names of a call's lanes (see [carry.Rule.Lanes]).
func (t *proxy) lanes(c *call) (all []string) {
	call := t.engine.of(c.toolCall)
	for _, s := range t.engine.sets(c.rules, c.owner) {
		known := sync.OnceValue(func() carry.State {
			state, _ := t.engine.vault.Load(s.Harness, s.Session) // without a state, all calls share a lane
			return state
		})
		for i := range s.Rules {
			for _, lane := range s.Rules[i].Lanes(call.For(&s.Rules[i]), known) {
				all = append(all, s.Session+"\x00"+lane)
			}
		}
	}
	return all
}

// hold reports whether a call must wait. If so, hold queues it.
func (t *proxy) hold(c *call, m wire.Message) bool {
	if c.lanes == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queue.overdue(c, t.patience) {
		c.lanes, c.alone = nil, true
		return false
	}
	c.raw = m.Raw
	now, waits := t.queue.enter(c)
	c.raw = nil
	if !waits {
		if !now { // no room
			c.lanes, c.alone = nil, true
		}
		return false
	}
	c.raw, c.stage = bytes.Clone(m.Raw), held
	c.args = nil // raw has them
	c.timer = time.AfterFunc(t.patience, func() { t.overdue(c) })
	return true
}

// overdue sends a call that has waited too long.
func (t *proxy) overdue(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.stage != held {
		return
	}
	t.turn(t.leave(c))
	c.alone = true
	t.turn([]*call{c})
}

// turn sends held calls. t.mu must be locked.
func (t *proxy) turn(all []*call) {
	for _, c := range all {
		t.one(c)
	}
}

func (t *proxy) one(c *call) {
	c.timer.Stop()
	c.stage = sending
	t.do(func() {
		m, _ := wire.Parse(c.raw) // it was parsed before
		params, _ := rawjson.Object(m.Params.Value)
		c.args = arguments(params)
		c.args = t.identity.unmark(c.args)
		c.raw = nil
		_ = t.send(c, m) // other code notices that the server has ended
	})
}

// send sends a call with the arguments that the rules decide on.
func (t *proxy) send(c *call, m wire.Message) error {
	start := time.Now()
	d, err := t.engine.before(c.rules, c.toolCall)
	if !d.Stored && !t.opens(c) { // no other call has to wait for it
		t.release(c)
	}
	switch {
	case d.Action == carry.Denied:
		t.deny(c, d.Why)
		t.engine.note(harnesses.Inject, c.toolCall, d.Decision, "", err, start, time.Since(start))
		return nil
	case d.Changes():
		c.args = d.Change.Args
	case d.ModelNotice != "":
		c.notice = d.ModelNotice
	}
	line := withArguments(m, c.args)
	took := time.Since(start)
	if !d.Changes() {
		c.args = bytes.Clone(c.args) // they are part of the reader's buffer
	}
	gone := t.make(c, line)
	t.engine.note(harnesses.Inject, c.toolCall, d.Decision, "", err, start, took)
	return gone
}

// opens reports whether a rule starts a chain with the call's result.
func (t *proxy) opens(c *call) bool {
	call := t.engine.of(c.toolCall)
	return slices.ContainsFunc(t.engine.sets(c.rules, c.owner), func(s ruleset.Set) bool {
		return slices.ContainsFunc(s.Rules, func(r carry.Rule) bool { return r.Note(call.Call).Opens })
	})
}

// make writes a call, unless it was cancelled before. A later cancellation is forwarded.
func (t *proxy) make(c *call, line []byte) error {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	t.mu.Lock()
	gone := c.stage == dropped
	if !gone {
		c.stage, c.since = running, time.Now()
	}
	t.mu.Unlock()
	if gone {
		return nil
	}
	return t.server.put(line)
}

// deny answers a call in place of the server.
func (t *proxy) deny(c *call, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.stage == dropped {
		return
	}
	t.forget(c)
	t.do(func() { _ = t.client.write(refusal(c.reply, why)) }) // the reader notices a closed client
}

// arguments returns the arguments of a call. Some clients write null for none, or omit them.
func arguments(params rawjson.Members) []byte {
	if args := params.Get("arguments"); args != nil && string(args) != "null" {
		return args
	}
	return []byte(`{}`)
}

// withArguments returns a call's message with other arguments.
func withArguments(m wire.Message, args []byte) []byte {
	params, err := rawjson.Object(m.Params.Value)
	if err != nil {
		return m.Raw
	}
	if bytes.Equal(arguments(params), args) {
		return m.Raw
	}
	return rawjson.Replace(m.Raw, m.Params, rawjson.Set(m.Params.Value, params, "arguments", args))
}

// cancel handles a cancellation. It returns true if the call was not sent yet, so that the cancellation must
// not be forwarded. OpenCode and Claude Code also cancel calls that are already answered.
func (t *proxy) cancel(m wire.Message) bool {
	params, err := rawjson.Object(m.Params.Value)
	if err != nil {
		return false
	}
	id := wire.Key(params.Get("requestId"))
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.passing, id)
	c := t.calls[id]
	if c == nil || c.list {
		return false
	}
	switch c.stage {
	case held, sending:
		if c.timer != nil {
			c.timer.Stop()
		}
		t.forget(c)
		c.stage = dropped
		return true
	case running:
		t.giveUp(c)
	case cancelled, dropped:
	}
	return false
}

// giveUp marks a running call as cancelled. It may still be answered. t.mu must be locked.
func (t *proxy) giveUp(c *call) {
	c.stage = cancelled
	t.turn(t.leave(c))
	t.late = append(t.late, c.id)
	if len(t.late) > maxLate {
		if old := t.calls[t.late[0]]; old != nil && old.stage == cancelled {
			delete(t.calls, t.late[0])
		}
		t.late = t.late[1:]
	}
}

// forget stops tracking a call and sends the next one. t.mu must be locked.
func (t *proxy) forget(c *call) {
	if t.calls[c.id] == c {
		delete(t.calls, c.id)
	}
	t.turn(t.leave(c))
}

// leave removes a call from its lanes and returns the calls that can be made now. t.mu must be locked.
func (t *proxy) leave(c *call) (next []*call) {
	next = t.queue.leave(c)
	c.lanes = nil
	return next
}

// release removes a call from its lanes and sends the next ones.
func (t *proxy) release(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn(t.leave(c))
}

// do makes perform call what. t.mu must be locked.
func (t *proxy) do(what func()) {
	if t.over {
		return
	}
	t.todo = append(t.todo, what)
	select {
	case t.work <- struct{}{}:
	default:
	}
}

// perform calls the functions passed to do, in order, so that neither reading from the client nor reading from
// the server waits for them. It returns after end.
func (t *proxy) perform() {
	for range t.work {
		for {
			t.mu.Lock()
			if len(t.todo) == 0 {
				t.mu.Unlock()
				break
			}
			what := t.todo[0]
			t.todo = t.todo[1:]
			t.mu.Unlock()
			what()
		}
	}
}

// end makes perform return after its current function.
func (t *proxy) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over, t.todo = true, nil
	close(t.work)
}
