package relay

import (
	"sync/atomic"
	"time"
)

// input is what the client sends. While a message is forwarded to a server that does not read, nothing is read from the client,
// so only input notices that the client has gone.
type input struct {
	env    Env
	die    func()        // ends the relay
	finish time.Duration // how long a client that has closed its end may wait for a server that does not read
	stuck  *time.Timer   // calls watch
	turn   atomic.Int64  // counts reads and forwardings: odd while reading, and when nothing is left to forward
}

func newInput(env Env, die func(), finish time.Duration) *input {
	i := &input{env: env, die: die, finish: finish}
	i.stuck = time.AfterFunc(idleTimeout, i.watch)
	return i
}

func (i *input) Read(b []byte) (int, error) {
	i.turn.Add(1)
	n, err := i.env.Stdin.Read(b)
	i.turn.Add(1) // at the end, too: half a message may be forwarded now
	i.stuck.Reset(idleTimeout)
	return n, err
}

// done says that everything is forwarded.
func (i *input) done() { i.turn.Add(1) }

// watch ends the relay if the client goes before its message is forwarded.
func (i *input) watch() {
	open := time.Now() // when the client's end was last seen open
	for turn := i.turn.Load(); turn%2 == 0 && i.turn.Load() == turn; time.Sleep(10 * tick) {
		if hasWriter(i.env.Stdin) {
			open = time.Now()
		}
		if !hasReader(i.env.Stdout) || time.Since(open) > i.finish {
			i.die()
			return
		}
	}
}
