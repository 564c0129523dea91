package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// scenario is played once with the old program and once with the new one.
type scenario struct {
	kind, name string
	play       func(*place)
}

// outcome is what a comparison found.
type outcome struct {
	scenario

	texts       int // of the new program
	differences []difference
}

// difference is a text that is not the same, with the first line that differs.
type difference struct{ what, old, new string }

// compareAll plays all scenarios with both programs, and returns their outcomes in the same order.
func compareAll(dir string, programs [2]string, all []scenario, workers int) ([]outcome, error) {
	outcomes, errs := make([]outcome, len(all)), make([]error, len(all))
	next := make(chan int)
	var group sync.WaitGroup
	for worker := range workers {
		p, err := newPlace(filepath.Join(dir, fmt.Sprint("place", worker)))
		if err != nil {
			return nil, err
		}
		group.Go(func() {
			for i := range next {
				outcomes[i], errs[i] = p.compare(programs, all[i])
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", all[i].kind, all[i].name, err)
		}
	}
	return outcomes, nil
}

// compare plays a scenario with both programs.
func (p *place) compare(programs [2]string, s scenario) (outcome, error) {
	var seen [2][]record
	for i, program := range programs {
		var err error
		if seen[i], err = p.play(program, s); err != nil {
			return outcome{}, err
		}
	}
	return outcome{s, len(seen[1]), differences(seen[0], seen[1])}, nil
}

// differences compares what two programs did.
func differences(old, now []record) (all []difference) {
	for i := range max(len(old), len(now)) {
		switch {
		case i >= len(now):
			return append(all, difference{old[i].what, "is there", "is missing"})
		case i >= len(old):
			return append(all, difference{now[i].what, "is missing", "is there"})
		case old[i].what != now[i].what:
			return append(all, difference{"after " + strconv.Itoa(i) + " equal steps", old[i].what, now[i].what})
		case old[i].text != now[i].text:
			before, after := firstDifference(old[i].text, now[i].text)
			all = append(all, difference{old[i].what, before, after})
		}
	}
	return all
}

// firstDifference returns the first lines that differ, quoted, from a little before the first byte that differs.
func firstDifference(a, b string) (string, string) {
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	const before, length = 60, 200
	from = max(strings.LastIndexByte(a[:from], '\n')+1, from-before)
	show := func(s string) string {
		line, _, _ := strings.Cut(s[from:], "\n")
		if s[from:] == "" {
			return "(the end)"
		}
		return fmt.Sprintf("%q", line[:min(len(line), length)])
	}
	return show(a), show(b)
}
