package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

// hookFile checks the hook files as a whole: one invalid entry can disable all hooks of a file.
func hookFile(p *target) outcome {
	var bad harnesses.ConfigError
	if errors.As(p.findErr, &bad) && fatal(bad.Err) && p.wired() {
		return broken(p.correct(bad.Path, bad), "%v", bad)
	}
	if len(p.files) == 0 && !p.relayed() {
		return skipped("no hook file")
	}
	var worst outcome
	for _, f := range p.files {
		var out outcome
		if f.Owned.Path != "" {
			out = p.ownedFile(f)
		} else if f.Content == nil && f.Err != nil {
			out = attention(p.usable(f.Path), "%s cannot be read: %v", f.Path, f.Err)
			if len(p.hooks) == 0 {
				out.status = report.Fail // they may all be there
			}
		} else if err := p.refused(f); err != nil && (p.mentions(f) || fatal(err) && p.wired()) {
			out = broken(remedy(f.Path, err)+", then run wsi doctor again", "%s: %v", f.Path, err)
		} else if err != nil {
			out = attention(p.correct(f.Path, err), "%s (no wsi entries): %v", f.Path, err)
		}
		if out.status == report.Fail || worst.status == "" {
			worst = out
		}
	}
	if worst.status == report.Fail {
		return worst
	}
	if err := p.refusesToStart(); err != nil && p.wired() {
		return broken("start "+p.harness.Name+" and do what it says, then run wsi doctor again", "%v", err)
	} else if err != nil {
		return attention("start "+p.harness.Name+" and do what it says", "%v", err)
	}
	switch {
	case worst.status != "":
		return worst
	case len(p.files) == 0:
		return skipped("no hook file")
	}
	return good("%s accepts %s", p.harness.Name, strings.Join(p.paths(), ", "))
}

// remedy returns the fix for a file that a harness does not accept.
func remedy(path string, err error) string {
	var bad harnesses.InvalidConfigError
	if errors.As(err, &bad) && bad.Fix != "" {
		return "in " + path + ": " + bad.Fix
	}
	return "correct " + path
}

