package rehearse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/refserver"
)

// Everything makes all test calls. It returns an error if they could not be finished, with the scores so far.
func (s Subject) Everything(ctx context.Context) (all Scores, err error) {
	here := s.IsThis()
	for _, part := range []struct {
		to   *Score
		acts []act
	}{{&all.Text, []act{core, inText, indexed}}, {&all.Meta, tails}} {
		for _, a := range part.acts {
			score, err := s.play(ctx, a, here)
			*part.to = part.to.Plus(score)
			if err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// rehearsal simulates a harness, which runs the commands from its files, and a server.
type rehearsal struct {
	Subject
	act    act
	here   bool // the hooks run in this process
	server *refserver.Server
	calls  int
	chains map[string]int  // chain -> its number with the server
	hidden map[string]bool // chain -> the harness did not show its newest value
}

// play plays one act. An act that depends only on wsi runs in this process if here is true, which the caller sets if this
// program is the registered one: that takes a hundredth of the time. It returns an error if the act could not be finished.
func (s Subject) play(ctx context.Context, a act, here bool) (score Score, err error) {
	r := rehearsal{
		Subject: s, act: a, here: a.tail && here, server: refserver.Open(filepath.Join(s.Box.Live, "act-"+a.name), a.server),
		chains: map[string]int{}, hidden: map[string]bool{},
	}
	script := a.script
	if !s.namesAgents() {
		script = slices.DeleteFunc(slices.Clone(script), func(sc scene) bool { return sc.agent != "" })
	}
	for len(script) > 0 {
		if err := context.Cause(ctx); err != nil {
			return score, fmt.Errorf("%s, %s: %w", script[0].what, a.where, err)
		}
		n := 1
		for script[n-1].atOnce {
			n++
		}
		if err := r.together(ctx, script[:n], n == len(script), &score); err != nil {
			return score, err
		}
		script = script[n:]
	}
	if !r.here {
		score.Outside = score.Needed
	}
	return score, nil
}

// together makes one call, or several at once, and scores them. No hook runs after the last ones.
func (r *rehearsal) together(ctx context.Context, scenes []scene, last bool, s *Score) error {
	calls := make([]setup.ToolCall, len(scenes)) // with the arguments that are sent
	for i, sc := range scenes {
		r.calls++
		calls[i] = r.Call(r.act.name+"-session-"+sc.session, sc.agent, fmt.Sprintf("call_%d", r.calls), sc.tool, sc.args)
		var err error
		if calls[i].Args, err = r.inject(ctx, calls[i]); err != nil {
			return fmt.Errorf("%s, %s: %w", sc.what, r.act.where, err)
		}
	}
	replies := make([]reply, len(scenes))
	for i, call := range calls {
		var err error
		if replies[i], err = r.send(call); err != nil {
			return err
		}
	}
	for i, sc := range scenes {
		hidden, got := r.hidden[sc.chain], replies[i]
		if !last {
			shown, err := r.shown(ctx, calls[i], got.result)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", sc.what, r.act.where, err)
			}
			if got.issued != "" {
				r.issue(got.issued)
				r.hidden[sc.chain] = !bytes.Contains(shown, []byte(got.issued))
			}
		}
		if i == 0 || got.Verdict != refserver.Stale { // else too late
			r.score(sc, got, hidden, s)
		}
	}
	return nil
}

// score counts a call. hidden says that the harness did not show its value.
func (r *rehearsal) score(sc scene, got reply, hidden bool, s *Score) {
	if got.Verdict == refserver.NotNeeded {
		r.chains[sc.chain] = got.Chain
		return
	}
	switch {
	case got.Verdict == refserver.Right && got.Chain == r.chains[sc.chain]:
		s.Right++
	case hidden:
		s.Unseen++
	case s.Wrong == "":
		s.Wrong = sc.what + ", " + r.act.where + ": " + said[got.Verdict] + r.explain()
	}
	s.Needed++
}

// explain returns why wsi left the last call alone, from its journal, or "".
func (r *rehearsal) explain() string {
	entries, _ := r.Box.Journal()
	for _, e := range slices.Backward(entries) {
		if e.Verb == harnesses.Inject && e.Why != "" {
			return fmt.Sprintf(" (wsi: %s)", e.Why)
		} else if e.Verb == harnesses.Inject {
			break
		}
	}
	return ""
}

// shown runs the hooks after a call. It returns all that the harness shows of it, in events and in its transcript.
func (r *rehearsal) shown(ctx context.Context, sent setup.ToolCall, result []byte) (shown []byte, err error) {
	simulator := r.Harness.Proof.Simulator
	events := [][]byte{simulator.After(sent, result)}
	if twice, ok := simulator.(setup.Repeating); ok {
		events = [][]byte{twice.Earlier(sent, result), events[0]}
	}
	for _, event := range events {
		if event == nil {
			continue
		}
		if err := r.runAfter(ctx, event); err != nil {
			return nil, err
		}
		shown = append(shown, event...)
	}
	lines := simulator.Transcript(sent, result)
	shown = append(shown, lines...)
	if err := r.Box.write(sent.Transcript, lines); err != nil {
		return nil, err
	}
	if batching, ok := simulator.(setup.Batching); ok {
		return shown, r.runAfter(ctx, batching.Batch(sent, result))
	}
	return shown, nil
}

func (r *rehearsal) runAfter(ctx context.Context, event []byte) error {
	for _, h := range r.hooksFor(event, harnesses.Capture) {
		ran := r.run(ctx, h, event)
		if ran.Err != nil {
			return ran.Err
		}
		if ran.Exit != 0 {
			return fmt.Errorf("the hook after the call ends with status %d", ran.Exit)
		}
	}
	return nil
}

func (r *rehearsal) run(ctx context.Context, h Hook, event []byte) Ran {
	if r.here {
		return r.Box.runHere(r.Env.GOOS, h.Parsed, event)
	}
	return r.Start(ctx, h, event)
}

// inject runs the hooks before a call and returns the arguments to send. It fails if a hook changes other arguments.
func (r *rehearsal) inject(ctx context.Context, play setup.ToolCall) ([]byte, error) {
	event := r.Harness.Proof.Simulator.Before(play)
	args := play.Args
	for _, h := range r.hooksFor(event, harnesses.Inject) {
		ran := r.run(ctx, h, event)
		if ran.Err != nil {
			return nil, ran.Err
		}
		judged, err := r.Harness.Proof.Simulator.Apply(play, ran.Stdout, ran.Exit)
		if err != nil {
			return nil, err
		}
		if err := sameButCarried(play.Args, judged); err != nil {
			return nil, err
		}
		args = judged
	}
	return args, nil
}

// sameButCarried returns an error if arguments differ in more than the carried one.
func sameButCarried(typed, sent []byte) error {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(typed, &a) != nil || json.Unmarshal(sent, &b) != nil {
		return errors.New("the arguments are not a JSON object any more")
	}
	for _, carried := range []string{refserver.Argument, refserver.Index} {
		delete(a, carried)
		delete(b, carried)
	}
	if !maps.EqualFunc(a, b, func(x, y json.RawMessage) bool { return bytes.Equal(compact(x), compact(y)) }) {
		return errors.New("other arguments than the carried one were changed on the way")
	}
	return nil
}

func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// reply is a result and the server's verdict on the call.
type reply struct {
	refserver.Call
	result []byte // a raw CallToolResult
	issued string // the value that was issued, "" = none; it is never shown
}

// send makes a call, and returns what the reference server says of it.
func (r *rehearsal) send(call setup.ToolCall) (reply, error) {
	result, err := r.server.Call(call.Tool, call.Args)
	var ledger []refserver.Call
	if err == nil {
		ledger, err = r.server.Ledger()
	}
	if err != nil {
		return reply{}, fmt.Errorf("the reference server: %w", err)
	}
	// If a result has two values of that shape, the issued one is the first.
	return reply{ledger[len(ledger)-1], result, string(shape().Find(result))}, nil
}

// shape matches the values of the reference server.
var shape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}`) })

// said describes the verdicts on wrong calls.
var said = map[refserver.Verdict]string{
	refserver.Right:   "the value of another session came",
	refserver.Stale:   "an older value came",
	refserver.Unknown: "the value that came is not one of the server's",
	refserver.Missing: "no value came",
}
