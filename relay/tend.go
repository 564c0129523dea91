package relay

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// tendEvery is how often the relay looks whether the server may rest, and whether a watched file has changed.
var tendEvery = 500 * time.Millisecond

// tend stops a server that gets no calls, and starts one again when a watched file has changed.
func (u *upstream) tend(done <-chan struct{}) {
	ticks := time.NewTicker(tendEvery)
	defer ticks.Stop()
	was, changed := stamps(u.opt.Watch), false
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		switch now := stamps(u.opt.Watch); {
		case !slices.Equal(now, was): // it may still be written
			was, changed = now, true
		case changed:
			changed = !u.rest(true)
		case u.opt.Idle > 0:
			u.rest(false)
		}
	}
}

func stamps(files []string) (all []string) {
	for _, file := range files {
		stamp := "none"
		if info, err := os.Stat(file); err == nil {
			stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		all = append(all, stamp)
	}
	return all
}

// rest stops the server between two calls. If again is true it starts the server again at once, else it stops only one that
// has been idle. It returns false if the server must not be stopped now.
func (u *upstream) rest(again bool) bool {
	u.proxy.server.mu.Lock()
	defer u.proxy.server.mu.Unlock()
	p := u.now.Load()
	if p != nil && (!u.ready || u.proxy.isOpen(!again) || !again && (p.silence() < u.opt.Idle || p.tasks.Load())) {
		return false
	}
	u.mu.Lock()
	switch u.failed = 0; {
	case again:
		u.planned = "a watched file changed"
	case p != nil:
		u.planned = "it was idle"
	}
	u.again = again && p != nil
	u.mu.Unlock()
	switch {
	case p != nil:
		u.ready = false
		go p.retire(u.grace)
	case again:
		_ = u.start() // the next request gets the error
	}
	return true
}

// isOpen reports whether client or server wait for something. With listening, what the client listens to counts, too.
func (p *proxy) isOpen(listening bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.stage != cancelled {
			return true
		}
	}
	for key := range p.passing {
		if listening || p.greeting.listens[key] == nil {
			return true
		}
	}
	return len(p.asked) > 0 || listening && len(p.greeting.subscribed) > 0
}
