package relay

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// takeAnswered stops tracking the call that a message answers and returns it, nil if there is none.
func (p *proxy) takeAnswered(id []byte) *call {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := wire.Key(id)
	c := p.calls[key]
	if c == nil || c.stage != running && c.stage != cancelled {
		return nil
	}
	delete(p.calls, key)
	return c
}

// canPass reports whether a line from the server can be forwarded unread: no tracked call waits for an answer, or
// the line answers another request.
func (p *proxy) canPass(of *process, line []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.calls) == 0 && len(p.passing) == 0 {
		return p.upstream == nil // else it may be a request
	}
	id, ok := wire.AnswerID(line)
	if !ok {
		return false
	}
	key := wire.Key(id)
	if p.passing[key] {
		delete(p.passing, key)
		of.serves()
		return true
	}
	c := p.calls[key]
	if c != nil && c.plain && !(p.engine.reforms() && bytes.Contains(line, []byte(`"structuredContent"`))) {
		delete(p.calls, key)
		of.serves()
		p.outcome(harnesses.Capture, c, "", "", 0)
		return true
	}
	return c == nil
}

func (p *proxy) isWaiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.stage != cancelled && c.own == nil {
			return true
		}
	}
	return len(p.passing) > 0
}

// hasHeld reports whether a call has not been written yet.
func (p *proxy) hasHeld() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.held > 0 || len(p.todo) > 0 || p.doing || len(p.waiting.all) > 0
}

// fromServer forwards a message to the client, after it has stored the values in it. of is nil for a server over HTTP.
func (p *proxy) fromServer(of *process, line []byte) error {
	if p.canPass(of, line) {
		return p.client.write(line)
	}
	m, ok := wire.Parse(line)
	switch {
	case !ok:
	case m.Request():
		line = p.ask(of, m)
	case m.Method == "notifications/cancelled":
		line = p.withdraw(of, m)
	}
	if !ok || !m.Answer() {
		return p.client.write(line)
	}
	c := p.takeAnswered(m.ID)
	switch {
	case c == nil:
		return p.client.write(line)
	case c.own != nil:
		c.own <- bytes.Clone(line)
		return nil
	}
	of.serves()
	switch {
	case c.plain:
		line = p.reform(c, m)
	case c.tool != "":
		return p.finish(c, m)
	case c.message.Method == "tools/list":
		line = p.listed(c, m)
	case m.Result.Value != nil:
		p.note(c.message) // it subscribes, and the server has agreed
	}
	return p.client.write(line)
}

// listed returns a list of tools for the client, and records which tools the client knows.
func (p *proxy) listed(c *call, m wire.Message) []byte {
	if firstPage(c.message) {
		p.mu.Lock()
		p.greeting.tools = maphash.Bytes(toolsSeed, m.Result.Value)
		p.mu.Unlock()
	}
	p.engine.see(m.Result.Value)
	r := p.engine.rules()
	// Hooks read which tools the list has added to the rules, and a relay that is started without being asked for the list: Claude
	// Code 2.1.329 restarts a server that has died and makes the next call at once.
	if p.engine.schemas.Dir != "" {
		_ = p.engine.schemas.Write(p.engine.harness, p.engine.server, r.admitted) // without it, such a relay knows less
	}
	leaves := func(tool string) bool { return p.engine.leaves(r, tool) }
	return (&view{raw: relaxSchema(r.own, leaves, p.schema, m.Result.Value)}).in(m)
}

// reform returns the message of a plain call's answer in the form that the client shows whole.
func (p *proxy) reform(c *call, m wire.Message) []byte {
	p.mu.Lock()
	p.outcome(harnesses.Capture, c, "", "", 0)
	p.mu.Unlock()
	v := newView(m.Result.Value)
	if v.complete() {
		p.engine.reform(v)
	}
	return v.in(m)
}

// finish stores the values of a call's answer, releases the next call, and forwards the answer.
func (p *proxy) finish(c *call, m wire.Message) error {
	if m.Result.Value == nil {
		p.mu.Lock()
		p.failed(c, "the server answered with an error")
		p.mu.Unlock()
	}
	v := newView(m.Result.Value)
	if m.Result.Value == nil || !v.complete() {
		p.release(c)
		return p.client.write(m.Raw)
	}
	start := time.Now()
	failed := v.isError()
	var waited time.Duration
	d, keep, err := p.engine.after(p.engine.counting(&waited), c.rules, c.toolCall, v)
	if c.notice != "" {
		v.add("wsi: "+c.notice, false)
	}
	p.release(c)
	p.engine.reform(v)
	line := v.in(m)
	took := time.Since(start)
	gone := p.client.write(line)
	p.engine.log(harnesses.Capture, c.toolCall, decided{d, failed, err, start, took, waited}, keep)
	return gone
}

