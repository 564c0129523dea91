package main

import (
	"maps"
	"slices"
)

// This file keeps several states of the oracle. Hooks that run at the same time get the vault's lock in an order that does
// not show from outside, so each order is possible until a later call shows that it was another.

// maxViews bounds the states of one session. It is enough for three batches of three calls.
const maxViews = 216

// sessionBelief is what the oracle believes about a session.
type sessionBelief struct {
	threads int
	of      map[string]*thread // value to thread, for values that hooks of this session could see
	answers map[string]string  // value to the value in the call that returned it
	spent   map[string]bool    // the values that were continued
	indexes map[string]bool    // the indexes that hooks of this session could see
	given   map[string]bool    // the indexes of children, opened for other agents
	back    map[*call]bool     // calls with a value that was not the newest of its thread, and was typed
}

// agentBelief is what the oracle believes about an agent.
type agentBelief struct {
	on, side     *thread
	givenIndex   string   // the last that was put into a call of it
	onIndex      string   // its own index: of the session that it opened, or named first; "" for none
	started      *thread  // its first call used a value of this thread
	childOf      string   // without an own session: the one that it has opened a child from, "" if it has opened none
	ambiguous    bool     // it opened a session for another agent, or named another one than its own
	needs        int      // how many calls in a row must name its own until that is meant again; 0 is as good as 1
	blind        bool     // no hook saw that it opened its own, or a child: wsi may take another one for its own
	refused      []string // the indexes of calls that failed and that no hook had seen, in the order in which the agent named them
	mixed        bool     // calls of its last batch named several threads
	namedBatch   int      // that batch
	namedThread  *thread  // the last of these
	missed       bool     // a hook was killed that should have seen one of the calls that make it ambiguous, or not
	used         bool     // it has opened or used a thread
	unknownValue bool     // its last call had an unknown value
	doubt        int      // how many calls must name its own until wsi is sure to know that no other is meant
	unknownBatch int      // the batch of that call: the order within a batch is unknown
	unsure       bool     // its last call's result did not confirm its thread
	unsureBatch  int      // the batch of a refused call with an older value
	killed       bool     // a hook was killed that should have seen its last value
	killedBefore bool     // the same before its last call: wsi may have assigned it to another thread
	how          string
	lastCall
}

// lastCall is what an agent's last call with each was.
type lastCall struct {
	got     string // the value in its result
	carried string // the value in it
}

// view is a state of the oracle for a session.
type view struct {
	session sessionBelief
	agents  map[*agent]agentBelief
	threads map[*thread]thread
}

func (b sessionBelief) clone() sessionBelief {
	b.of, b.answers, b.spent = maps.Clone(b.of), maps.Clone(b.answers), maps.Clone(b.spent)
	b.indexes, b.given, b.back = maps.Clone(b.indexes), maps.Clone(b.given), maps.Clone(b.back)
	return b
}

func (x thread) clone() thread {
	x.values, x.heads, x.since = maps.Clone(x.values), maps.Clone(x.heads), slices.Clone(x.since)
	return x
}

// save returns the state in force.
func (s *session) save() view {
	v := view{s.clone(), map[*agent]agentBelief{}, map[*thread]thread{}}
	add := func(all ...*thread) {
		for _, x := range all {
			if x != nil && v.threads[x].values == nil {
				v.threads[x] = x.clone()
			}
		}
	}
	for _, a := range s.known {
		v.agents[a] = a.agentBelief
		add(a.on, a.side, a.started, a.namedThread)
	}
	for _, x := range s.of {
		add(x)
	}
	return v
}

// restore puts a state into force.
func (s *session) restore(v view) {
	s.sessionBelief = v.session.clone()
	for _, a := range s.known {
		a.agentBelief = v.agents[a] // none for an agent that began later
	}
	for x, was := range v.threads {
		*x = was.clone()
	}
}

// each does something in each possible state. The first one stays in force.
func (s *session) each(do func()) {
	if len(s.views) < 2 {
		do()
		return
	}
	for i, v := range s.views {
		s.restore(v)
		do()
		s.views[i] = s.save()
	}
	s.restore(s.views[0])
}

// inAnyOrder does several things, each of which changes the oracle's state, in each possible order.
func (s *session) inAnyOrder(all []func()) {
	if len(s.views) < 2 {
		s.views = []view{s.save()}
	}
	var next []view
	for order := range permutations(len(all)) {
		for _, v := range s.views {
			s.restore(v)
			for _, i := range order {
				all[i]()
			}
			next = append(next, s.save())
		}
	}
	s.views = next[:min(len(next), maxViews)]
	s.restore(s.views[0])
}

// permutations yields the orders of n things, beginning with 0, 1, 2.
func permutations(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) { permute(nil, n, yield) }
}

func permute(begun []int, n int, yield func([]int) bool) bool {
	if len(begun) == n {
		return yield(begun)
	}
	for i := range n {
		if !slices.Contains(begun, i) && !permute(append(slices.Clone(begun), i), n, yield) {
			return false
		}
	}
	return true
}

// check does the checks of a call in each possible state. A state in which nothing is wrong was the right one, so that
// those in which something is wrong were not.
func (s *session) check(do func()) {
	w := s.w
	if len(s.views) < 2 {
		do()
		return
	}
	before, found, story := w.counts, len(w.found), len(w.story)
	type played struct {
		view   view
		counts counts
		found  []violation
		story  []string
	}
	var right, wrong []played
	for _, v := range s.views {
		s.restore(v)
		w.counts = before
		do()
		o := played{s.save(), w.counts, slices.Clone(w.found[found:]), slices.Clone(w.story[story:])}
		w.found, w.story = w.found[:found], w.story[:story]
		if len(o.found) == 0 {
			right = append(right, o)
		} else {
			wrong = append(wrong, o)
		}
	}
	all := right
	if len(right) == 0 {
		all = wrong
	}
	s.views = s.views[:0]
	for _, o := range all {
		s.views = append(s.views, o.view)
	}
	w.counts, w.found, w.story = all[0].counts, append(w.found, all[0].found...), append(w.story, all[0].story...)
	s.restore(s.views[0])
}
