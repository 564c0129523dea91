package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/doctor/toollist"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/hook/schemas"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/refserver"
	"wsi/internal/stdiorpc"
)

// serverAnswers asks the server for its tools, once for all checks. relayAnswers does that for one without rules.
func serverAnswers(p *target) report.Finding {
	switch {
	case p.passes():
		return p.passesOn()
	case p.answer.Status == "":
		p.tools, p.answer = p.ask()
	}
	return p.answer
}

// relayAnswers asks the servers without rules for their tools. wsi carries nothing there: that they answer is all there is to prove.
func relayAnswers(p *target) report.Finding {
	all := skipped("this is for servers without rules behind wsi relay; there is none")
	for _, q := range append([]*target{p}, p.more...) {
		if !q.passes() {
			continue
		}
		_, out := q.ask()
		if out.Status != report.OK {
			return out
		}
		if all.Status == report.OK {
			out.Text, out.Took = all.Text+"; "+out.Text, all.Took+out.Took
		}
		all = out
	}
	return all
}

// passes reports whether wsi relay passes on the calls of the server, because no rule is for it.
func (p *target) passes() bool { return p.relayed() && !p.ruled() }

func (p *target) passesOn() report.Finding {
	return skipped("no rule is for %s: wsi relay passes calls on, and starts the server again when it ends", p.server)
}

// ask starts the server as each of its registrations says, and asks for its tools.
func (p *target) ask() (tools []toollist.Tool, out report.Finding) {
	all := p.registrations()
	switch {
	case len(all) == 0:
		return nil, skipped("no server named %s is registered and enabled", p.server)
	case p.Live == nil:
		return nil, skipped("wsi has not started %s; wsi doctor --live starts it and asks for its tools", p.server)
	}
	start := time.Now()
	var may []setup.Server // the harness starts them without further approval
	var not, spoken []string
	for _, s := range all {
		if s.Own != nil && !s.Agreed && !s.Own.Disabled {
			s = *s.Own // the user's own counts, not what a project's file makes of it
		}
		if why := p.unagreed(s); why == "" {
			may = append(may, s)
		} else {
			not = append(not, why)
		}
	}
	if may == nil {
		return nil, skipped("wsi did not start %s: %s", p.server, not[0])
	}
	for _, s := range may {
		front, _, _ := setup.ParseRelayCommand(s.Command)
		switch can := p.startable(s); {
		case can.Status == report.OK, front.URL != "" && !variable(s):
		case can.Status == report.Skip:
			return nil, skipped("wsi did not ask %s: %s", p.server, can.Text)
		default:
			return nil, broken(can.Fix, "%s cannot be started: %s", p.server, can.Text)
		}
		found, revision, err := p.askServer(s)
		switch refused, _ := errors.AsType[stdiorpc.Error](err); {
		case refused.Code == stdiorpc.MethodNotFound && found == nil:
			return nil, skipped("wsi could not ask %s for its tools: it answers neither initialize nor server/discover: %v", p.server, err)
		case err != nil:
			return nil, broken("start it by hand as "+s.File+" says", "%s does not answer as %s starts it: %v", p.server, p.harness.Name, err)
		}
		tools, spoken = append(tools, found...), lists.AddUnique(spoken, revision)
	}
	how := "over MCP " + strings.Join(spoken, " and ")
	if err := p.keepSchemas(tools); err != nil {
		return tools, attention("", "%s answers, and %v", p.server, err)
	} else if p.passes() {
		how = "through wsi relay"
	}
	return tools, took(time.Since(start), good("%s answers %s and has %s", p.server, how, phrase.Count(len(tools), "tool")))
}

// askServer asks one server for its tools, as [toollist.Ask] does.
func (p *target) askServer(s setup.Server) (tools []toollist.Tool, revision string, err error) {
	program, err := p.spokesman(s)
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(p.ctx, p.answerTime)
	defer cancel()
	talk, err := stdiorpc.Start(ctx, program)
	if err != nil {
		return nil, "", err
	}
	tools, revision, err = toollist.Ask(talk, p.Version)
	talk.Close()
	var refused stdiorpc.Error
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it has not answered within %s", p.answerTime)
	}
	if words := talk.LastStderr(); err != nil && words != "" && !errors.As(err, &refused) {
		err = fmt.Errorf("%w; its last words: %s", err, words)
	}
	return tools, revision, err
}

