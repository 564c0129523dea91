package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"wsi/doctor"
	"wsi/internal/printable"
)

// progressWait is how long the doctor works before it says what it does, and the time between two lines.
var progressWait = time.Second

// progress says on standard error what the doctor is doing: on a terminal in one line, which is deleted at the end.
type progress struct {
	out      io.Writer
	terminal bool
	lock     sync.Mutex
	running  map[string]string // the check by harness
	said     string
}

// watch returns the watcher of a doctor that prints lines, and a function that ends the progress.
func (e env) watch() (watch func(doctor.Event), end func()) {
	p := &progress{out: e.Stderr, running: map[string]string{}}
	if w, ok := e.Stderr.(printable.Writer); ok {
		if file, ok := w.To.(*os.File); ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb" {
			p.out, p.terminal = file, true
		}
	}
	ticker, stop := time.NewTicker(progressWait), make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			select {
			case <-ticker.C:
				p.say()
			case <-stop:
				return
			}
		}
	})
	return p.note, func() {
		ticker.Stop()
		close(stop)
		work.Wait()
		if p.terminal && p.said != "" {
			fmt.Fprint(p.out, "\r\x1b[K")
		}
	}
}

func (p *progress) note(e doctor.Event) {
	p.lock.Lock()
	defer p.lock.Unlock()
	switch e.Kind { //nolint:exhaustive // of the others nothing is to be said
	case doctor.Began:
		p.running[e.Harness] = e.Check
	case doctor.Ended:
		delete(p.running, e.Harness)
	}
}

// say prints the checks that are running, if they are others than before.
func (p *progress) say() {
	p.lock.Lock()
	defer p.lock.Unlock()
	checks := slices.Sorted(maps.Values(p.running))
	now := "checking " + strings.Join(checks, ", ")
	for n := len(checks) - 1; n > 0 && len(now) > 79; n-- {
		now = fmt.Sprintf("checking %s and %d more", strings.Join(checks[:n], ", "), len(checks)-n)
	}
	switch {
	case len(p.running) == 0 || now == p.said:
		return
	case !p.terminal:
		fmt.Fprintln(p.out, now)
	default:
		fmt.Fprint(p.out, "\r\x1b[K"+now[:min(len(now), 79)])
	}
	p.said = now
}
