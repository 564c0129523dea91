package doctor

import (
	"slices"

	"wsi/harnesses"
)

// harnessVersion holds the harness's version against those that wsi knows.
func harnessVersion(p *patient) outcome {
	h := p.harness
	switch {
	case p.presence.Binary == "":
		return skipped("there is no binary of %s to ask", h.Name)
	case p.version == "":
		return skipped("%s does not say its version", p.presence.Binary)
	}
	for _, f := range h.Flaws {
		if p.way() == harnesses.ByHooks && f.In(p.version) {
			return attention(f.Fix, "%s %s %s", h.Name, p.version, f.Why)
		}
	}
	switch {
	case slices.Contains(h.Measured, p.version):
		return good("wsi was measured with %s", p.version)
	case len(h.Measured) == 0:
		return note("no version of %s was ever measured", h.Name)
	case !slices.ContainsFunc(h.Measured, func(m string) bool { return !harnesses.Newer(m, p.version) }):
		return attention("update "+h.Name, "%s is older than all versions with which wsi was measured", p.version)
	}
	return note("not measured with %s; wsi doctor --live proves it", p.version)
}

// pluginStart tells what wsi's plugin costs when the harness starts.
func pluginStart(p *patient) outcome {
	switch {
	case p.harness.Waits == nil:
		return skipped("%s does not wait for plugins", p.harness.Name)
	case len(p.hooks) == 0:
		return skipped("there is no plugin of wsi's")
	}
	if why, fix := p.harness.Waits(p.Env); why != "" {
		return attention(fix, "%s", why)
	}
	return good("%s has what it would wait for at its start", p.harness.Name)
}