// spokesman returns the program that is started to ask a server: its own command or, for an HTTP server and one without rules, the
// relay in front of it, with its state in a folder of the doctor's. With rules, the relay's list is not the server's.
func (p *target) spokesman(s setup.Server) (stdiorpc.Program, error) {
	out := stdiorpc.Program{Dir: p.folder(s), Env: p.environment(s)}
	out.Secrets = secrets(s, out.Env)
	if front, own, ok := setup.ParseRelayCommand(s.Command); ok && (front.URL != "" || p.passes()) {
		if out.Path = p.vetted(front.Path, s.File, s.Scope); out.Path == "" {
			return out, rehearse.ErrNotRun
		}
		out.Args = append(p.box.Relay(front).Words()[1:], s.Command[own:]...)
		return out, nil
	}
	s = bare(s)
	path, err := p.executable(s)
	if err != nil {
		return out, err
	}
	out.Path, out.Args = path, s.Command[1:]
	return out, nil
}

// serverNeeds checks whether there is anything to carry, collect, show or tell.
func serverNeeds(p *target) report.Finding {
	switch out := serverAnswers(p); out.Status {
	case report.OK:
	case report.Fail:
		return skipped("the server did not answer")
	default:
		return out
	}
	if out, found := p.unnamed(); found {
		return out
	}
	if len(p.carried) == 0 {
		return skipped("the rules for %s carry nothing", p.server)
	}
	all := arguments(p.carried)
	having := func(arguments ...string) []toollist.Tool {
		return lists.Filter(p.tools, func(t toollist.Tool) bool { return slices.ContainsFunc(arguments, t.Takes) })
	}
	var does, gets, lost, shown []string
	if n := len(having(all...)); n > 0 {
		taken := lists.Filter(all, func(argument string) bool { return having(argument) != nil })
		does = append(does, fmt.Sprintf("%d of %s take a %s", n, phrase.Count(len(p.tools), "tool"), strings.Join(taken, " or ")))
	}
	for _, r := range p.carried {
		argument := string(r.Collect.Argument)
		for _, t := range having(argument) {
			if r.Gathers(t.Name) {
				gets = append(gets, t.Name+" gets the "+argument+" that wsi kept")
				lost = append(lost, t.Name+" does not get the "+argument)
			}
		}
		if own := arguments([]carry.Rule{r}); own != nil && having(own...) == nil {
			continue // the rule is for another version of the server
		}
		for _, from := range r.Show {
			shown = lists.AddUnique(shown, string(from.Path))
		}
	}
	if len(does)+len(gets)+len(shown) == 0 {
		takes := cmp.Or(strings.Join(all, " or "), "value that its rules name")
		return attention("run wsi setup, press v, and choose the server that has such tools",
			"no tool of %s takes a %s, so wsi has nothing to carry", p.server, takes)
	}
	said, can, byHooks := strings.Join(shown, " and "), p.harness.Capabilities, p.mode() == setup.ByHooks
	unread := byHooks && said != "" && !can.ShowsMeta
	switch {
	case byHooks && len(gets)+len(shown) > 0 && !p.seesMeta():
		if unread {
			lost = append(lost, "the model does not read "+said)
		}
		does = append(does, "hooks of "+strings.TrimSpace(p.harness.Name+" "+p.version)+" do not see _meta: "+strings.Join(lost, ", "))
		return attention(p.withoutHooks(), "%s", strings.Join(does, "; "))
	case unread && can.Add == nil:
		does = append(append(does, gets...), "the model does not read "+said+" of _meta: hooks of "+p.harness.Name+" cannot show it")
		return attention(p.withoutHooks(), "%s", strings.Join(does, "; "))
	case said != "":
		gets = append(gets, "the model reads "+said+" of _meta")
	}
	return good("%s", strings.Join(append(does, gets...), "; "))
}

