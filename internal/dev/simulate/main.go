// Command simulate plays random schedules of harness sessions and their agents against a fake workflow-server,
// through wsi's hooks. It compares what reaches the server with what a perfect model would have sent
// (docs/decisions/0005 and 0008). It exits with status 1 if they differ, and prints the seed that repeats the
// schedule.
//
//	simulate -steps 100000                   so many steps, in schedules of 100; each hook is a process
//	simulate -seed 42 -steps 100 -story      one schedule, step by step
//	simulate -inside -collect                only servers with trace tokens, all of which get_trace takes
//
// It prints each difference when it finds it. An interrupt ends it after the schedules that have begun.
//
// It must not know how the engine decides.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// job is a run of the simulator.
type job struct {
	seed      uint64
	schedules int
	plan      plan
	port      port
	workers   int
	out       io.Writer        // for stories and differences, nil for none
	stop      <-chan os.Signal // ends the run early; what was played counts
}

func main() {
	steps := flag.Int("steps", 100_000, "number of steps in all")
	schedules := flag.Int("schedules", 0, "number of schedules; 0 = one for every 100 steps")
	seed := flag.Uint64("seed", 1, "seed of the first schedule; each further one adds 1")
	within := flag.Bool("inside", false, "run the hook in this process")
	story := flag.Bool("story", false, "print every step")
	collect := flag.Bool("collect", false, "only servers with trace tokens")
	flag.Parse()
	debug.SetGCPercent(800) // the live heap is small
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	j := job{seed: *seed, schedules: cmp.Or(*schedules, max(1, *steps/100)), workers: runtime.NumCPU(), out: os.Stdout, stop: stop}
	j.plan = plan{steps: max(1, *steps/j.schedules), kills: true, verbose: *story, names: true, pasted: true, traces: true, collects: *collect, looks: true}
	broken, err := simulate(j, *within)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	if broken || err != nil {
		os.Exit(1)
	}
}

func simulate(j job, within bool) (broken bool, err error) {
	if j.port = (inside{}); !within {
		dir, err := os.MkdirTemp("", "wsi-simulate-bin-")
		if err != nil {
			return false, err
		}
		defer func() { _ = os.RemoveAll(dir) }() // best effort
		if j.port, err = build(dir); err != nil {
			return false, err
		}
	}
	n, found, err := j.do()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(j.out, "seeds %d to %d\n", j.seed, j.seed+uint64(n["schedules"])-1)
	n.print(j.out)
	fmt.Fprintf(j.out, "%-42s %8d\n", "VIOLATIONS", len(found))
	return len(found) > 0, nil
}

// of returns the plan for the schedule of a seed: not all schedules have everything.
func (p plan) of(seed uint64) plan {
	p.kills, p.slow = p.kills && seed%5 == 0, seed%2 == 0
	p.indexes = p.indexes || p.collects || p.pasted && seed%4 == 1
	p.collects = p.collects || p.traces && p.indexes && seed%8 == 1
	return p
}

// do plays the schedules, several at a time.
func (j job) do() (n counts, found []violation, err error) {
	n = counts{}
	seeds := make(chan uint64)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range max(1, j.workers) {
		all.Go(func() {
			for seed := range seeds {
				p := j.plan.of(seed)
				w, e := run(seed, p, j.port)
				mu.Lock()
				if e != nil {
					err = fmt.Errorf("seed %d: %w", seed, e)
				}
				if w != nil {
					w.counts["steps"], w.counts["schedules"] = w.done, 1
					n.add(w.counts)
					found = append(found, w.found...)
					if p.verbose {
						fmt.Fprintln(j.out, strings.Join(w.story, "\n"))
					}
					for _, v := range w.found {
						if j.out != nil {
							fmt.Fprintf(j.out, "seed %d, step %d: %s: %s\n", v.seed, v.step, v.class, v.what)
						}
					}
				}
				mu.Unlock()
			}
		})
	}
	for i := range j.schedules {
		select {
		case seeds <- j.seed + uint64(i):
			continue
		case <-j.stop:
		}
		break
	}
	close(seeds)
	all.Wait()
	return n, found, err
}
