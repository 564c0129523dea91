package rehearse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"wsi/doctor/toollist"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/refserver"
	"wsi/internal/stdiorpc"
)

// relayTime limits all calls through one relay together.
const relayTime = 20 * time.Second

// Relay is a registered relay. Behind it is the reference server, which knows whether the right value came.
type Relay struct {
	Subject
	Command setup.RelayCommand // with the path of the program that is started; "" = none
	Noted   bool               // a hook notes the caller
	Number  int                // differs for each relay of the subject
	Version string             // of this wsi
}

// Greet starts the relay and asks for the tools of the server behind it.
func (r Relay) Greet(ctx context.Context) error {
	return r.talk(ctx, false, func(talk *stdiorpc.Client) error {
		_, _, err := toollist.Ask(talk, r.Version)
		return err
	})
}

// folder returns that of the reference server behind the relay, of the generation with a session_index or the other one.
func (r Relay) folder(index bool) string {
	return filepath.Join(r.Box.Live, fmt.Sprintf("relay%d-%t", r.Number, index))
}

// talk starts the relay as it is registered, calls say, and ends the relay.
func (r Relay) talk(ctx context.Context, index bool, say func(*stdiorpc.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, relayTime)
	defer cancel()
	if r.Command.Path == "" {
		return ErrNotRun
	}
	server := []string{r.Command.Path, refserver.Command, "--state", r.folder(index)}
	if index {
		server = append(server, "--index")
	}
	words := r.Box.Relay(r.Command).Before(server)
	talk, err := stdiorpc.Start(ctx, stdiorpc.Program{Path: words[0], Args: words[1:], Dir: r.Box.Cwd, Env: r.Box.Env})
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

// Everything makes the calls with both generations of the reference server.
func (r Relay) Everything(ctx context.Context) (s Score, err error) {
	for _, index := range []bool{false, true} {
		one, err := r.generation(ctx, index)
		if err != nil {
			return s, err
		}
		s = s.Plus(one)
	}
	return s, nil
}

// generation makes the calls of one session, or of two in turn if the relay can distinguish them, in each revision of MCP. It counts
// the right ones in the reference server's ledger. It returns an error if a token came back: the harness would keep it in its
// transcripts.
func (r Relay) generation(ctx context.Context, index bool) (Score, error) {
	steps := [][2]string{{"1", "start_session"}, {"1", "get_activity"}, {"1", "next_activity"}}
	if r.tellsSessions() {
		steps = append(steps, [2]string{"2", "start_session"}, [2]string{"1", "get_activity"}, [2]string{"2", "next_activity"})
	}
	steps = append(steps, [2]string{"1", "get_activity"})
	var shown []byte
	for n, revision := range []string{toollist.Handshake, toollist.Stateless} {
		err := r.talk(ctx, index, func(talk *stdiorpc.Client) error {
			s, err := toollist.Open(talk, r.Version, revision)
			if err == nil {
				_, err = s.Tools()
			}
			for i, step := range steps {
				if err != nil {
					return err
				}
				c := r.Call(step[0], "", strconv.Itoa(n*len(steps)+i+1), step[1], `{}`)
				var raw []byte
				if raw, err = r.call(ctx, s, c); err != nil {
					err = fmt.Errorf("call %s, %s: %w", c.ID, c.Tool, err)
				}
				shown = append(shown, raw...)
			}
			return err
		})
		if err != nil {
			return Score{}, fmt.Errorf("wsi relay in front of %s, MCP %s: %w", r.Server, revision, err)
		}
	}
	return r.judge(r.folder(index), shown)
}

// judge reads the reference server's ledger. shown is all that the harness got.
func (r Relay) judge(dir string, shown []byte) (s Score, err error) {
	issued, err := refserver.ReadIssued(dir)
	if err != nil {
		return s, err
	}
	for _, value := range issued {
		r.issue(value)
		if bytes.Contains(shown, []byte(value)) {
			return s, errors.New("wsi relay did not take the value out of a result's _meta")
		}
	}
	calls, err := refserver.ReadLedger(dir)
	for _, c := range calls {
		if c.Verdict == refserver.NotNeeded {
			continue
		}
		s.Needed, s.Outside = s.Needed+1, s.Outside+1
		if c.Verdict == refserver.Right {
			s.Right++
		} else if s.Wrong == "" {
			s.Wrong = c.Tool + " through wsi relay: " + said[c.Verdict]
		}
	}
	if err == nil && s.Needed == 0 {
		err = errors.New("no call came through wsi relay")
	}
	return s, err
}

// call makes one call as the harness does and returns the raw result. If a hook notes the caller, it runs first.
func (r Relay) call(ctx context.Context, s toollist.Session, call setup.ToolCall) ([]byte, error) {
	if r.Noted {
		event := r.Harness.Proof.Simulator.Before(call)
		for _, h := range r.hooksFor(event, harnesses.Inject) {
			ran := r.Start(ctx, h, event)
			if ran.Err != nil || ran.Exit != 0 {
				return nil, fmt.Errorf("the hook that notes the caller: exit status %d: %w", ran.Exit, errors.Join(ran.Err, errors.New(ran.LastWords())))
			}
			marked, err := r.Harness.Proof.Simulator.Apply(call, ran.Stdout, ran.Exit)
			if err != nil {
				return nil, fmt.Errorf("the hook that notes the caller: %w", err)
			}
			call.Args = marked
		}
	}
	params := map[string]any{"name": call.Tool, "arguments": json.RawMessage(call.Args)}
	if r.Harness.Proof.Meta != nil {
		var meta map[string]json.RawMessage
		if err := json.Unmarshal(r.Harness.Proof.Meta(call), &meta); err != nil {
			return nil, fmt.Errorf("the harness's _meta: %w", err)
		}
		params["_meta"] = meta
	}
	return s.Call("tools/call", params)
}

// tellsSessions reports whether the relay can distinguish two sessions on one connection.
func (r Relay) tellsSessions() bool {
	if r.Noted {
		return true
	}
	return r.metaDiffers(r.Call("1", "", "call", "x", `{}`), r.Call("2", "", "call", "x", `{}`))
}

// TellsAgents reports whether the relay can distinguish the calls of a sub-agent from those of its parent.
func (r Relay) TellsAgents() bool {
	if r.Noted {
		return r.namesAgents()
	}
	return r.metaDiffers(r.Call("1", "", "call", "x", `{}`), r.Call("1", "a", "call", "x", `{}`))
}

func (r Relay) metaDiffers(one, other setup.ToolCall) bool {
	return r.Harness.Proof.Meta != nil && !bytes.Equal(r.Harness.Proof.Meta(one), r.Harness.Proof.Meta(other))
}
