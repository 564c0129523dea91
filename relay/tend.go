package relay

import (
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
		case !slices.EqualFunc(now, was, stamp.same): // it may still be written
			was, changed = now, true
		case changed:
			changed = !u.rest(true)
		case u.opt.Idle > 0:
			u.rest(false)
		}
	}
}

// stamp is what shows that a file was changed or replaced; package managers give all files one time.
type stamp struct {
	info    os.FileInfo // nil = it does not exist
	changed int64       // when its inode was changed; 0 on Windows
}

func stamps(files []string) (all []stamp) {
	for _, file := range files {
		s := stamp{changed: inodeChanged(file)}
		s.info, _ = os.Stat(file) // nil if it fails
		if s.info != nil {
			os.SameFile(s.info, s.info) // on Windows it reads the file's index at the first call
		}
		all = append(all, s)
	}
	return all
}

func (s stamp) same(as stamp) bool {
	if s.info == nil || as.info == nil {
		return s.info == as.info
	}
	return os.SameFile(s.info, as.info) && s.info.Size() == as.info.Size() && s.info.ModTime().Equal(as.info.ModTime()) && s.changed == as.changed
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
