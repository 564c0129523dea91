package relay

import (
	"bytes"
	"cmp"
	"sync"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// proxy forwards messages between a client and a server: fromClient those of the client, fromServer those of
// the server. fromClient must be called by one goroutine, fromServer may be called by several. Waiting for one
// side never blocks the other.
type proxy struct {
	engine   *engine
	identity *identity // used by fromClient's goroutine only
	schema   string
	limits   limits

	client, server *messageWriter

	mu    sync.Mutex       // guards all state, upstream's too; server.mu, which orders what is written, is locked before it
	calls map[string]*call // by wire.Key of the id, while an answer may come
	late  []string         // ids of cancelled calls, the oldest first
	queue queue

	passing map[string]bool     // requests with an answer that is not inspected, by wire.Key of the id, until it comes
	asked   map[string]question // by wire.Key of the id that the client knows

	waiting  waiting
	upstream *upstream // nil if the server is not on stdio
	greeting greeting
	own      int  // requests of the relay's own
	renewed  bool // the server is not the first process any more

	work  chan struct{} // todo is not empty
	todo  []func()
	doing bool // a function that was in todo is being run
	over  bool // nothing in todo is run any more

	unwritten []func()   // lines for the journal, which are written at the end, too
	writing   sync.Mutex // held while they are written
}

// call is a request with an answer that is inspected.
type call struct {
	toolCall
	message wire.Message  // as the client wrote it
	was     []byte        // its arguments, as the client wrote them
	own     chan<- []byte // takes the answer, if the relay itself asks
	plain   bool          // no rule is about it: only the form of its result may change
	rules   inForce
	lanes   []lane
	guessed bool // of a lane, that the call changes the value: an earlier call may
	waits   bool // in its lanes
	stage   stage
	since   time.Time // when it was sent
	notice  string    // for the model, added to the result
	decided decided   // by the rules
	timer   *time.Timer
	delay   time.Duration // how long it has waited to be sent
	paused  time.Time     // since when it waits, if it does
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

func newProxy(e *engine, i *identity, schema string, l limits, client, server *messageWriter) *proxy {
	return &proxy{
		engine: e, identity: i, schema: schema, limits: l, client: client, server: server,
		calls: map[string]*call{}, passing: map[string]bool{}, asked: map[string]question{}, greeting: newGreeting(), work: make(chan struct{}, 1),
	}
}

// fromClient forwards a message to the server; a call may be held first.
func (p *proxy) fromClient(line []byte) error {
	line = bytes.Clone(line) // it may wait, and some messages are kept
	m, ok := wire.Parse(line)
	switch {
	case !ok:
	case m.Method == "tools/call" && m.ID != nil:
		return p.toolCall(m)
	case m.Method == "notifications/cancelled":
		if p.cancel(m) {
			return nil
		}
	case m.Request():
		switch m.Method {
		case "tools/list", "resources/subscribe", "resources/unsubscribe":
			return p.inspect(&call{toolCall: toolCall{id: wire.Key(m.ID)}, message: m}, line)
		case "initialize":
			p.engine.meet(m.Params.Value)
		}
		return p.deliver(m, nil, line)
	case m.Answer():
		return p.reply(m)
	case m.Method == "notifications/initialized":
		p.note(m)
	}
	return p.deliver(wire.Message{}, nil, line)
}

// inspect sends a request with an answer that is inspected.
func (p *proxy) inspect(c *call, line []byte) error {
	if c.stage = sending; !p.track(c) {
		return p.deliver(wire.Message{}, nil, line)
	}
	return p.deliver(c.message, c, line)
}

// sendPlain sends a call with which no rule has anything to do.
func (p *proxy) sendPlain(c *call) error {
	if c.tool != "" && (p.engine.reforms() || len(c.rules.own) == 0) {
		c.plain = true
		return p.inspect(c, c.line())
	}
	return p.deliver(c.message, nil, c.line())
}

// track records a request with an answer that is inspected. It returns false if the id is in use, or there
// are too many requests.
func (p *proxy) track(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if other := p.calls[c.id]; other != nil && other.stage != cancelled || len(p.calls) >= maxCalls {
		return false
	}
	p.calls[c.id] = c
	return true
}

// toolCall sends a call, or holds it until the previous one is answered.
func (p *proxy) toolCall(m wire.Message) error {
	params := jsonraw.In(m.Params.Value)
	tool, was := params.String("name"), arguments(params)
	if tool == "" {
		return p.deliver(m, nil, m.Raw)
	}
	r := p.engine.admitting(p.engine.rules(), tool, was)
	c := &call{toolCall: toolCall{owner: p.identity.connection, id: wire.Key(m.ID), tool: tool, args: was}, message: m, was: was, rules: r, stage: sending}
	if !r.concern(tool) && !p.identity.can.Marks {
		return p.sendPlain(c)
	}
	start := time.Now()
	var err error
	c.owner, c.args, err = p.identity.of(params.Get("_meta"), was) // any tool's arguments may have a mark
	if p.engine.leaves(r, tool) || !r.concern(tool) {
		return p.sendPlain(c)
	}
	if !c.owner.isKnown() {
		p.engine.log(harnesses.Inject, c.toolCall, decided{Decision: carry.Decision{Action: carry.Left, Why: c.owner.why}, err: err, start: start}, "")
		return p.sendPlain(c)
	}
	c.lanes = p.lanes(c)
	if !p.track(c) {
		return p.deliver(m, nil, c.line())
	}
	if p.hold(c) {
		return nil
	}
	return p.send(c)
}

// send sends a call with what the rules put into it.
func (p *proxy) send(c *call) error {
	c.decided = decided{start: time.Now()}
	d, err := p.engine.before(p.engine.counting(&c.decided.waited), c.rules, c.toolCall)
	c.decided.Decision, c.decided.err = d.Decision, err
	p.narrow(c)
	switch {
	case d.Action == carry.Denied:
		p.deny(c, cmp.Or(d.ModelNotice, d.Why))
		c.decided.took = time.Since(c.decided.start)
		p.sent(c)
		return nil
	case d.Changes():
		c.args = d.Change.Args
	case d.ModelNotice != "":
		c.notice = d.ModelNotice
	}
	line := c.line()
	c.decided.took = time.Since(c.decided.start)
	return p.deliver(c.message, c, line)
}

func (p *proxy) deny(c *call, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.stage == dropped {
		return
	}
	p.forget(c)
	p.do(func() { _ = p.client.write(refusal(c.message.ID, why)) }) // the reader notices a closed client
}

// arguments returns the arguments of a call. Some clients write null for none, or omit them.
func arguments(params jsonraw.Members) []byte {
	if args := params.Get("arguments"); args != nil && string(args) != "null" {
		return args
	}
	return []byte(`{}`)
}

// line returns the message of a call with the arguments that it has now.
func (c *call) line() []byte {
	if bytes.Equal(c.was, c.args) {
		return c.message.Raw
	}
	return jsonraw.Replace(c.message.Raw, c.message.Params, jsonraw.Set(c.message.Params.Value, "arguments", c.args))
}

// cancel handles a cancellation. It returns true if the call was not sent yet, so that the cancellation must
// not be forwarded. OpenCode and Claude Code also cancel calls that are already answered.
func (p *proxy) cancel(m wire.Message) bool {
	id := requestID(m)
	if id == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.passing, id)
	delete(p.greeting.listens, id)
	waited := p.dropWaiting(id)
	c := p.calls[id]
	if c == nil {
		return waited
	}
	switch c.stage {
	case held, sending:
		if c.timer != nil {
			c.timer.Stop()
		}
		p.forget(c)
		c.stage = dropped
		p.notSent(c, journal.Unsent, "the harness cancelled the call first")
		return true
	case running:
		p.giveUp(c)
	case cancelled, dropped:
	}
	return false
}

// requestID returns wire.Key of the id that a cancellation names, "" if it names none.
func requestID(m wire.Message) string { return wire.Key(jsonraw.In(m.Params.Value).Get("requestId")) }

// giveUp marks a running call as cancelled. It may still be answered. p.mu must be locked.
func (p *proxy) giveUp(c *call) {
	c.stage = cancelled
	p.leave(c)
	p.late = append(p.late, c.id)
	if len(p.late) > maxLate {
		if old := p.calls[p.late[0]]; old != nil && old.stage == cancelled {
			delete(p.calls, p.late[0])
		}
		p.late = p.late[1:]
	}
}

// forget stops tracking a call and sends the next one. p.mu must be locked.
func (p *proxy) forget(c *call) {
	if p.calls[c.id] == c {
		delete(p.calls, c.id)
	}
	p.leave(c)
}

// do makes perform call what. p.mu must be locked.
func (p *proxy) do(what func()) {
	if p.over {
		return
	}
	p.todo = append(p.todo, what)
	select {
	case p.work <- struct{}{}:
	default:
	}
}

// perform calls the functions passed to do, in order, so that neither reading from the client nor reading from
// the server waits for them. It returns after end.
func (p *proxy) perform() {
	for range p.work {
		for {
			p.mu.Lock()
			p.doing = false
			if len(p.todo) == 0 {
				p.mu.Unlock()
				break
			}
			what := p.todo[0]
			p.todo, p.doing = p.todo[1:], true
			p.mu.Unlock()
			what()
		}
	}
}

// writeJournal writes the lines of the journal that are not written yet.
func (p *proxy) writeJournal() {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	all := p.unwritten
	p.unwritten = nil
	p.mu.Unlock()
	for _, write := range all {
		write()
	}
}

// end makes perform return after its current function. The journal is complete then.
func (p *proxy) end() {
	p.mu.Lock()
	p.over, p.todo = true, nil
	close(p.work)
	p.mu.Unlock()
	p.writeJournal()
}
