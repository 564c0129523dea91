package relay

import (
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
)

// decided is what the rules decided about a call or a result, for the journal. About a call, the journal has it once the call is sent.
type decided struct {
	carry.Decision
	err    error
	start  time.Time
	took   time.Duration
	waited time.Duration // the part of it spent waiting
}

// pause records that a call waits from now on, for other calls or for the server. p.mu must be locked.
func (c *call) pause() { c.paused = time.Now() }

// resume records that a call waits no longer. p.mu must be locked.
func (c *call) resume() {
	if !c.paused.IsZero() {
		c.delay, c.paused = c.delay+time.Since(c.paused), time.Time{}
	}
}

// sent writes to the journal that a call has reached the server.
func (p *proxy) sent(c *call) {
	if c != nil && c.tool != "" && !c.plain {
		p.engine.log(harnesses.Inject, c.toolCall, c.decided.after(c.delay), "")
	}
}

// after returns what was decided about a call that has waited for the relay, too.
func (d decided) after(wait time.Duration) decided {
	d.took, d.waited = d.took+wait, d.waited+wait
	return d
}

// notSent writes to the journal that a call has not been sent. p.mu must be locked.
func (p *proxy) notSent(c *call, did carry.Action, why string) {
	c.resume()
	p.outcome(harnesses.Inject, c, did, why, c.delay)
}

// failed writes to the journal that a call has been sent and has failed. p.mu must be locked.
func (p *proxy) failed(c *call, why string) {
	p.outcome(harnesses.Capture, c, journal.Unanswered, why, 0)
}

func (p *proxy) outcome(verb string, c *call, did carry.Action, why string, delay time.Duration) {
	if c.tool == "" || c.plain && len(c.rules.own) > 0 { // the log has all calls of a server without rules, of others those with a rule
		return
	}
	d := decided{Decision: carry.Decision{Action: did, Why: why}, start: time.Now()}.after(delay)
	call := c.toolCall
	p.unwritten = append(p.unwritten, func() { p.engine.log(verb, call, d, "") })
	p.do(p.writeJournal)
}
