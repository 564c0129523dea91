package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/doctor/toollist"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/refserver"
	"wsi/internal/stdiorpc"
)

// asked starts the server as each of its registrations says, and asks for its tools.
func (p *target) asked() interview {
	if p.interview == nil {
		tools, out := p.askAll()
		p.interview = &interview{tools, out}
	}
	return *p.interview
}

func (p *target) askAll() (tools []toollist.Tool, out outcome) {
	all := p.registrations()
	switch {
	case len(all) == 0:
		return nil, skipped("no server named %s is registered and enabled", p.server)
	case p.Live == nil:
		return nil, skipped("not tried; wsi doctor --live starts the server and asks it")
	}
	start := time.Now()
	all, why := p.agreed(all)
	if len(all) == 0 {
		return nil, skipped("not started: %s", why)
	}
	for _, s := range all {
		_, relayed := remoteRelay(s)
		if can := p.startable(s); can.status != report.OK && (!relayed || variable(s)) {
			return nil, skipped("not asked: %s", can.text)
		}
		found, err := p.askServer(s)
		var refused stdiorpc.Error
		switch {
		case errors.As(err, &refused) && refused.Code == stdiorpc.MethodNotFound && found == nil:
			return nil, skipped("not asked: it does not know the request; is it made for a protocol after 2025-11-25? %v", err)
		case err != nil:
			return nil, broken("start it by hand as "+s.File+" says", "the server does not answer as %s starts it: %v", p.harness.Name, err)
		}
		tools = append(tools, found...)
	}
	return tools, good("%s answers and has %s", p.server, phrase.Count(len(tools), "tool")).in(time.Since(start))
}

// askServer asks one server for its tools. If the tools are not nil, the server answered initialize.
func (p *target) askServer(s harnesses.Server) (tools []toollist.Tool, err error) {
	program, err := p.spokesman(s)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(p.ctx, answerTime)
	defer cancel()
	talk, err := stdiorpc.Start(ctx, program)
	if err != nil {
		return nil, err
	}
	tools, err = toollist.Ask(talk, p.Version)
	talk.Close()
	var refused stdiorpc.Error
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it has not answered within %s", answerTime)
	}
	if words := talk.LastStderr(); err != nil && words != "" && !errors.As(err, &refused) {
		err = fmt.Errorf("%w; its last words: %s", err, words)
	}
	return tools, err
}

// spokesman returns the program that is started to ask a server: its own command or, for an HTTP server, the relay in
// front of it, with its state in a folder of the doctor's.
func (p *target) spokesman(s harnesses.Server) (stdiorpc.Program, error) {
	env := p.environment(s)
	if front, ok := remoteRelay(s); ok {
		front.Path = p.vetted(front.Path, s.File, s.Scope)
		if front.Path == "" {
			return stdiorpc.Program{}, rehearse.ErrNotRun
		}
		words := p.box.Relay(front).Words()
		return stdiorpc.Program{Path: words[0], Args: words[1:], Dir: p.box.Cwd, Env: env, Secrets: secrets(s, env)}, nil
	}
	s = bare(s)
	path, err := p.executable(s)
	if err != nil {
		return stdiorpc.Program{}, err
	}
	return stdiorpc.Program{Path: path, Args: s.Command[1:], Dir: p.folder(s), Env: env, Secrets: secrets(s, env)}, nil
}

// remoteRelay returns the relay in front of an HTTP server; ok is false for every other registration.
func remoteRelay(s harnesses.Server) (f harnesses.RelayCommand, ok bool) {
	f, _, ok = harnesses.ParseRelayCommand(s.Command)
	return f, ok && f.URL != ""
}

func serverAnswers(p *target) outcome { return p.asked().outcome }

// known reports whether the server's tools are known. If not, it returns the outcome that says why.
func (i interview) known() (outcome, bool) {
	if i.outcome.status == report.Fail {
		return skipped("the server did not answer"), false
	}
	return i.outcome, i.outcome.status == report.OK
}

// serverReadonly looks for tools that harnesses call while another call is under way: of such calls
// only one can carry the newest value.
func serverReadonly(p *target) outcome {
	if p.relayed() {
		return good("wsi relay makes calls that carry a value one at a time")
	}
	const hazard = "and then only one of them can carry the newest value"
	for _, s := range p.registrations() {
		if s.Parallel != "" {
			return attention("take it out of "+s.File, "%s in %s has %s make calls at the same time, %s", s.Parallel, s.File, p.harness.Name, hazard)
		}
	}
	if out, ok := p.asked().known(); !ok {
		return out
	}
	if !slices.ContainsFunc(p.watched(), func(r carry.Rule) bool { return len(r.Inject) > 0 && !r.OnlyByKey() }) {
		return good("the values of %s stay as they are, so that calls at the same time do no harm", p.server)
	}
	var names []string
	for _, t := range p.asked().tools {
		if t.Annotations.ReadOnlyHint && needs(p.watched(), t) {
			names = lists.AddUnique(names, t.Name)
		}
	}
	if len(names) == 0 {
		return good("no tool that takes a %s is marked as read-only", strings.Join(p.arguments(), " or "))
	}
	return attention("have the server's author take readOnlyHint out",
		"the server marks %s as read-only: harnesses make such calls at the same time, %s", some(names), hazard)
}

// some returns the first few names.
func some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// serverNeeds checks whether there is anything to carry: the workflow-server has had no session_token since 2026-05-18.
func serverNeeds(p *target) outcome {
	if out, ok := p.asked().known(); !ok {
		return out
	}
	tools, needing := p.asked().tools, 0
	for _, t := range tools {
		if slices.ContainsFunc(p.arguments(), t.Takes) {
			needing++
		}
	}
	switch argument := strings.Join(p.arguments(), " or "); {
	case needing > 0:
		return good("%d of %s take a %s", needing, phrase.Count(len(tools), "tool"), argument)
	case argument == refserver.Argument && slices.ContainsFunc(tools, func(t toollist.Tool) bool { return t.Takes("session_index") }):
		const why = "this version of the server needs no wsi: its tools take a session_index, which is short, and no %s"
		if !p.wired() {
			return note(why, argument)
		}
		return attention("wsi remove --harness "+p.harness.ID, why, argument)
	}
	return attention("name the right server with --server", "no tool of %s takes a %s, so wsi has nothing to carry", p.server, strings.Join(p.arguments(), " or "))
}

// needs reports whether a rule fills in an argument that the tool has.
func needs(inForce []carry.Rule, t toollist.Tool) bool {
	return slices.ContainsFunc(inForce, func(r carry.Rule) bool {
		argument := r.Takes(t.Name)
		return argument != "" && t.Takes(argument)
	})
}
