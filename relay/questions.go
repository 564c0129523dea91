package relay

import (
	"bytes"
	"strconv"

	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

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
