package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"wsi/harnesses"
)

// scene is one kind of event, played many times.
type scene struct {
	name string
	verb string
	size int
	node float64 // Node takes at least this multiple of wsi
}

// played counts the captured tokens. Every capture of every scene has a new one.
var played int

// compare plays the scene, prints the table and returns the number of missed targets. It plays a scene with missed
// targets again, because the machine may be busy.
func (s scene) compare(programs []program) (missed int, err error) {
	for try := range tries {
		all, err := s.play(programs)
		if err != nil {
			return 0, err
		}
		fmt.Printf("\n%s\n", s.name)
		table(programs, all)
		if missed = s.judge(programs, all); missed == 0 {
			return 0, nil
		}
		if try < tries-1 {
			fmt.Println("  retrying")
		}
	}
	return missed, nil
}

// play runs all programs in turn and checks that they do the same work.
func (s scene) play(programs []program) ([]samples, error) {
	all := make([]samples, len(programs))
	for round := range rounds {
		event := before(s.size)
		if s.verb == harnesses.Capture {
			played++
			event = after(session, played, s.size)
		}
		answers := make([][]byte, len(programs))
		for i := range programs {
			if round%2 == 1 {
				i = len(programs) - 1 - i // so that no program always runs after the same one
			}
			if programs[i].rare && round%8 != 0 {
				continue
			}
			cost, answer, err := programs[i].run(s.verb, event)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], cost)
			answers[i] = answer
		}
		if round%8 == 0 {
			if err := s.agree(programs, answers); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// agree returns an error unless all programs answer as the first one does, or have stored the token of the event.
func (s scene) agree(programs []program, answers [][]byte) error {
	for i, p := range programs {
		if s.verb == harnesses.Capture {
			kept, err := p.current()
			if err != nil {
				return fmt.Errorf("%s did not store the token: %w", p.name, err)
			}
			if kept != token(session, played) {
				return fmt.Errorf("%s did not store the token of the event", p.name)
			}
			continue
		}
		var got, want any
		if err := json.Unmarshal(answers[i], &got); err != nil {
			return fmt.Errorf("%s did not answer: %w", p.name, err)
		}
		if err := json.Unmarshal(answers[0], &want); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("%s answers differently from %s", p.name, programs[0].name)
		}
	}
	return nil
}

func table(programs []program, all []samples) {
	fmt.Printf("  %-22s %9s %12s\n", "", "median", "wsi = 1")
	for i, p := range programs {
		fmt.Printf("  %-22s %6.2f ms %11.2fx\n", p.name, ms(all[i].median()), ratio(all[i], all[0]))
	}
}

// judge prints whether the targets are met, and returns the number of missed targets.
func (s scene) judge(programs []program, all []samples) (missed int) {
	verdict := func(met bool, format string, args ...any) {
		word := "PASS"
		if !met {
			word = "FAIL"
			missed++
		}
		fmt.Printf("  %s  "+format+"\n", append([]any{word}, args...)...)
	}
	for i, p := range programs {
		switch r := ratio(all[0], all[i]); {
		case p.name == "bare Go":
			verdict(r <= maxOfBare, "%.2f times the bare Go program, at most %.2f", r, maxOfBare)
		case p.name == "Node":
			verdict(1/r >= s.node, "1/%.1f of Node, at most 1/%.0f", 1/r, s.node)
		case p.with != "":
			verdict(1/r <= maxOfItself, "%.2f times itself with %s, at most %.2f", 1/r, p.with, maxOfItself)
		}
	}
	return missed
}

// ratio returns the ratio of the medians.
func ratio(a, b samples) float64 { return float64(a.median()) / float64(b.median()) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
