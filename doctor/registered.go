package doctor

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/doctor/receipts"
	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
)

// hookFile checks the hook files as a whole: one invalid entry can disable all hooks of a file.
func hookFile(p *target) report.Finding {
	l, _ := ledger.Read(files.Disk{}.ReadFile, p.StateDir) // its error is reported by wsi.ledger
	if bad, ok := errors.AsType[setup.ConfigError](p.findErr); ok && (setup.Fatal(bad.Err) && p.wired() || l.Concerns(p.harness.ID, bad)) {
		return broken(p.correct(bad.Path, bad), "%v", bad)
	}
	if len(p.files) == 0 && !p.relayed() {
		return skipped("no hook file")
	}
	var worst report.Finding
	for _, f := range p.files {
		if out := p.acceptedFile(f); out.Status == report.Fail || worst.Status == "" {
			worst = out
		}
	}
	if worst.Status == report.Fail {
		return worst
	}
	if p.Env.Starts != nil {
		if err := p.Env.Starts(p.Env, p.harness); err != nil && p.wired() {
			return broken("start "+p.harness.Name+" and do what it says, then run wsi doctor again", "%v", err)
		} else if err != nil {
			return attention("start "+p.harness.Name+" and do what it says", "%v", err)
		}
	}
	var accepted, unasked []string
	for _, f := range p.files {
		accepted = append(accepted, f.Path)
		if known, _ := p.harness.Answer(p.Env, f.Hooks, f.Content); p.harness.Asks(f.Hooks) && f.Owned.Path == "" && !known {
			unasked = append(unasked, f.Path)
		}
	}
	switch {
	case worst.Status != "":
		return worst
	case accepted == nil:
		return skipped("no hook file")
	case unasked != nil:
		return note("it is not known whether %s accepts %s: its program was not asked", p.harness.Name, strings.Join(unasked, ", "))
	}
	return good("%s accepts %s", p.harness.Name, strings.Join(accepted, ", "))
}

// acceptedFile returns what is wrong with one file; its status is "" for nothing.
func (p *target) acceptedFile(f inspect.Source) (out report.Finding) {
	switch {
	case f.Owned.Path != "":
		return p.ownedFile(f)
	case f.Content == nil && f.Err != nil:
		out = attention(p.usable(f.Path), "%s cannot be read: %v", f.Path, phrase.Reason(f.Err))
		if len(p.hooks) == 0 {
			out.Status = report.Fail // they may all be there
		}
		return out
	}
	err := f.Err
	if f.Content != nil {
		err = cmp.Or(p.harness.Refused(p.Env, f.Hooks, f.Content), err)
	}
	bad, _ := errors.AsType[setup.InvalidConfigError](err)
	switch {
	case err == nil:
		return out
	case !p.mentions(f) && !(setup.Fatal(err) && p.wired()) && !(bad.Said && p.hasServer()):
		return attention(p.correct(f.Path, err), "%s has no entry of wsi, but %v", f.Path, err)
	case bad.Fix != "":
		return broken("in "+f.Path+": "+bad.Fix+", then run wsi doctor again", "%s: %v", f.Path, err)
	}
	return broken("correct "+f.Path+", then run wsi doctor again", "%s: %v", f.Path, err)
}

