package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// budget limits all calls of a rehearsal together. The longest one measured, on a slow machine and with a wsi that is
// not this program, took a quarter of it.
const budget = time.Minute

var errBudget = errors.New("the test calls take longer than a minute")

// onlyWorkflow is why nothing is rehearsed or proven with a server that has other rules than a workflow-server.
const onlyWorkflow = "wsi makes test calls only for a workflow-server; to try a rule for another server, type wsi rules try --event FILE"

// tokenDelivered rehearses, and says in how many calls the value was seen that wsi had put in.
func tokenDelivered(p *target) report.Finding {
	out, n := every((*target).rehearsed)(p), p.activity()
	switch {
	case n.seen+len(n.sent) == 0 || out.Status != report.OK && out.Status != report.Info && out.Text != onlyWorkflow:
	case slices.Contains(n.sent[max(0, len(n.sent)-window):], false):
		return attention("run wsi hooks to see whose hooks change the same calls",
			"%s; but in %d of the last %d calls, %s did not send the value that wsi had put in", out.Text,
			len(lists.Filter(n.sent[max(0, len(n.sent)-window):], func(had bool) bool { return !had })), min(window, len(n.sent)), p.harness.Name)
	default:
		out.Text += "; " + p.harness.Name + " sent the value in " + phrase.Count(n.seen, "real call")
	}
	return out
}

// rehearsed rehearses with the reference server, which knows whether the right value came.
func (p *target) rehearsed() report.Finding {
	switch {
	case p.passes():
		return p.passesOn()
	case !p.ruled():
		return broken("say which server's rules it has: wsi setup --server "+p.serverWord(), "no rule names the server %s, so wsi carries nothing for it", p.server)
	case len(p.carried) == 0:
		return broken("enable a rule for "+p.server+" again in "+p.rulesPath(), "your rules disable all that wsi carries for %s", p.server)
	case p.has(report.Fail, report.ServerFronted, report.RelayRunnable):
		return skipped("wsi made no test calls: wsi relay is missing in front of the server, or has a fault")
	case p.ofItsOwn():
		return skipped(onlyWorkflow)
	case p.has(report.Fail, report.HookFile, report.HookRegistered, report.HookMatches):
		return skipped("wsi made no test calls: %s would not run the hooks as they are registered", p.harness.Name)
	case p.has(report.Fail, report.HookEnabled, report.HookTrusted):
		return skipped("wsi made no test calls: %s would skip the hooks", p.harness.Name)
	case p.found[report.HookRunnable] == report.Fail:
		return skipped("wsi made no test calls: the hooks do not run")
	case p.found[report.HookFile] == report.Warn && p.hooked() && p.hooks[0].File.Owned.Path != "":
		return skipped("wsi made no test calls: %s is not what this wsi writes; run wsi doctor --live", p.hooks[0].File.Path)
	}
	ctx, cancel := context.WithTimeoutCause(p.ctx, budget, errBudget)
	defer cancel()
	start := time.Now()
	scores, err := p.testCalls(ctx)
	switch late := errors.Is(err, errBudget); {
	case late && scores.All().Wrong != "": // the calls that are missing would change nothing
	case late:
		return attention("", "wsi stopped its test calls after %s: this machine is slow", phrase.Age(budget))
	case err != nil:
		return broken(p.deliveryFix(), "wsi could not make its test calls: %v", err)
	case scores.All().Needed == 0:
		return skipped("the rules for %s carry nothing that wsi could try", p.server)
	}
	out := p.judge(scores)
	out.Took = time.Since(start).Milliseconds()
	return out
}

// testCalls makes calls with the registered hooks, or through each registered relay.
func (p *target) testCalls(ctx context.Context) (all rehearse.Scores, err error) {
	if p.hooked() && !p.notes() {
		return p.subject().Everything(ctx)
	}
	for _, f := range p.relays {
		score, err := p.relay(f).Everything(ctx)
		if err != nil {
			return all, err
		}
		all.Text = all.Text.Plus(score)
	}
	return all, nil
}

// judge turns the scores into a finding. A call fails only if wsi could have put it right.
func (p *target) judge(scores rehearse.Scores) report.Finding {
	text, all := scores.Text, scores.All()
	switch wrong := fmt.Sprintf("wsi made %s, and %d got the right value", phrase.Count(all.Needed, "test call"), all.Right); {
	case all.Wrong != "":
		return broken(p.deliveryFix(), "%s; %s", wrong, all.Wrong)
	case text.Unseen > 0:
		return broken("", "%s; hooks of %s do not see the result of a call", wrong, p.harness.Name)
	case scores.Meta.Unseen > 0:
		right := fmt.Sprintf("wsi made %s whose value is in a text: each got the right value", phrase.Count(text.Needed, "test call"))
		const hides = "hooks do not see a value that is only in _meta"
		if len(p.harness.Measured) == 0 {
			return note("%s. The documentation of %s says that its %s", right, p.harness.Name, hides)
		}
		return attention("", "%s; %s's %s", right, p.harness.Name, hides)
	}
	return good("wsi made %s, %d with the registered commands: each got the right value", phrase.Count(all.Needed, "test call"), all.Outside)
}

// Live proves delivery with a harness's own binary. Package doctor/live implements it.
type Live func(context.Context, LiveCase) (LiveProof, error)

