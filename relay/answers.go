package relay

import (
	"bytes"
	"time"

	"wsi/harnesses"
	"wsi/relay/wire"
)

// answered returns the call that a message answers, nil if it is none that is looked into.
func (t *proxy) answered(id []byte) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := wire.Key(id)
	c := t.calls[key]
	if c == nil || c.stage != running && c.stage != cancelled {
		return nil
	}
	delete(t.calls, key)
	return c
}

// pass reports whether a line of the server's can be passed on without a look: nothing is waited for whose
// answer is looked into, or it answers something else.
func (t *proxy) pass(line []byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.calls) == 0 && len(t.passing) == 0 {
		return true
	}
	id, ok := wire.AnswerID(line)
	if !ok {
		return false
	}
	key := wire.Key(id)
	if t.passing[key] {
		delete(t.passing, key)
		return true
	}
	return t.calls[key] == nil
}

// asks reports whether an answer is waited for.
func (t *proxy) asks() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if c.stage != cancelled {
			return true
		}
	}
	return len(t.passing) > 0
}

// holds reports whether a call has still to be made.
func (t *proxy) holds() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queue.held > 0 || len(t.todo) > 0
}

// fromServer passes a message on to the client. What it hands out is kept before.
func (t *proxy) fromServer(line []byte) error {
	if t.pass(line) {
		return t.client.write(line)
	}
	m, ok := wire.Parse(line)
	if !ok || !m.Answer() {
		return t.client.write(line)
	}
	c := t.answered(m.ID)
	switch {
	case c == nil:
		return t.client.write(line)
	case c.list:
		return t.client.write(t.relaxSchema(m))
	}
	return t.result(c, m)
}

func (t *proxy) relaxSchema(m wire.Message) []byte {
	t.engine.tools.see(m.Result.Value)
	r := t.engine.rules()
	leaves := func(tool string) bool { return t.engine.leaves(r, tool) }
	now := relaxSchema(r.own, leaves, t.schema, m.Result.Value)
	if bytes.Equal(now, m.Result.Value) {
		return m.Raw
	}
	return m.Splice(m.Result, now)
}

// result keeps what a call's answer hands out, lets the next call be made, and passes the answer on.
func (t *proxy) result(c *call, m wire.Message) error {
	if m.Result.Value == nil {
		t.release(c)
		return t.client.write(m.Raw)
	}
	v := look(m.Result.Value)
	if !v.complete() {
		t.release(c)
		return t.client.write(m.Raw)
	}
	start := time.Now()
	d, keep, err := t.engine.after(c.rules, c.toolCall, v)
	if c.tell != "" {
		v.add("wsi: " + c.tell)
	}
	t.release(c)
	line := v.line(m)
	took := time.Since(start)
	gone := t.client.write(line...)
	t.engine.note(harnesses.Capture, c.toolCall, d, keep, err, start, took)
	return gone
}
