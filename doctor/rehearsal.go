package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"wsi/harnesses"
	"wsi/internal/refserver"
)

// score is the outcome of a rehearsal.
type score struct {
	needed, right int
	wrong         string // what went wrong first although the harness showed the value
	unseen        int    // calls that nobody could have put right: the harness showed the value nowhere
	afterFailure  int    // of these, those whose value a failed call had handed out
	took          time.Duration
}

func (s score) plus(o score) score {
	return score{
		s.needed + o.needed, s.right + o.right, cmp.Or(s.wrong, o.wrong),
		s.unseen + o.unseen, s.afterFailure + o.afterFailure, s.took + o.took,
	}
}

// rehearsal plays a harness with the commands from its files, and a server.
type rehearsal struct {
	*patient
	act    act
	server server
	calls  int
	chains map[string]int  // chain -> its number with the server
	hidden map[string]bool // chain -> its newest value was shown nowhere
	failed map[string]bool // chain -> and a failed call handed it out
}

// rehearse plays one act. An error means that it could not be played to its end.
func (p *patient) rehearse(a act) (s score, err error) {
	r := rehearsal{patient: p, act: a, server: newServer(a.server), chains: map[string]int{}, hidden: map[string]bool{}, failed: map[string]bool{}}
	start := time.Now()
	for _, sc := range a.script {
		if sc.agent != "" && !p.namesAgents() {
			continue
		}
		hidden, failed := r.hidden[sc.chain], r.failed[sc.chain]
		got, err := r.call(sc)
		if err != nil {
			return s, fmt.Errorf("%s, %s: %w", sc.what, a.where, err)
		}
		if got.Verdict == refserver.NotNeeded {
			r.chains[sc.chain] = got.Chain
			continue
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
			s.wrong = sc.what + ", " + a.where + ": " + said[got.Verdict] + r.explain()
		}
		s.needed++
	}
	s.took = time.Since(start)
	return s, nil
}

// explain says what wsi itself noted of the last call, if it left it alone.
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

// namesAgents tells whether the harness's events say that a sub-agent calls.
func (p *patient) namesAgents() bool {
	ev, err := p.harness.Dialect.Read(p.harness.Twin.Before(p.play("s", "a", "c", "get_activity", `{}`)))
	return err == nil && ev.Agent != ""
}

// call makes one call from its beginning to its end.
func (r *rehearsal) call(sc scene) (reply, error) {
	r.calls++
	twin := r.harness.Twin
	play := r.play(r.act.name+"-session-"+sc.session, sc.agent, fmt.Sprintf("call_%d", r.calls), sc.tool, sc.args)
	args, err := r.inject(play)
	if err != nil {
		return reply{}, err
	}
	got, err := r.server.call(sc.tool, args)
	if err != nil {
		return reply{}, err
	}
	sent := play
	sent.Args = args
	shown, err := r.capture(sent, got.result)
	if err != nil {
		return reply{}, err
	}
	lines := twin.Transcript(sent, got.result)
	if err := r.box.write(sent.Transcript, lines); err != nil {
		return reply{}, err
	}
	if got.issued != "" {
		if r.testOnlyHeard != nil {
			r.testOnlyHeard(got.issued)
		}
		shown = append(shown, lines...)
		r.hidden[sc.chain] = !bytes.Contains(shown, []byte(got.issued))
		r.failed[sc.chain] = got.Error
	}
	return got, nil
}

// inject runs the hooks before a call and returns the arguments with which it is made.
func (r *rehearsal) inject(play harnesses.Play) ([]byte, error) {
	event := r.harness.Twin.Before(play)
	args := play.Args
	for _, line := range r.runFor(event, harnesses.Inject) {
		ran := r.box.run(r.ctx, r.harness.Twin.Shell(r.Env.GOOS, line), event)
		if ran.err != nil {
			return nil, ran.err
		}
		judged, err := r.harness.Twin.Judge(play, ran.stdout, ran.exit)
		if err != nil {
			return nil, err
		}
		if err := sameButToken(play.Args, judged); err != nil {
			return nil, err
		}
		args = judged
	}
	return args, nil
}

// capture runs the hooks after a call and returns what the harness showed them.
func (r *rehearsal) capture(sent harnesses.Play, result []byte) (shown []byte, err error) {
	var events [][]byte
	if twice, ok := r.harness.Twin.(harnesses.Repeating); ok {
		events = append(events, twice.Earlier(sent, result))
	}
	events = append(events, r.harness.Twin.After(sent, result))
	for _, event := range events {
		if event == nil {
			continue
		}
		for _, line := range r.runFor(event, harnesses.Capture) {
			ran := r.box.run(r.ctx, r.harness.Twin.Shell(r.Env.GOOS, line), event)
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

// sameButToken tells whether arguments differ in anything but the one that is carried.
func sameButToken(typed, sent []byte) error {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(typed, &a) != nil || json.Unmarshal(sent, &b) != nil {
		return errors.New("the arguments are no JSON object any more")
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
