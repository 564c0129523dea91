package doctor

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/internal/stdiorpc"
)

// harnessVersion holds the harness's version against those that wsi knows.
func harnessVersion(p *target) outcome {
	h := p.harness
	switch {
	case p.presence.Binary == "":
		return skipped("there is no binary of %s to ask", h.Name)
	case p.mute != nil:
		return p.unheard()
	case p.version == "":
		return skipped("%s does not say its version", p.presence.Binary)
	}
	for _, f := range h.Flaws {
		if p.way() == harnesses.ByHooks && f.In(p.version) {
			return attention(f.Fix, "%s %s %s", h.Name, p.version, f.Why)
		}
	}
	switch {
	case p.found[report.LiveDelivered] == report.OK && !slices.Contains(h.Measured, p.version):
		return good("%s was proven just now", p.version)
	case slices.Contains(h.Measured, p.version):
		return good("wsi was measured with %s", p.version)
	case len(h.Measured) == 0:
		return note("no version of %s was ever measured", h.Name)
	case !slices.ContainsFunc(h.Measured, func(m string) bool { return !harnesses.Newer(m, p.version) }):
		return attention("update "+h.Name, "%s is older than all versions with which wsi was measured", p.version)
	}
	return note("not measured with %s; wsi doctor --live proves it", p.version)
}

// unheard says why the harness's program does not tell its version. What a shell or env says of a program that it
// cannot start has the status 126 or 127.
func (p *target) unheard() outcome {
	var ended *exec.ExitError
	fix := "install what it lacks, or " + p.harness.Name + " again"
	switch {
	case errors.Is(p.mute, context.DeadlineExceeded):
		return skipped("%s does not say its version within 5 s", p.presence.Binary)
	case !errors.As(p.mute, &ended):
		return broken(fix, "%s cannot be started: %v", p.presence.Binary, p.mute)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(ended.Stderr)), "\n")
	said := cmp.Or(stdiorpc.Redact(first, nil), "it says nothing")
	if code := ended.ExitCode(); code == 126 || code == 127 {
		return broken(fix, "%s cannot be started: %s", p.presence.Binary, said)
	}
	return attention("start it by hand, and see to what it says", "%s --version ends with %s: %s", p.presence.Binary, ended.ProcessState, said)
}

// pluginStart tells what wsi's plugin costs when the harness starts.
func pluginStart(p *target) outcome {
	switch {
	case p.harness.StartupDelay == nil:
		return skipped("%s does not wait for plugins", p.harness.Name)
	case len(p.hooks) == 0:
		return skipped("there is no plugin of wsi's")
	}
	if why, fix := p.harness.StartupDelay(p.Env); why != "" {
		return attention(fix, "%s", why)
	}
	return good("%s has what it would wait for at its start", p.harness.Name)
}