// decided is what the rules decided about a call or a result, for the journal. About a call, the journal has it once the call is sent.
type decided struct {
	carry.Decision
	failed bool // the result is an error
	err    error
	start  time.Time
	took   time.Duration
	waited time.Duration // the part of it spent waiting
}

// pause records that a call waits from now on, for other calls or for the server. p.mu must be locked.
func (c *call) pause() { c.paused = time.Now() }

// resume records that a call waits no longer. p.mu must be locked.
func (c *call) resume() {
	if !c.paused.IsZero() {
		c.delay, c.paused = c.delay+time.Since(c.paused), time.Time{}
	}
}

// sent writes to the journal that a call has reached the server.
func (p *proxy) sent(c *call) {
	if c != nil && c.tool != "" && !c.plain {
		p.engine.log(harnesses.Inject, c.toolCall, c.decided.after(c.delay), "")
	}
}

// after returns what was decided about a call that has waited for the relay, too.
func (d decided) after(wait time.Duration) decided {
	d.took, d.waited = d.took+wait, d.waited+wait
	return d
}

// notSent writes to the journal that a call has not been sent. p.mu must be locked.
func (p *proxy) notSent(c *call, did carry.Action, why string) {
	c.resume()
	p.outcome(harnesses.Inject, c, did, why, c.delay)
}

// failed writes to the journal that a call has been sent and has failed. p.mu must be locked.
func (p *proxy) failed(c *call, why string) {
	p.outcome(harnesses.Capture, c, journal.Unanswered, why, 0)
}

func (p *proxy) outcome(verb string, c *call, did carry.Action, why string, delay time.Duration) {
	if c.tool == "" || c.plain && len(c.rules.own) > 0 { // the log has all calls of a server without rules, of others those with a rule
		return
	}
	d := decided{Decision: carry.Decision{Action: did, Why: why}, start: time.Now()}.after(delay)
	call := c.toolCall
	p.unwritten = append(p.unwritten, func() { p.engine.log(verb, call, d, "") })
	p.do(p.writeJournal)
}

// question is a request of a server on stdio that the client has not answered.
type question struct {
	of *process
	id []byte // as the process wrote it
}

// ask records a request of a process, and returns it for the client: nil if the process has ended. From the second process on, the
// client gets an id of the relay's own, because the process before may have used the same one.
func (p *proxy) ask(of *process, m wire.Message) []byte {
	if p.upstream == nil {
		return m.Raw
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if of != p.upstream.now.Load() {
		return nil
	}
	line, id := m.Raw, m.ID
	if p.renewed {
		id = p.ownID()
		line = jsonraw.Set(line, "id", id)
	}
	if len(p.asked) < maxCalls {
		p.asked[wire.Key(id)] = question{of, bytes.Clone(m.ID)}
	}
	return line
}

// ownID returns an id that the relay has not used yet. p.mu must be locked.
func (p *proxy) ownID() []byte {
	p.own++
	return []byte(`"wsi-relay-` + strconv.Itoa(p.own) + `"`)
}

// withdraw forgets a request that its process has cancelled, and returns the cancellation for the client.
func (p *proxy) withdraw(of *process, m wire.Message) []byte {
	id := requestID(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, q := range p.asked {
		if q.of == of && wire.Key(q.id) == id {
			delete(p.asked, key)
			if key == id {
				break
			}
			return jsonraw.Replace(m.Raw, m.Params, jsonraw.Set(m.Params.Value, "requestId", wire.ID(key)))
		}
	}
	return m.Raw
}

// reply passes an answer of the client to the process that has asked, if that still runs.
func (p *proxy) reply(m wire.Message) error {
	if p.upstream == nil {
		return p.deliver(wire.Message{}, nil, m.Raw)
	}
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	p.mu.Lock()
	key := wire.Key(m.ID)
	q, known := p.asked[key]
	delete(p.asked, key)
	renewed := p.renewed
	p.mu.Unlock()
	line := m.Raw
	switch now := p.upstream.now.Load(); {
	case now == nil, known && q.of != now, !known && renewed:
		return nil
	case known && wire.Key(q.id) != key:
		line = jsonraw.Set(line, "id", q.id)
	}
	return p.put(line)
}

// withdrawAll cancels at the client what an ended process has asked: an answer would reach no process. p.mu must be locked.
func (p *proxy) withdrawAll() {
	for key := range p.asked {
		line := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(wire.ID(key)) + `,"reason":"the server ended"}}` + "\n"
		p.do(func() { _ = p.client.write([]byte(line)) }) // the reader notices a closed client
	}
	clear(p.asked)
}
