package doctor

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses/clients"
	"wsi/hook/rules"
	"wsi/installer/inspect"
)

// relayRunnable starts each registered relay with the reference server behind it, and asks for its tools.
func relayRunnable(p *target) report.Finding {
	switch {
	case !p.relayed():
		return skipped("no wsi relay is in front of the server %s", p.server)
	case p.found[report.HookRunnable] == report.Fail:
		return skipped("not tried: wsi's hook does not run")
	}
	start := time.Now()
	for i, f := range p.relays {
		if !filepath.IsAbs(f.RelayCommand.Path) {
			return broken(p.setup(), "the entry of %s has no absolute path of wsi", p.server)
		}
		if isDir, err := p.Env.Stat(f.RelayCommand.Path); err != nil || isDir {
			return broken(p.setup(), "%s starts %s in front of %s, but there is no such program", p.harness.Name, f.RelayCommand.Path, p.server)
		}
		if f.program == "" {
			return notStarted(f.RelayCommand.Path, f.file)
		}
		if _, err := p.Env.LookPath(f.RelayCommand.Path); err != nil && (p.Static || f.program != f.RelayCommand.Path) {
			return broken(p.setup(), "%s, which %s starts in front of %s, cannot be run: %v", f.RelayCommand.Path, p.harness.Name, p.server, reason(err))
		}
		if p.Static {
			continue
		}
		if err := p.relay(f, i).Greet(p.ctx); err != nil {
			return broken(p.setup(), "wsi relay, as %s registers it, does not forward to %s: %v", f.file, p.server, err)
		}
	}
	if p.Static {
		return good(notTried)
	}
	return took(time.Since(start), good("wsi relay starts as it is registered and forwards to a server"))
}

// serverFronted checks all registrations of a server with a relay. With one that has no relay, the harness may bypass
// it. A relay with other flags than the hook does not find the value, or its caller.
func serverFronted(p *target) report.Finding {
	switch {
	case !p.relayed() && p.notes():
		return broken(p.setup(), "the hook only notes the caller, and no wsi relay is in front of the server to carry values")
	case !p.relayed():
		return skipped("no wsi relay is in front of a server named %s", p.server)
	}
	for _, f := range p.relays {
		if out := p.flags(f); out.Status != report.OK {
			return out
		}
	}
	if len(p.hooks) > 0 && !p.notes() {
		return attention(p.setup(), "the hooks carry values although wsi relay is in front of the server; hooks see less of a result when a relay is there")
	}
	past := slices.Clone(p.presence.Servers)
	if p.harness.Bundled != nil {
		past = append(past, p.harness.Bundled(p.Env)...)
	}
	if all := inspect.Bypasses(p.Env, p.harness, past, p.server); len(all) > 0 {
		if all[0].Certain {
			return broken(all[0].Fix, "%s", all[0].Text)
		}
		return attention(all[0].Fix, "%s", all[0].Text)
	}
	for _, f := range p.relays {
		if names := inspect.Exposed(f.RelayCommand); len(names) > 0 {
			return attention("use an address with https:// in "+f.file,
				"wsi relay in %s has an address with http://: others on the network can read what it sends, also %s", f.file, strings.Join(names, ", "))
		}
	}
	if shown := clients.Says(p.harness.ID); shown != "" && p.relays[0].Content != "as-is" {
		return good("wsi relay is in front of %s everywhere; %s %s", p.server, p.harness.Name, shown)
	}
	return good("wsi relay is in front of %s everywhere", p.server)
}

func (p *target) flags(f relayEntry) report.Finding {
	file, usual := p.rulesPath(), rules.UserFile(func(string) string { return "" }, p.Env.Home)
	switch {
	case f.Harness != p.harness.ID:
		return broken(p.setup(), "wsi relay in %s has --harness %q, so it cannot know the caller", f.file, f.Harness)
	case f.Server != p.server:
		return broken(p.setup(), "wsi relay in %s has --server %q, not %s", f.file, f.Server, p.server)
	case f.Rules != "" && file != usual && filepath.Clean(f.Rules) != file:
		return attention(p.setup(), "wsi relay in %s reads your rules in %s, but they are in %s", f.file, f.Rules, file)
	case p.StateDir == "" || f.State == "" || filepath.Clean(f.State) == filepath.Clean(p.StateDir):
		return good("")
	case p.notes():
		return broken(p.setup(), "the relay in %s looks for callers in %s, but the hooks note them in %s", f.file, f.State, p.StateDir)
	default:
		return attention(p.setup(), "wsi relay in %s stores values in %s; the doctor examines %s", f.file, f.State, p.StateDir)
	}
}
