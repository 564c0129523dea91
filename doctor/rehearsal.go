package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"wsi/harnesses"
	"wsi/internal/refserver"
)

// score counts the calls of a rehearsal.
type score struct {
	needed, right int
	wrong         string // the first failure although the harness showed the value
	unseen        int    // calls that could not be right: the harness never showed the value
	afterFailure  int    // of these, calls with a value that a failed call issued
	outside       int    // of needed, calls for which the registered commands ran
	took          time.Duration
}

func (s score) plus(o score) score {
	return score{
		s.needed + o.needed, s.right + o.right, cmp.Or(s.wrong, o.wrong),
		s.unseen + o.unseen, s.afterFailure + o.afterFailure, s.outside + o.outside, s.took + o.took,
	}
}

// rehearsal simulates a harness, which runs the commands from its files, and a server.
type rehearsal struct {
	*target
	act    act
	here   bool // the hooks run in this process
	server server
	other  server // for calls of the other server
	calls  int
	chains map[string]int  // chain -> its number with the server
	hidden map[string]bool // chain -> the harness did not show its newest value
	failed map[string]bool // chain -> a failed call issued its newest value
}

// rehearse plays one act. An act that depends only on wsi runs in this process, if this program is the registered
// one: that takes a hundredth of the time. It returns an error if the act could not be finished.
func (p *target) rehearse(a act) (s score, err error) {
	r := rehearsal{
		target: p, act: a, here: a.tail && p.isThis(), server: newServer(a.server), other: newServer(a.server),
		chains: map[string]int{}, hidden: map[string]bool{}, failed: map[string]bool{},
	}
	start := time.Now()
	script := a.script
	if !p.namesAgents() {
		script = slices.DeleteFunc(slices.Clone(script), func(sc scene) bool { return sc.agent != "" })
	}
	for len(script) > 0 {
		if err := context.Cause(p.ctx); err != nil {
			return s, fmt.Errorf("%s, %s: %w", script[0].what, a.where, err)
		}
		n := 1
		for script[n-1].atOnce {
			n++
		}
		if err := r.together(script[:n], n == len(script), &s); err != nil {
			return s, err
		}
		script = script[n:]
	}
	s.took = time.Since(start)
	if !r.here {
		s.outside = s.needed
	}
	return s, nil
}

// together makes one call, or several at once, and scores them. The values of the last ones are not used, so no hook
// runs after them.
func (r *rehearsal) together(scenes []scene, last bool, s *score) error {
	begun := make([]begun, len(scenes))
	for i, sc := range scenes {
		var err error
		if begun[i], err = r.begin(sc); err != nil {
			return fmt.Errorf("%s, %s: %w", sc.what, r.act.where, err)
		}
	}
	replies := make([]reply, len(scenes))
	for i, b := range begun {
		var err error
		to := r.server
		if b.other {
			to = r.other
		}
		if replies[i], err = to.call(b.tool, b.play.Args); err != nil {
			return err
		}
	}
	for i, b := range begun {
		hidden, failed := r.hidden[b.chain], r.failed[b.chain]
		if !last {
			if err := r.end(b, replies[i]); err != nil {
				return fmt.Errorf("%s, %s: %w", b.what, r.act.where, err)
			}
		}
		if i > 0 && replies[i].Verdict == refserver.Stale {
			continue // too late
		}
		r.score(b.scene, replies[i], hidden, failed, s)
	}
	return nil
}

// score counts a call. hidden and failed describe how its value was issued.
func (r *rehearsal) score(sc scene, got reply, hidden, failed bool, s *score) {
	if got.Verdict == refserver.NotNeeded {
		r.chains[sc.chain] = got.Chain
		return
	}
	switch {
	case got.Verdict == refserver.Right && got.Chain == r.chains[sc.chain]:
		s.right++
	case hidden:
		s.unseen++
		if failed {
			s.afterFailure++
		}
	case s.wrong == "":
		s.wrong = sc.what + ", " + r.act.where + ": " + said[got.Verdict] + r.explain()
	}
	s.needed++
}

// explain returns why wsi left the last call alone, from its journal, or "".
func (r *rehearsal) explain() string {
	entries, err := r.box.journal()
	if err != nil {
		return ""
	}
	for _, e := range slices.Backward(entries) {
		if e.Verb == harnesses.Inject && e.Why != "" {
			return fmt.Sprintf(" (wsi: %s)", e.Why)
		}
		if e.Verb == harnesses.Inject {
			return ""
		}
	}
	return ""
}

