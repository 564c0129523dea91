package relay

import (
	"bytes"
	"time"

	"wsi/harnesses"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// answered returns the tracked call that a message answers, nil if there is none.
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

// pass reports whether a line from the server can be forwarded unread: no tracked call waits for an answer, or
// the line answers another request.
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

// isWaiting reports whether the client waits for an answer.
func (t *proxy) isWaiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if c.stage != cancelled {
			return true
		}
	}
	return len(t.passing) > 0
}

// hasHeld reports whether a call has not been sent yet.
func (t *proxy) hasHeld() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queue.held > 0 || len(t.todo) > 0
}

// fromServer forwards a message to the client, after it has stored the values in it.
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
	return rawjson.Replace(m.Raw, m.Result, now)
}

// result stores the values of a call's answer, releases the next call, and forwards the answer.
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
	if c.notice != "" {
		v.add("wsi: " + c.notice)
	}
	t.release(c)
	line := v.line(m)
	took := time.Since(start)
	gone := t.client.write(line...)
	t.engine.note(harnesses.Capture, c.toolCall, d, keep, err, start, took)
	return gone
}
