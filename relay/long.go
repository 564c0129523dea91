package relay

import (
	"fmt"

	"wsi/relay/wire"
)

// long writes the client's messages that are too long to be read. It knows of each only what its first and last bytes say.
type long struct {
	proxy *proxy
	to    *process
	ends  wire.Ends
	lost  error // why the server does not get all of the message
}

// part writes a piece of a message, and starts the server first if it has ended. If the server does not get all of a request, the
// client gets an error. A server that the relay cannot start again gets the pieces as they are.
func (l *long) part(piece []byte, first, last bool) error {
	server, u := l.proxy.server, l.proxy.upstream
	if u == nil || u.opt.NoRestart {
		return server.part(piece, first, last)
	}
	if first {
		l.ends = wire.Ends{}
		l.to, l.lost = u.awaitReady()
	}
	if last {
		defer server.mu.Unlock()
	}
	l.ends.Add(piece)
	var id []byte
	if last {
		id = l.ends.Request()
	}
	if id != nil && l.lost == nil {
		l.proxy.open(parcel{key: wire.Key(id)})
	}
	if l.lost == nil && server.put(piece) != nil {
		u.ready = false
		go l.to.retire(u.grace) // if it has not ended, it has closed its stdin
		if id != nil {
			return nil // it gets an error with the others
		}
		l.lost = fmt.Errorf("the server ended before it had read the request, which was not kept, because it is larger than %d MiB; the next request starts the server again", wire.MaxMessage>>20)
	}
	if id != nil && l.lost != nil {
		l.proxy.giveBack(parcel{key: wire.Key(id)}, l.lost.Error())
	}
	return nil
}
