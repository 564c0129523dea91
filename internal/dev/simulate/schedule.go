package main

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// run plays one schedule. An error is the simulator's own; what wsi does wrong is in found.
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

// step is one thing that happens: an agent begins its next calls, or one of them goes on, or somebody
// starts, ends, forks, restarts.
func (w *world) step() {
	s := w.sessions[w.r.IntN(len(w.sessions))]
	a := s.agents[w.r.IntN(len(s.agents))]
	switch {
	case len(a.batch) > 0:
		a.goOn()
		return
	case a.waits:
		return
	}
	w.done++
	switch n := w.r.IntN(200); {
	case n < 2:
		w.restart()
		w.tells("the server starts anew")
		w.counts.restarts++
	case n < 3 && len(w.sessions) < 4:
		w.open(s)
		w.tells("session %d is forked: session %d", s.number, len(w.sessions))
		w.counts.forks++
	case n < 4 && s.idle():
		s.resume()
	case n < 20 && len(s.agents) < 5:
		a.sends()
	case n < 40 && a.id != "" && a.calls > 1:
		w.tells("%-8s ends", a.name())
		a.ends()
	default:
		w.now = w.now.Add(time.Duration(w.r.IntN(3)) * time.Second)
		a.batch = a.choose()
		a.batches++
		for _, c := range a.batch {
			c.beside, c.batch = len(a.batch) > 1, a.batches
		}
		w.done += len(a.batch) - 1
	}
}

func (s *session) idle() bool {
	return !slices.ContainsFunc(s.agents, func(a *agent) bool { return len(a.batch) > 0 })
}

// resume: the harness was ended and started again. Sub-agents are gone.
func (s *session) resume() {
	s.w.tells("session %d is resumed", s.number)
	s.w.counts.resumed++
	s.agents, s.main.waits = []*agent{s.main}, false
}

// sends starts a sub-agent: with a value in its prompt, which it types, leaves out or adopts.
func (a *agent) sends() {
	w := a.session.w
	handed, first := "", leftOut
	if n := len(a.knows); n > 0 && w.r.IntN(5) > 0 {
		handed = a.knows[max(0, n-1-w.r.IntN(4))]
		first = []form{whole, whole, whole, "adopt", "adopt", leftOut}[w.r.IntN(6)]
	}
	sub := a.spawn(handed, first, w.r.IntN(3) == 0)
	w.tells("%-8s starts %s, handed %s, first: %s", a.name(), sub.id, a.session.shown(handed), first)
	w.counts.agents++
}

// goOn lets the agent's calls go on by one stage. All hooks before them run first; then each is made
// and its hook runs, in any order, or all hooks at once.
func (a *agent) goOn() {
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
	switch {
	case len(waiting) > 1 && w.r.IntN(3) == 0:
		a.together(waiting)
	case len(waiting) > 0:
		c := waiting[0]
		stdout, err := c.begin()
		c.begun(stdout, err)
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
	a.batch = slices.DeleteFunc(a.batch, func(c *call) bool { return c.stage == 3 })
}

// together runs the hooks before several calls at once.
func (a *agent) together(calls []*call) {
	answers := make([][]byte, len(calls))
	errs := make([]error, len(calls))
	a.session.w.atOnce(len(calls), func(i int) { answers[i], errs[i] = calls[i].begin() })
	for i, c := range calls {
		c.begun(answers[i], errs[i])
	}
}

// togetherAfter runs the hooks after several calls at once. The agent reads the results in the order in which
// they came through: which of two calls made at once was its last, nobody else can say.
func (a *agent) togetherAfter(calls []*call) {
	errs := make([]error, len(calls))
	order := a.session.w.atOnce(len(calls), func(i int) { errs[i] = calls[i].after(true, false, 0) })
	for _, i := range order {
		calls[i].ended(errs[i], true)
	}
}

// atOnce does n things at the same time, or in any order. It returns the order in which they were done.
func (w *world) atOnce(n int, do func(i int)) (order []int) {
	if w.port.orders() {
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
	err := c.after(w.r.IntN(2) == 0, kill, time.Duration(w.r.IntN(3))*time.Millisecond)
	c.ended(err, !kill)
}

func (c *call) ended(err error, seen bool) {
	if err != nil {
		c.a.session.w.violates(c, "the hook failed", err.Error())
	}
	c.finished(seen)
}
