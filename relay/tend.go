package relay

import (
	"os"
	"slices"
	"time"

	"wsi/internal/lists"
)

// tend starts the server again when a watched file has changed.
func (u *upstream) tend(done <-chan struct{}) {
	ticks := time.NewTicker(u.proxy.limits.tend)
	defer ticks.Stop()
	was, changed := lists.Map(u.opt.Watch, stampOf), false
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		switch now := lists.Map(u.opt.Watch, stampOf); {
		case !slices.EqualFunc(now, was, stamp.same): // it may still be written
			was, changed = now, true
		case changed:
			changed = !u.reload()
		}
	}
}

// stamp is what shows that a file was changed or replaced; package managers give all files one time.
type stamp struct {
	info    os.FileInfo // nil = it does not exist
	changed int64       // when its inode was changed; 0 on Windows
}

func stampOf(file string) stamp {
	s := stamp{changed: inodeChanged(file)}
	s.info, _ = os.Stat(file) // nil if it fails
	if s.info != nil {
		os.SameFile(s.info, s.info) // on Windows it reads the file's index at the first call
	}
	return s
}

func (s stamp) same(as stamp) bool {
	if s.info == nil || as.info == nil {
		return s.info == as.info
	}
	return os.SameFile(s.info, as.info) && s.info.Size() == as.info.Size() && s.info.ModTime().Equal(as.info.ModTime()) && s.changed == as.changed
}

// reload starts the server again between two calls. It returns false if that must wait.
func (u *upstream) reload() bool {
	u.proxy.server.mu.Lock()
	defer u.proxy.server.mu.Unlock()
	p := u.now.Load()
	if p != nil && (!u.ready || u.proxy.isOpen()) {
		return false
	}
	u.proxy.mu.Lock()
	u.failed, u.planned, u.again = 0, "a watched file changed", p != nil
	u.proxy.mu.Unlock()
	if p == nil {
		_ = u.start() // the next request gets the error
		return true
	}
	u.ready = false
	go p.retire(u.grace)
	return true
}

// isOpen reports whether client or server wait for something else than what the client listens to.
func (p *proxy) isOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.stage != cancelled {
			return true
		}
	}
	for key := range p.passing {
		if p.greeting.listens[key] == nil {
			return true
		}
	}
	return len(p.asked) > 0
}