// seesMeta reports whether the harness shows hooks what results have in _meta, or writes it to a transcript.
func (p *target) seesMeta() bool {
	if slices.ContainsFunc(p.harness.Flaws, func(f setup.Flaw) bool { return f.HidesMeta && f.In(p.version) }) {
		return false
	}
	const result = `{"_meta":{"in":"meta alone"},"content":[]}`
	call := setup.ToolCall{Session: "s", ID: "c", Server: p.server, Tool: "t", Args: []byte(`{}`), Cwd: p.Env.Cwd}
	seen := slices.Concat(p.harness.Proof.Simulator.After(call, []byte(result)), p.harness.Proof.Simulator.Transcript(call, []byte(result)))
	return bytes.Contains(seen, []byte("meta alone"))
}

// withoutHooks returns the command that wires the harness so that wsi sees whole results, "" if there is none.
func (p *target) withoutHooks() phrase.Fix {
	if _, can := p.harness.Choice(setup.ByRelay); can {
		return phrase.Fix{Command: "wsi setup --harness " + p.harness.ID + " --wiring " + string(setup.ByRelay)}
	}
	return phrase.Fix{}
}

// takesIndex reports whether the server is a workflow-server with a session_index, as its tools say. If it could not be asked,
// it is one only if the rules carry nothing else.
func (p *target) takesIndex() bool {
	all := arguments(p.carried)
	if !slices.Contains(all, refserver.Index) || !slices.Contains(all, refserver.Argument) {
		return slices.Contains(all, refserver.Index)
	}
	serverAnswers(p)
	return slices.ContainsFunc(p.tools, func(t toollist.Tool) bool { return t.Takes(refserver.Index) })
}

// shows reports whether rules show the model a member of _meta.
func (p *target) shows(member string) bool {
	return slices.ContainsFunc(p.carried, func(r carry.Rule) bool {
		return slices.ContainsFunc(r.Show, func(from carry.Source) bool { return string(from.Path) == member })
	})
}

// collects reports whether rules keep values for a tool that takes them all.
func (p *target) collects(tool string) bool {
	return slices.ContainsFunc(p.carried, func(r carry.Rule) bool { return r.Gathers(tool) })
}

// keepSchemas keeps what those of the server's tools require that no rule names, for hooks, which are shown no schemas.
func (p *target) keepSchemas(tools []toollist.Tool) error {
	if p.StateDir == "" {
		return nil
	}
	var all []schemas.Tool
	for _, t := range tools {
		requires := func(argument string) bool { return slices.Contains(schemas.Required(t.InputSchema), argument) }
		if _, admitted := carry.Admit(p.carried, t.Name, nil, requires); admitted {
			all = append(all, schemas.Tool{Name: t.Name, Schema: t.InputSchema})
		}
	}
	return schemas.In(p.StateDir).Write(p.harness.ID, p.server, all)
}

// unnamed looks for tools that take what a rule carries, although no rule names them: those of another version.
func (p *target) unnamed() (out report.Finding, found bool) {
	for _, required := range []bool{false, true} {
		var names []string
		argument := ""
		for _, t := range p.tools {
			if takes := unnamedArgument(p.carried, t, required); takes != "" && (argument == "" || takes == argument) {
				names, argument = lists.AddUnique(names, t.Name), takes
			}
		}
		if len(names) == 0 {
			continue
		}
		needs, does := "does not require", "leaves it out"
		if required {
			needs, does = "requires", "puts it in"
		}
		return attention("add "+phrase.Some(names, 40)+" to a rule of your own; wsi rules path prints where",
			"no rule names %s, and the server %s %s there: wsi %s", phrase.Some(names, 40), needs, argument, does), true
	}
	return out, false
}

// unnamedArgument returns the argument of a tool, required or not, that a rule would fill in if one named the tool.
func unnamedArgument(all []carry.Rule, t toollist.Tool, required bool) string {
	all, admitted := carry.Admit(all, t.Name, nil, t.Takes)
	if !admitted {
		return ""
	}
	for _, r := range all {
		argument := r.Takes(t.Name)
		if argument != "" && carry.HandsOff(t.Name, argument, nil) == "" && required == slices.Contains(schemas.Required(t.InputSchema), argument) {
			return argument
		}
	}
	return ""
}
