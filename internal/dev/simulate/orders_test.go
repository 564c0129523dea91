package main

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// overlapping is a hook in this process that runs at the same time as others. The order in
// which they end says nothing about the order in which they get the vault.
type overlapping struct {
	inside
	one     *sync.Mutex
	forgets func() bool
}

func overlap(forgets func() bool) overlapping {
	return overlapping{one: new(sync.Mutex), forgets: forgets}
}

func (overlapping) sequential() bool { return false }

func (o overlapping) run(h home, verb string, event []byte) (stdout []byte, err error) {
	o.one.Lock()
	if verb != verbs.capture || !o.forgets() {
		stdout, err = o.inside.run(h, verb, event)
	}
	o.one.Unlock()
	if verb == verbs.capture {
		time.Sleep(time.Duration(rand.IntN(4)) * time.Millisecond / 2)
	}
	return stdout, err
}

// In whatever order hooks that run at the same time get the vault, what they carry is right. One of the orders of this
// schedule once looked wrong, because the hooks ended in another.
func TestAnyOrderOfHooks(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	p := plan{steps: 100, kills: true, names: true, pasted: true, traces: true}
	for range 25 {
		n, found := play(t, 2_680_002_020, 1, 1, p, overlap(func() bool { return false }), 0)
		if fail(t, n, found); t.Failed() {
			return
		}
	}
}

// A hook that ignores its event is found, too, if others ran at the same time.
func TestForgetfulHooksAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	calls := 0
	finds(t, "an older value", 15, plan{steps: 60}, overlap(func() bool { calls++; return calls%3 == 0 }))
}