// correct returns the fix for a file that cannot be read or is invalid.
func (p *target) correct(path string, err error) phrase.Fix {
	info, unseen := os.Stat(path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(unseen, fs.ErrPermission) || unseen == nil && (!info.Mode().IsRegular() || info.Size() > plainfile.MaxConfig) {
		return p.usable(path)
	}
	return phrase.Fix{Text: "correct " + path}
}

// ownedFile compares a file that wsi wrote with what this wsi would write.
func (p *target) ownedFile(f inspect.Source) report.Finding {
	if f.Err != nil {
		return broken(p.thenSetup(p.usable(f.Path)), "%v", f.Err)
	}
	switch f.Owned.Author(f.Content) {
	case setup.Later:
		return attention(p.setup(), "%s was written by a newer wsi", f.Path)
	case setup.Edited:
		return attention(p.thenSetup(p.moveAway(f.Path)), "%s was edited since wsi wrote it; to keep the changes, do nothing", f.Path)
	case setup.Theirs:
		return attention(p.thenSetup(p.moveAway(f.Path)), "%s was not written by wsi", f.Path)
	}
	for _, h := range lists.Filter(p.hooks, func(h rehearse.Hook) bool { return h.File.Path == f.Path }) {
		wiring, err := p.harness.Wiring(p.Env, f.Scope, setup.Program{
			Path:    filepath.FromSlash(h.Parsed.Path), // a command line on Windows has slashes
			Servers: h.Parsed.Servers, As: h.Parsed.As, Relay: h.Parsed.Relay,
		})
		another := func(wf setup.OwnedFile) bool { return wf.Path == f.Path && !bytes.Equal(wf.Content, f.Content) }
		if err == nil && slices.ContainsFunc(wiring.Owned, another) {
			return attention(p.setup(), "%s was written by another version of wsi", f.Path)
		}
	}
	return report.Finding{}
}

// hookRegistered expects a hook for every event, over all files.
func hookRegistered(p *target) report.Finding {
	for _, h := range p.others {
		if setup.Damaged(h.Command, p.harness.ID) {
			return broken(p.setup(), "the command for %s in %s is damaged: %s", h.Event, h.File.Path, edit.MaskSecrets(h.Command))
		}
	}
	if len(p.hooks) == 0 {
		return p.absent()
	}
	served := lists.Filter(p.hooks, p.serves)
	if len(served) == 0 {
		return broken(p.setup(), "the hooks are registered for the server %s, not for %s", strings.Join(p.hooks[0].Parsed.Servers, ", "), p.server)
	}
	var missing []string
	carries := true // the missing ones only show and collect what results have in _meta
	for _, want := range p.wanted() {
		said, _ := setup.ParseCommand(want.Command)
		if !slices.ContainsFunc(served, func(h rehearse.Hook) bool { return h.Event == want.Event && h.Parsed.Verb == said.Verb }) {
			missing = append(missing, cmp.Or(want.Event, said.Verb))
			carries = carries && want.Meta
		}
	}
	switch {
	case len(missing) > 0 && carries:
		return attention(p.setup(), "wsi has no hook for %s, so it does not show or collect what %s says in _meta", strings.Join(missing, ", "), p.server)
	case len(missing) > 0:
		return broken(p.setup(), "wsi has no hook for %s", strings.Join(missing, ", "))
	}
	for _, h := range served {
		for _, field := range p.harness.Hooks.IgnoredWhen {
			if set := h.Fields[field]; set != nil && set != false {
				return broken("remove "+field+" from that entry in "+h.File.Path, "the hook for %s has %s set, so %s may ignore its answer", h.Event, field, p.harness.Name)
			}
		}
	}
	return good("%s", strings.Join(places(served), " and "))
}

func (p *target) absent() report.Finding {
	switch {
	case p.found[report.HookFile] == report.Fail:
		return skipped("the hook files cannot be read")
	case p.relayed() && p.harness.Capabilities.Note != nil && p.ruled():
		return attention(p.setup(), "no hook tells wsi relay which agent calls: where the relay cannot know that, it puts in no value")
	case p.relayed():
		return skipped("no hooks: wsi relay is in front of %s", p.server)
	case p.Named && p.hasServer():
		return broken(p.setup(), "no hook of wsi is registered")
	case p.hasServer() && !p.carriable():
		return skipped("wsi has no rules for %s", p.server)
	case p.hasServer() && p.neverSetUp():
		return skipped("wsi is not set up")
	case p.hasServer():
		return broken(p.setup(), "%s has the server %s, but no hook of wsi is registered", p.harness.Name, p.server)
	}
	if p.findErr == nil {
		return report.Finding{Status: report.Skip, Text: "no server with a rule", Idle: true}
	}
	return skipped("neither wsi nor a server named %s is registered", p.server)
}

// ruled reports whether the server has rules, its own or those of another one.
func (p *target) ruled() bool { return p.as != "" || p.rules.Names(p.server) }

// carriable reports whether the server has rules, or looks like a workflow-server under another name.
func (p *target) carriable() bool {
	return p.rules.Names(p.server) || slices.ContainsFunc(p.presence.Servers, func(s setup.Server) bool { return s.Name == p.server && inspect.LikelyServer(s) })
}

// hookMatches compares the matchers with those that setup writes, which were measured. Only the harness knows what another one matches.
func hookMatches(p *target) report.Finding {
	if p.harness.Proof.Simulator == nil || !slices.ContainsFunc(p.wanted(), func(e setup.Entry) bool { return e.Matcher != "" }) {
		return skipped("%s has no matchers", p.harness.Name)
	}
	for _, h := range lists.Filter(p.hooks, p.serves) {
		program := p.program()
		program.Servers, program.As = h.Parsed.Servers, h.Parsed.As
		written := func(e setup.Entry) bool { return e.Matcher == h.Matcher }
		if h.Matcher != "" && h.Matcher != "*" && !slices.ContainsFunc(p.entries(program), written) {
			return attention(p.setup(), "the matcher %q of %s in %s is not one that setup writes, so it may not match the tools of %s", h.Matcher, h.Event, h.File.Path, p.server)
		}
	}
	return good("the matchers are those that setup writes for %s", p.server)
}

func serverRegistered(p *target) report.Finding {
	switch {
	case p.findErr != nil && p.found[report.HookFile] == report.Fail:
		return skipped("the servers cannot be read")
	case p.findErr != nil:
		fix := phrase.Fix{Text: "correct that file"}
		if bad, ok := errors.AsType[setup.ConfigError](p.findErr); ok {
			fix = p.correct(bad.Path, bad)
		}
		return attention(fix, "not all servers can be read: %v", p.findErr)
	}
	var best report.Finding
	for _, s := range p.presence.Servers {
		switch {
		case s.Name != p.server:
		case !s.Disabled && s.Blocked == "":
			return good("%s is registered in %s", s.Name, s.File)
		case best.Status != "":
		case s.Disabled:
			best = attention("enable it in "+s.File, "the server %s is disabled in %s", s.Name, s.File)
		default:
			best = attention(s.Remedy, "the server %s, registered in %s, %s", s.Name, s.File, s.Blocked)
		}
	}
	switch {
	case best.Status != "":
		return best
	case len(p.hooks) == 0:
		return skipped("no server named %s", p.server)
	}
	return p.unregistered()
}

// unregistered returns the finding if no file of the harness registers the server. It may come from elsewhere: a flag such
// as --mcp-config or a variable. Then the journal has its calls.
func (p *target) unregistered() report.Finding {
	const lately = 7 * 24 * time.Hour
	last := p.activity().last.Time
	names := lists.AddUnique(nil, lists.Map(p.presence.Servers, func(s setup.Server) string { return s.Name })...)
	fix, has := "register it with "+p.harness.Name, ""
	if len(names) > 0 {
		has = " (it has " + phrase.Some(names, 40) + ")"
	}
	ran := "wsi last ran for its calls " + phrase.Age(p.Env.Now().Sub(last)) + " ago"
	switch {
	case last.IsZero():
		ran = "the hooks never run"
	case p.Env.Now().Sub(last) < lately && last.After(changedAt(lists.Map(p.presence.Servers, func(s setup.Server) string { return s.File }))):
		return note("no file of %s registers %s, but %s: the server may come from the command line or a variable", p.harness.Name, p.server, ran)
	}
	out := attention(fix, "no file of %s registers an MCP server named %s%s; %s", p.harness.Name, p.server, has, ran)
	if last.IsZero() && has != "" {
		out.Status = report.Fail
	}
	return out
}

// changedAt returns when files were last changed. After that no server was renamed in them, and no hook added.
func changedAt(paths []string) (at time.Time) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			at = receipts.Latest(at, info.ModTime())
		}
	}
	return at
}
