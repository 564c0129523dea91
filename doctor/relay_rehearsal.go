package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"wsi/harnesses"
	"wsi/hook/rules"
	"wsi/internal/refserver"
	"wsi/internal/stdiorpc"
)

// relayTime limits all calls through one relay together.
const relayTime = 20 * time.Second

// relayDelivered makes calls through each registered relay. Behind it is the reference server, which knows whether
// the right value came.
func (p *target) relayDelivered() outcome {
	start := time.Now()
	var right, needed int
	wrong := ""
	for i, f := range p.relays() {
		if !p.ofItsOwn() {
			r := p.through(f, i)
			if err := r.talk(r.converse); err != nil {
				return broken(p.deliveryFix(), "rehearsed: wsi relay in front of %s: %v", p.server, err)
			}
			n, of, err := r.judge()
			if err != nil {
				return broken(p.deliveryFix(), "rehearsed: %v", err)
			}
			right, needed = right+n, needed+of
		}
		n, of, what, err := p.relayKinds(f, i)
		if err != nil {
			return broken(p.deliveryFix(), "rehearsed: wsi relay in front of %s: %v", p.server, err)
		}
		right, needed, wrong = right+n, needed+of, cmp.Or(wrong, what)
	}
	switch {
	case wrong != "":
		return broken(p.deliveryFix(), "rehearsed: %d of %d right through wsi relay; %s", right, needed, wrong)
	case right < needed:
		return broken(p.deliveryFix(), "rehearsed: %d of %d right through wsi relay", right, needed)
	case needed == 0:
		return skipped("the rules for %s carry nothing that could be rehearsed", p.server)
	}
	return good("rehearsed: %d of %d right, all of them through wsi relay as it is registered", right, needed).in(time.Since(start))
}

// relayed is a rehearsal with one registered relay.
type relayed struct {
	*target
	front relayEntry
	dir   string // of the reference server
	kind  string // of the reference server, "" = the usual one
	shown []byte // all answers
}

// through returns a rehearsal of the i-th relay, with a reference server of its own.
func (p *target) through(front relayEntry, i int) relayed {
	return relayed{target: p, front: front, dir: filepath.Join(p.box.live, "relay"+strconv.Itoa(i))}
}

// talk starts the relay as it is registered, calls say, and ends the relay.
func (r *relayed) talk(say func(*stdiorpc.Client) error) error {
	ctx, cancel := context.WithTimeout(r.ctx, relayTime)
	defer cancel()
	if r.front.program == "" {
		return errNotRun
	}
	f := r.boxed(r.front.RelayCommand)
	f.Path = r.front.program
	server := []string{f.Path, refserver.Command, "--state", r.dir}
	if r.kind != "" {
		server = append(server, "--kind", r.kind)
	}
	words := f.Before(server)
	talk, err := stdiorpc.Start(ctx, stdiorpc.Program{Path: words[0], Args: words[1:], Dir: r.box.cwd, Env: r.box.env})
	if err != nil {
		return err
	}
	err = say(talk)
	talk.Close()
	if words := talk.LastStderr(); err != nil && words != "" {
		err = fmt.Errorf("%w; its last words: %s", err, words)
	}
	return err
}

// boxed returns a relay command that uses the doctor's folders.
func (p *target) boxed(f harnesses.RelayCommand) harnesses.RelayCommand {
	f.State = p.box.state
	if f.Rules != "" {
		f.Rules = filepath.Join(p.box.config, "wsi", rules.FileName)
	}
	return f
}

// converse makes the calls of one session, or of two in turn if the relay can distinguish them.
func (r *relayed) converse(talk *stdiorpc.Client) error {
	if err := r.greet(talk); err != nil {
		return err
	}
	for i, c := range r.script() {
		if err := r.call(talk, strconv.Itoa(i+1), c); err != nil {
			return fmt.Errorf("call %d, %s: %w", i+1, c.tool, err)
		}
	}
	return nil
}

type relayedCall struct{ session, tool, args string }

func (r *relayed) script() []relayedCall {
	script := []relayedCall{{"1", "start_session", `{}`}, {"1", "get_activity", `{}`}, {"1", "next_activity", `{}`}}
	if r.tellsSessions() {
		script = append(script, relayedCall{"2", "start_session", `{}`}, relayedCall{"1", "get_activity", `{}`}, relayedCall{"2", "next_activity", `{}`})
	}
	return append(script, relayedCall{"1", "get_activity", `{"label":"last"}`})
}

// tellsSessions reports whether the relay can distinguish two sessions on one connection.
func (r *relayed) tellsSessions() bool {
	if r.joins() || r.harness.Meta == nil {
		return r.joins()
	}
	one, other := r.target.play("1", "", "call", "x", `{}`), r.target.play("2", "", "call", "x", `{}`)
	return !bytes.Equal(r.harness.Meta(one), r.harness.Meta(other))
}

// call makes one call as the harness does. If a hook notes the caller, it runs first.
func (r *relayed) call(talk *stdiorpc.Client, id string, c relayedCall) error {
	play := r.target.play(c.session, "", "call"+id, c.tool, c.args)
	if r.joins() {
		event := r.harness.Simulator.Before(play)
		for _, h := range r.runFor(event, harnesses.Inject) {
			ran := r.start(h, event)
			if ran.err != nil || ran.exit != 0 {
				return fmt.Errorf("the hook that notes the caller: exit status %d: %w", ran.exit, errors.Join(ran.err, errors.New(ran.complaint())))
			}
			marked, err := r.harness.Simulator.Apply(play, ran.stdout, ran.exit)
			if err != nil {
				return fmt.Errorf("the hook that notes the caller: %w", err)
			}
			play.Args = marked
		}
	}
	params := map[string]any{"name": c.tool, "arguments": json.RawMessage(play.Args)}
	if r.harness.Meta != nil {
		params["_meta"] = json.RawMessage(r.harness.Meta(play))
	}
	raw, err := talk.Call("tools/call", params)
	r.shown = append(r.shown, raw...)
	return err
}

// judge counts the right calls in the reference server's ledger. It returns an error if a value came back: the harness
// would keep it in its transcripts.
func (r *relayed) judge() (right, needed int, err error) {
	server := refserver.Open(r.dir, refserver.Options{})
	issued, err := server.Issued()
	if err != nil {
		return 0, 0, err
	}
	for _, value := range issued {
		r.issue(value)
		if bytes.Contains(r.shown, []byte(value)) {
			return 0, 0, errors.New("wsi relay leaves the value in a result's _meta, where harnesses keep it")
		}
	}
	calls, err := server.Ledger()
	for _, c := range calls {
		if c.Verdict == refserver.NotNeeded {
			continue
		}
		if needed++; c.Verdict == refserver.Right {
			right++
		}
	}
	if err == nil && needed == 0 {
		err = errors.New("no call came through wsi relay")
	}
	return right, needed, err
}