// correct returns the fix for a file that cannot be read or is invalid.
func (p *target) correct(path string, err error) string {
	info, unseen := os.Stat(path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(unseen, fs.ErrPermission) || unseen == nil && !info.Mode().IsRegular() {
		return p.usable(path)
	}
	return "correct " + path
}

// correctServers returns the fix for a file with servers.
func (p *target) correctServers() string {
	var bad harnesses.ConfigError
	if errors.As(p.findErr, &bad) {
		return p.correct(bad.Path, bad)
	}
	return "correct that file"
}

// refusesToStart returns the error of the harness's own program about the user's configuration, or nil. Wsi itself does
// not know all of the harness's rules.
func (p *target) refusesToStart() error {
	if p.harness.Starts == nil || p.presence.Binary == "" || p.version == "" {
		return nil
	}
	dir, err := os.MkdirTemp(p.box.Dir, "starts-")
	if err != nil {
		return nil // not known
	}
	ctx, cancel := context.WithTimeout(p.ctx, answerTime)
	defer cancel()
	var refused harnesses.InvalidConfigError
	if errors.As(p.harness.Starts(ctx, p.Env, p.presence.Binary, dir), &refused) {
		return refused
	}
	return nil
}

func fatal(err error) bool {
	var bad harnesses.InvalidConfigError
	return errors.As(err, &bad) && bad.Fatal
}

// refused returns why the harness does not accept a hook file.
func (p *target) refused(f inspect.Source) error {
	if p.harness.Validate != nil && f.Content != nil {
		if err := p.harness.Validate(f.Hooks, f.Content); err != nil {
			return err
		}
	}
	return f.Err
}

// ownedFile compares a file that wsi wrote with what this wsi would write.
func (p *target) ownedFile(f inspect.Source) outcome {
	if f.Err != nil {
		return broken(p.thenSetup(p.usable(f.Path)), "%v", f.Err)
	}
	version, marked := f.Owned.Marked(f.Content)
	switch {
	case marked && version > f.Owned.Version:
		return attention("run the wsi that wrote it", "%s was written by a newer wsi", f.Path)
	case marked && !f.Owned.Ours(f.Content):
		return attention(p.setupLine()+" --replace-edited", "%s was edited since wsi wrote it; to keep the changes, do nothing", f.Path)
	case !f.Owned.Ours(f.Content):
		return attention(p.thenSetup(p.moveAway(f.Path)), "%s was not written by wsi", f.Path)
	}
	for i, h := range slices.Concat(p.hooks, p.marking) {
		if h.File.Path != f.Path {
			continue
		}
		handles, marks := p.handles(), i >= len(p.hooks)
		if marks {
			handles = h.Parsed.Handles
		}
		wiring, err := p.harness.Wiring(p.Env, f.Scope, harnesses.Program{
			Path:    filepath.FromSlash(h.Parsed.Path), // a command line on Windows has slashes
			Servers: h.Parsed.Servers, As: h.Parsed.As, Handles: handles, Join: h.Parsed.Join, Relay: marks,
		})
		another := func(wf harnesses.OwnedFile) bool { return wf.Path == f.Path && !bytes.Equal(wf.Content, f.Content) }
		if err == nil && slices.ContainsFunc(wiring.Owned, another) {
			return attention(p.setup(), "%s was written by another version of wsi", f.Path)
		}
	}
	return outcome{}
}

func (p *target) paths() []string {
	var paths []string
	for _, f := range p.files {
		paths = append(paths, f.Path)
	}
	return paths
}

// hookRegistered expects a hook for every event, over all files.
func hookRegistered(p *target) outcome {
	if len(p.hooks) == 0 {
		return p.absent()
	}
	onlyIDs := p.onlyKeepsIDs()
	served := slices.DeleteFunc(slices.Clone(p.hooks), func(h rehearse.Hook) bool { return !p.serves(h) })
	if len(served) == 0 {
		return broken(p.setup(), "the hooks are registered for the server %s, not for %s", strings.Join(p.hooks[0].Parsed.Servers, ", "), p.server)
	}
	var missing []string
	for _, want := range p.wanted() {
		said, _ := harnesses.ParseCommand(want.Command)
		if onlyIDs && len(said.Handles) == 0 {
			continue
		}
		if !slices.ContainsFunc(served, func(h rehearse.Hook) bool { return h.Event == want.Event && h.Parsed.Verb == said.Verb }) {
			missing = append(missing, cmp.Or(want.Event, said.Verb))
		}
	}
	if len(missing) > 0 {
		return broken(p.setup(), "wsi has no hook for %s", strings.Join(missing, ", "))
	}
	for _, h := range served {
		for _, field := range p.harness.IgnoredWhen {
			if slices.Contains(strings.Fields(h.More), field) {
				return broken("remove "+field+" from that entry in "+h.File.Path, "the hook for %s has %s set; with it, %s ignores the hook's answer, or may ignore it", h.Event, field, p.harness.Name)
			}
		}
	}
	where := strings.Join(places(served), " and ")
	if onlyIDs {
		where += ", to keep the ids of " + p.server
	}
	return good("%s", where)
}

// absent returns the outcome if no hook is registered.
func (p *target) absent() outcome {
	switch {
	case p.found[report.HookFile] == report.Fail:
		return skipped("the hook files cannot be read")
	case p.relayed():
		return skipped("wsi relay is in front of the server %s instead", p.server)
	case p.Named:
		return broken(p.setup(), "no hook of wsi is registered")
	case p.hasServer() && p.neverSetUp():
		return skipped("wsi is not set up")
	case p.hasServer():
		return broken(p.setup(), "%s has the server %s, but no hook of wsi is registered", p.harness.Name, p.server)
	}
	return skipped("neither wsi nor a server named %s is registered", p.server)
}

// hookMatches tests the matchers with the names that the harness gives the server's tools.
func hookMatches(p *target) outcome {
	if p.harness.Matches == nil {
		return skipped("%s has no matchers", p.harness.Name)
	}
	for _, server := range lists.AddUnique([]string{p.server}, p.handles()...) {
		for _, tool := range []string{"start_session", "next_activity"} {
			call := p.subject().Call("s", "", "c", tool, `{}`)
			call.Server = server
			ev, err := p.harness.Codec.Read(p.harness.Simulator.Before(call))
			if err != nil {
				return broken("", "wsi cannot read its own event for %s: %v", p.harness.Name, err)
			}
			for _, h := range p.hooks {
				if p.concerns(h, server) && !p.harness.Matches(h.Matcher, ev) {
					return broken(p.setup(), "the matcher %q of %s does not match the tool %s", h.Matcher, h.Event, ev.Name)
				}
			}
		}
	}
	for _, h := range p.hooks {
		if p.ofCompaction(h) && !p.harness.Matches(h.Matcher, harnesses.Event{Name: "compact"}) {
			return broken(p.setup(), "the matcher %q of %s does not match a compaction", h.Matcher, h.Event)
		}
	}
	return good("the matchers match the tools of %s", p.server)
}

// concerns reports whether a hook must run for the tools of a server.
func (p *target) concerns(h rehearse.Hook, server string) bool {
	if p.ofCompaction(h) {
		return false
	}
	carries := server == p.server && p.serves(h) && !(h.Parsed.Join && h.Parsed.Verb == harnesses.Capture)
	return carries || slices.Contains(h.Parsed.Handles, server)
}

// ofCompaction reports whether a hook runs for compactions, not for calls.
func (p *target) ofCompaction(h rehearse.Hook) bool {
	return slices.ContainsFunc(p.wanted(), func(e harnesses.Entry) bool { return e.Event == h.Event && e.Compaction })
}

func serverRegistered(p *target) outcome {
	switch {
	case p.findErr != nil && p.found[report.HookFile] == report.Fail:
		return skipped("the servers cannot be read")
	case p.findErr != nil:
		return attention(p.correctServers(), "the servers cannot be read: %v", p.findErr)
	}
	var best outcome
	for _, s := range p.presence.Servers {
		switch {
		case s.Name != p.server:
		case !s.Disabled && s.Blocked == "":
			return good("%s is registered in %s", s.Name, s.File)
		case best.status != "":
		case s.Disabled:
			best = attention("enable it in "+s.File, "the server %s is disabled in %s", s.Name, s.File)
		default:
			best = attention(s.Remedy, "the server %s, registered in %s, %s", s.Name, s.File, s.Blocked)
		}
	}
	if best.status != "" {
		return best
	}
	if len(p.hooks) == 0 {
		return skipped("no server named %s", p.server)
	}
	kept := p.handles()
	for _, s := range p.presence.Servers {
		if slices.Contains(kept, s.Name) && !s.Disabled && s.Blocked == "" && !p.alike(s.Name) {
			return good("%s, whose ids are kept, is registered in %s; no server is named %s", s.Name, s.File, p.server)
		}
	}
	return attention(p.anotherServer(), "%s has no MCP server named %s, so the hooks have nothing to do", p.harness.Name, p.server)
}

// anotherServer returns the fix if the harness does not have the server: setup for one with a similar name, or the
// names of all servers.
func (p *target) anotherServer() string {
	var names, alike []string
	for _, s := range p.presence.Servers {
		if s.Disabled || slices.Contains(names, s.Name) {
			continue
		}
		names = append(names, s.Name)
		if p.alike(s.Name) {
			alike = append(alike, s.Name)
		}
	}
	switch {
	case len(alike) == 1:
		other := *p
		other.server = alike[0]
		return other.setup()
	case len(names) == 0:
		return "register it with " + p.harness.Name
	}
	for i, name := range names {
		names[i] = harnesses.Quote(p.Env.GOOS, name)
	}
	return "register it with " + p.harness.Name + ", or use --server with one of its servers: " + strings.Join(names, ", ")
}

// alike reports whether a server's name is the one that is looked for, written otherwise.
func (p *target) alike(name string) bool {
	return carry.Same(strings.ToLower(name), strings.ToLower(p.server))
}
