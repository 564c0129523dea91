package relay

import (
	"hash/maphash"
	"maps"
	"time"

	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// greeting is what the client has told the server that a new process must be told again, as raw messages. The revision of
// 2026-07-28 has no handshake, so there it is only what the client listens to.
type greeting struct {
	said       map[string][]byte // the last initialize, notifications/initialized, logging/setLevel, first tools/list
	subscribed map[string][]byte // resources/subscribe, by address
	listens    map[string][]byte // subscriptions/listen, by wire.Key of the id
	tools      uint64            // the hash of the answer to tools/list
}

func newGreeting() greeting {
	return greeting{said: map[string][]byte{}, subscribed: map[string][]byte{}, listens: map[string][]byte{}}
}

// greetTimeout is how long a new process may take to answer initialize.
const greetTimeout = 30 * time.Second

var toolsSeed = maphash.MakeSeed()

// note keeps a message of the client, if it is one that a new process must be told again.
func (p *proxy) note(m wire.Message) {
	if p.upstream == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	into, key := p.greeting.said, m.Method
	switch m.Method {
	case "initialize":
		p.greeting = newGreeting()
		into = p.greeting.said
	case "notifications/initialized", "logging/setLevel":
	case "tools/list":
		if !firstPage(m) {
			return
		}
	case "subscriptions/listen":
		into, key = p.greeting.listens, wire.Key(m.ID)
	case "resources/subscribe", "resources/unsubscribe":
		if into, key = p.greeting.subscribed, jsonraw.In(m.Params.Value).String("uri"); m.Method == "resources/unsubscribe" {
			delete(into, key)
			return
		}
	default:
		return
	}
	if len(into) < maxCalls {
		into[key] = m.Raw
	}
}

// firstPage reports whether a request for a list asks for its beginning.
func firstPage(m wire.Message) bool { return jsonraw.In(m.Params.Value).Get("cursor") == nil }

// greet tells a new process what the client has told the one before it. It reports whether the process has answered.
func (u *upstream) greet(to *process) bool {
	p := u.proxy
	p.mu.Lock()
	maps.DeleteFunc(p.greeting.listens, func(key string, _ []byte) bool { return !p.passing[key] }) // it was answered, so it has ended
	g := p.greeting
	g.said, g.listens, g.subscribed = maps.Clone(g.said), maps.Clone(g.listens), maps.Clone(g.subscribed)
	p.mu.Unlock()
	for _, line := range g.listens {
		u.tell(to, line)
	}
	if line := g.said["initialize"]; line != nil && u.awaitAnswer(to, u.ask(to, line)) == nil {
		return false
	}
	u.tell(to, g.said["notifications/initialized"])
	if line := g.said["logging/setLevel"]; line != nil {
		u.ask(to, line)
	}
	for _, line := range g.subscribed {
		u.ask(to, line)
	}
	if line := g.said["tools/list"]; line != nil {
		go u.compare(to, g, u.ask(to, line))
	}
	return true
}

// tell writes to a process, if that still runs.
func (u *upstream) tell(to *process, line []byte) {
	u.proxy.server.mu.Lock()
	defer u.proxy.server.mu.Unlock()
	if u.now.Load() == to {
		_ = u.proxy.server.put(line) // the end of the server is noticed elsewhere
	}
}

// ask repeats a request of the client with an id of the relay's own. The answer is not forwarded.
func (u *upstream) ask(to *process, line []byte) <-chan []byte {
	p := u.proxy
	answer := make(chan []byte, 1)
	p.mu.Lock()
	id := p.ownID()
	p.calls[wire.Key(id)] = &call{toolCall: toolCall{id: wire.Key(id)}, own: answer, stage: running}
	p.mu.Unlock()
	u.tell(to, jsonraw.Set(line, "id", id))
	return answer
}

// awaitAnswer waits for an answer of a process, and returns nil if there is none.
func (u *upstream) awaitAnswer(of *process, answer <-chan []byte) []byte {
	select {
	case raw := <-answer:
		return raw
	case <-of.ended:
	case <-u.proxy.limits.greetingOver(greetTimeout):
	}
	return nil
}

// compare tells the client if a new process has other tools than the one before it.
func (u *upstream) compare(of *process, g greeting, list <-chan []byte) {
	raw := u.awaitAnswer(of, list)
	m, _ := wire.Parse(raw)
	if m.Result.Value == nil {
		return
	}
	p := u.proxy
	p.engine.see(m.Result.Value)
	if maphash.Bytes(toolsSeed, m.Result.Value) == g.tools {
		return
	}
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"`
	if g.said["initialize"] != nil {
		_ = p.client.write([]byte(changed + "}\n")) // the reader notices a closed client
	}
	for key := range g.listens {
		_ = p.client.write([]byte(changed + `,"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(wire.ID(key)) + "}}}\n"))
	}
}

// fail answers every request that the server has not answered, because it has ended. What the client listens to stays open for
// the next process. p.server.mu must be locked.
func (p *proxy) fail(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renewed = true
	p.withdrawAll()
	for key := range p.passing {
		if p.greeting.listens[key] == nil {
			delete(p.passing, key)
			p.answerError(key, why)
		}
	}
	var lost []*call
	for key, c := range p.calls {
		switch {
		case c.own != nil, c.stage == cancelled:
			delete(p.calls, key)
		case c.stage == running:
			p.answerError(key, why)
			p.failed(c, "the server ended before it answered")
			lost = append(lost, c)
		}
	}
	for _, c := range lost {
		p.forget(c) // a call that waited for it starts the server, so every answer is before that
	}
}

// answerError answers a request with an error. p.mu must be locked.
func (p *proxy) answerError(key, why string) {
	line := `{"jsonrpc":"2.0","id":` + string(wire.ID(key)) + `,"error":{"code":-32603,"message":` + string(jsonraw.Quote("wsi relay: "+why)) + "}}\n"
	p.do(func() { _ = p.client.write([]byte(line)) }) // the reader notices a closed client
}