// LiveCase is one proof: this binary, with these files as they are now, delivers the values.
type LiveCase struct {
	Harness  setup.Harness
	Version  string           // of the harness
	Binary   string           // of the harness, absolute
	Server   string           // name of the server in the hooks
	Rules    []byte           // the user's rule file, nil = none
	Files    []inspect.Source // from which the harness takes hooks, with wsi's and others' in them
	Index    bool             // the server takes a session_index, not a session_token
	Shows    bool             // the model reads the warnings in _meta
	Collects bool             // get_trace gets the trace tokens
	// May reports whether a command line of wsi's in one of them may be run.
	May func(f inspect.Source, line string) bool

	Way    setup.Mode         // how it is wired
	Front  setup.RelayCommand // what it starts in front of the server; no Path = nothing
	Agents bool               // wsi can distinguish the calls of a sub-agent
	Env    setup.Env          // of the user
	Dir    string             // an empty folder for all files; the caller deletes it
}

// LiveProof is what the server saw.
type LiveProof struct {
	Right, Needed int    // calls that carried the right value, calls that had to carry one
	Wrong         string // the first failure, one clause; "" = none
	Cannot        string // why this harness cannot be driven, one clause; "" = it can
	Saw           string // such as "wsi's test server saw 9 calls of 2 sessions"
	Spoken        string // the revision of MCP that the harness spoke with it, "" = not known
	Killed        string // what became of the server that was killed once, as the end of a sentence; "" = it was not
	Late          string // why the harness was stopped, one clause; the other fields count what came before; "" = it ended in time
}

// showReport returns the fix for a live proof that fails: an issue with the report.
func (p *target) showReport() phrase.Fix {
	return phrase.Fix{Text: "add what this prints to an issue", Command: "wsi doctor --live --report --harness " + p.harness.ID}
}

// liveDelivered makes the harness's own binary call the reference server.
func liveDelivered(p *target) report.Finding {
	switch {
	case p.passes():
		return p.passesOn()
	case p.harness.Proof.Simulator == nil:
		return skipped("wsi has no live proof for %s", p.harness.Name)
	case p.Live == nil:
		return skipped("not tested with %s itself: run wsi doctor --live", p.harness.Name)
	case len(p.hooks) == 0 && !p.relayed():
		return skipped("no hook of wsi is registered")
	case p.presence.Binary == "" && !p.harness.Proof.Windowed:
		return skipped("no program of %s was found", p.harness.Name)
	case errors.Is(p.mute, setup.ErrSilent):
		return skipped("not tried: %v", p.mute)
	case p.has(report.Fail, report.HarnessVersion, report.HookFile, report.HookRegistered, report.HookMatches, report.ServerFronted, report.HookEnabled, report.HookTrusted, report.HookListed, report.HookRunnable, report.RelayRunnable):
		return skipped("wsi did not start %s: repair the other fault first", p.harness.Name)
	}
	for _, f := range p.files {
		if f.Owned.Path != "" && p.ofProject(f.Scope, f.Path) && p.uses(f) && !f.Owned.Ours(f.Content) {
			return skipped("wsi did not start %s: %s is a program of the project, and it is not as wsi wrote it", p.harness.Name, f.Path)
		}
	}
	switch {
	case len(p.carried) == 0:
		return skipped("wsi did not start %s: the rules for %s carry nothing", p.harness.Name, p.server)
	case p.ofItsOwn():
		return skipped(onlyWorkflow)
	}
	proof, err := p.Live(p.ctx, LiveCase{
		Harness: p.harness, Version: p.version, Binary: p.presence.Binary, Server: p.server, Files: p.files,
		May: p.may, Way: p.mode(), Front: p.started(), Agents: p.relayed() && p.relay(relayEntry{}).TellsAgents(),
		Rules: p.ruleFile(), Index: p.takesIndex(), Shows: p.shows("validation"), Collects: p.collects("get_trace"), Env: p.Env, Dir: p.box.Live,
	})
	switch result := fmt.Sprintf("%s: %d of the %d calls that need a value had the right one", proof.Saw, proof.Right, proof.Needed); {
	case err != nil:
		return broken(p.showReport(), "%s could not be run: %v", p.harness.Name, err)
	case proof.Cannot != "":
		return skipped("%s", proof.Cannot)
	case proof.Late != "" && proof.Needed == 0:
		return broken(p.showReport(), "%s could not be run: %s, and %s", p.harness.Name, proof.Late, proof.Saw)
	case proof.Late != "" && proof.Right == proof.Needed:
		return attention("", "%s, and then %s; %s is slow here", result, proof.Late, p.harness.Name)
	case proof.Wrong != "" || proof.Right != proof.Needed:
		fix := p.showReport()
		if p.has(report.Warn, report.HookFile, report.HookPath, report.HookRegistered) {
			fix = phrase.Fix{Text: "do first what the warnings say"} // setup can fix it
		}
		return broken(fix, "%s; %s%s", result, proof.Wrong, proof.Killed)
	case proof.Spoken != "":
		return good("%s; %s spoke MCP %s%s", result, p.harness.Name, proof.Spoken, proof.Killed)
	default:
		return good("%s%s", result, proof.Killed)
	}
}