// namesAgents reports whether the harness's events name the sub-agent that makes a call.
func (p *target) namesAgents() bool {
	ev, err := p.harness.Codec.Read(p.harness.Simulator.Before(p.play("s", "a", "c", "get_activity", `{}`)))
	return err == nil && ev.Agent != ""
}

// tellsServers reports whether the harness's events before a call name the server.
func (p *target) tellsServers() bool { return !p.harness.Capabilities.MayOmitServer }

// begun is a call without an answer yet.
type begun struct {
	scene
	play harnesses.ToolCall // with the arguments that are sent
}

// begin runs the hooks before a call.
func (r *rehearsal) begin(sc scene) (b begun, err error) {
	r.calls++
	b.scene = sc
	b.play = r.play(r.act.name+"-session-"+sc.session, sc.agent, fmt.Sprintf("call_%d", r.calls), sc.tool, sc.args)
	b.play.OtherServer = r.target.other
	if sc.other {
		b.play.Server, b.play.OtherServer = r.target.other, r.target.server
	}
	b.play.Args, err = r.inject(b.play, sameButToken)
	return b, err
}

// end runs the hooks after it.
func (r *rehearsal) end(b begun, got reply) error {
	shown, err := r.shown(b.play, got.result)
	if err != nil {
		return err
	}
	if got.issued != "" {
		r.issue(got.issued)
		r.hidden[b.chain] = !bytes.Contains(shown, []byte(got.issued))
		r.failed[b.chain] = got.Error
	}
	return nil
}

// shown runs the hooks after a call. It returns all that the harness shows of it, in events and in its transcript.
func (r *rehearsal) shown(sent harnesses.ToolCall, result []byte) ([]byte, error) {
	shown, err := r.capture(sent, result)
	if err != nil {
		return nil, err
	}
	lines := r.harness.Simulator.Transcript(sent, result)
	return append(shown, lines...), r.box.write(sent.Transcript, lines)
}

// run runs a hook with an event.
func (r *rehearsal) run(h hook, event []byte) ran {
	if r.here {
		return r.box.here(r.Env.GOOS, h.Parsed, event)
	}
	return r.start(h, event)
}

// inject runs the hooks before a call and returns the arguments to send. check, unless it is nil, compares the typed
// arguments with those of each hook.
func (r *rehearsal) inject(play harnesses.ToolCall, check func(typed, sent []byte) error) ([]byte, error) {
	event := r.harness.Simulator.Before(play)
	args := play.Args
	for _, h := range r.runFor(event, harnesses.Inject) {
		ran := r.run(h, event)
		if ran.err != nil {
			return nil, ran.err
		}
		judged, err := r.harness.Simulator.Apply(play, ran.stdout, ran.exit)
		if err != nil {
			return nil, err
		}
		if check != nil {
			if err := check(play.Args, judged); err != nil {
				return nil, err
			}
		}
		args = judged
	}
	return args, nil
}

// capture runs the hooks after a call and returns what the harness showed them.
func (r *rehearsal) capture(sent harnesses.ToolCall, result []byte) (shown []byte, err error) {
	var events [][]byte
	if twice, ok := r.harness.Simulator.(harnesses.Repeating); ok {
		events = append(events, twice.Earlier(sent, result))
	}
	events = append(events, r.harness.Simulator.After(sent, result))
	for _, event := range events {
		if event == nil {
			continue
		}
		for _, h := range r.runFor(event, harnesses.Capture) {
			ran := r.run(h, event)
			if ran.err != nil {
				return nil, ran.err
			}
			if ran.exit != 0 {
				return nil, fmt.Errorf("the hook after the call ends with status %d", ran.exit)
			}
		}
		shown = append(shown, event...)
	}
	return shown, nil
}

// sameButToken returns an error if arguments differ in more than the carried one.
func sameButToken(typed, sent []byte) error {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(typed, &a) != nil || json.Unmarshal(sent, &b) != nil {
		return errors.New("the arguments are not a JSON object any more")
	}
	delete(a, "session_token")
	delete(b, "session_token")
	if !maps.EqualFunc(a, b, func(x, y json.RawMessage) bool { return bytes.Equal(compact(x), compact(y)) }) {
		return errors.New("other arguments than the token were changed on the way")
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
