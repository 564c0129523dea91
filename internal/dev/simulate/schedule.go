package main

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// run plays one schedule. An error is one of the simulator. The violations are in the world's found.
func run(seed uint64, p plan, port port) (*world, error) {
	w, err := newWorld(seed, p, port)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for w.done < p.steps {
		w.step()
	}
	return w, w.audit()
}

// step does one thing: an agent begins its next calls, one of them advances, or a session or the server starts, ends,
// forks or restarts.
func (w *world) step() {
	s := w.sessions[w.r.IntN(len(w.sessions))]
	a := s.agents[w.r.IntN(len(s.agents))]
	switch {
	case len(a.batch) > 0:
		a.advanceBatch()
		return
	case a.waits:
		return
	}
	w.done++
	switch n := w.r.IntN(200); {
	case n < 2:
		w.restart()
		w.logf("the server restarts")
		w.counts["server restarts"]++
	case n < 3 && len(w.sessions) < 4:
		w.open(s)
		w.logf("session %d is forked: session %d", s.number, len(w.sessions))
		w.counts["forks"]++
	case n < 4 && s.idle():
		s.resume()
	case n < 20 && len(s.agents) < 5:
		a.startSubagent()
	case n < 40 && a.id != "" && a.calls > 1:
		w.logf("%-8s ends", a.name())
		a.end()
	case w.collects && n < 44 && len(a.knows) > 0:
		a.useTwin()
	default:
		w.now = w.now.Add(time.Duration(w.r.IntN(3)) * time.Second)
		a.batch = w.kind.choose(a)
		a.batches++
		a.done = slices.Clone(a.batch)
		for _, c := range a.batch {
			c.batch = a.batches
		}
		w.done += len(a.batch) - 1
	}
}

func (s *session) idle() bool {
	return !slices.ContainsFunc(s.agents, func(a *agent) bool { return len(a.batch) > 0 })
}

// resume restarts the harness, which ends its sub-agents.
func (s *session) resume() {
	s.w.logf("session %d is resumed", s.number)
	s.w.counts["resumed"]++
	s.agents, s.main.waits = []*agent{s.main}, false
}

// startSubagent starts a sub-agent with a value in its prompt, which it types, leaves out or adopts.
func (a *agent) startSubagent() {
	w := a.session.w
	handed, first := "", leftOut
	if n := len(a.knows); n > 0 && w.r.IntN(5) > 0 {
		handed = a.knows[max(0, n-1-w.r.IntN(4))]
		first = []form{exact, exact, exact, "adopt", "adopt", leftOut}[w.r.IntN(6)]
	}
	sub := a.spawn(handed, first, w.r.IntN(3) == 0)
	w.logf("%-8s starts %s with %s, first: %s", a.name(), sub.id, a.session.describe(handed), first)
	w.counts["sub-agents"]++
}

// advanceBatch advances the agent's calls by one stage. All hooks before the calls run first. Then each call is made
// and its hook runs, in any order or all at the same time.
func (a *agent) advanceBatch() {
	w := a.session.w
	var waiting, made []*call
	for _, c := range a.batch {
		switch c.stage {
		case 0:
			waiting = append(waiting, c)
		case 2:
			made = append(made, c)
		}
	}
	if len(waiting) > 0 {
		w.writeLate()
	}
	switch {
	case len(waiting) > 1 && w.r.IntN(3) == 0:
		a.together(waiting)
	case len(waiting) > 0:
		c := waiting[0]
		stdout, err := c.runBefore()
		c.applyAnswer(stdout, err)
	case len(made) > 1 && w.r.IntN(3) == 0:
		a.togetherAfter(made)
	case len(made) > 0 && w.r.IntN(2) == 0:
		a.finish(made[w.r.IntN(len(made))])
	default:
		for _, c := range a.batch {
			if c.stage == 1 {
				c.lost = w.r.IntN(100) == 0
				c.serve()
				return
			}
		}
		if len(made) > 0 {
			a.finish(made[0])
		}
	}
	if a.batch = slices.DeleteFunc(a.batch, func(c *call) bool { return c.stage == 3 }); len(a.batch) == 0 {
		a.endBatch()
	}
}

// together runs the hooks before several calls at the same time.
func (a *agent) together(calls []*call) {
	answers := make([][]byte, len(calls))
	errs := make([]error, len(calls))
	a.session.w.atOnce(len(calls), func(i int) { answers[i], errs[i] = calls[i].runBefore() })
	for i, c := range calls {
		c.applyAnswer(answers[i], errs[i])
	}
}

// togetherAfter runs the hooks after several calls at the same time. The order in which they ended does not tell which
// call was the last one for them.
func (a *agent) togetherAfter(calls []*call) {
	w := a.session.w
	errs := make([]error, len(calls))
	order := w.atOnce(len(calls), func(i int) { errs[i] = calls[i].runAfter(true, false, 0) })
	var ends []ending
	var observe []func()
	for _, i := range order {
		if errs[i] != nil {
			w.violation(calls[i], "the hook failed", errs[i].Error())
		}
		o := calls[i].ends(true)
		ends, observe = append(ends, o), append(observe, o.observe)
	}
	if w.port.sequential() {
		for _, do := range observe {
			a.session.each(do)
		}
	} else {
		a.session.inAnyOrder(observe)
	}
	for _, o := range ends {
		o.read()
	}
}

// atOnce does n things at the same time, or in random order. It returns the order in which they finished.
func (w *world) atOnce(n int, do func(i int)) (order []int) {
	if w.port.sequential() {
		order = rand.New(rand.NewPCG(w.seed, uint64(w.done))).Perm(n) //nolint:gosec // no secret
		for _, i := range order {
			do(i)
		}
		return order
	}
	var all sync.WaitGroup
	done := make(chan int, n)
	for i := range n {
		all.Go(func() {
			do(i)
			done <- i
		})
	}
	all.Wait()
	close(done)
	for i := range done {
		order = append(order, i)
	}
	return order
}

func (a *agent) finish(c *call) {
	w := a.session.w
	kill := w.kills && w.r.IntN(60) == 0
	err := c.runAfter(w.r.IntN(2) == 0, kill, time.Duration(w.r.IntN(3))*time.Millisecond)
	c.ended(err, !kill)
}

func (c *call) ended(err error, seen bool) {
	if err != nil {
		c.a.session.w.violation(c, "the hook failed", err.Error())
	}
	c.finishCall(seen)
}
