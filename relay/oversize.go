package relay

import (
	"errors"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
)

// oversize handles a message from the server that is too long to be read. The message may answer any running
// call. So no later call waits for them, and their values are lost unless an answer still arrives.
func (p *proxy) oversize() {
	p.mu.Lock()
	clear(p.passing)
	var all []*call
	for _, c := range p.calls {
		if c.stage == running {
			all = append(all, c)
		}
	}
	p.mu.Unlock()
	for _, c := range all {
		if !c.list {
			start := time.Now()
			d := carry.Decision{Action: carry.Left, Why: "its result may be one that was too large to be read"}
			p.engine.log(harnesses.Capture, c.toolCall, d, "", p.engine.lose(c.rules, c.toolCall), start, time.Since(start))
		}
		p.mu.Lock()
		if c.stage == running {
			p.giveUp(c)
		}
		p.mu.Unlock()
	}
}

// lose does what after does, for a result that was not seen.
func (e *engine) lose(rules inForce, c toolCall) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	port := resultPort{e.of(c)}
	var errs []error
	for _, s := range e.sets(rules, c.owner) {
		errs = append(errs, e.vault.Update(s.Harness, s.Session, func(state *carry.State) bool {
			return port.Keep(s.After(state, carry.Result{Hidden: true}, port))
		}))
	}
	return errors.Join(errs...)
}
