package relay

import (
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
)

// decided is what the rules decided about a call. The journal has it once the call is sent.
type decided struct {
	carry.Decision
	err   error
	start time.Time
	took  time.Duration
}

// sent writes to the journal that a call has reached the server.
func (p *proxy) sent(c *call) {
	if c != nil && c.tool != "" {
		d := c.decided
		p.engine.log(harnesses.Inject, c.toolCall, d.Decision, "", d.err, d.start, d.took)
	}
}

// notSent writes to the journal that a call has not been sent. p.mu must be locked.
func (p *proxy) notSent(c *call, did carry.Action, why string) {
	p.outcome(harnesses.Inject, c, did, why)
}

// failed writes to the journal that a call has been sent and has failed. p.mu must be locked.
func (p *proxy) failed(c *call, why string) {
	p.outcome(harnesses.Capture, c, journal.Unanswered, why)
}

func (p *proxy) outcome(verb string, c *call, did carry.Action, why string) {
	if c == nil || c.tool == "" {
		return
	}
	call, now := c.toolCall, time.Now()
	p.do(func() { p.engine.log(verb, call, carry.Decision{Action: did, Why: why}, "", nil, now, 0) })
}
