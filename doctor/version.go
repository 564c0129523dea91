package doctor

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/stdiorpc"
)

func harnessFound(p *target) outcome {
	switch {
	case p.presence.Binary != "":
		return good("%s", p.presence.Binary)
	case p.presence.Found:
		return note("%s is not on the PATH, but it is configured in %s", p.harness.Name, p.presence.ConfigHome)
	}
	return skipped("%s is not on this machine", p.harness.Name)
}

// harnessVersion compares the harness's version with those that wsi was tested with.
func harnessVersion(p *target) outcome {
	h := p.harness
	switch {
	case p.presence.Binary == "":
		return skipped("%s has no binary to ask", h.Name)
	case p.mute != nil:
		return p.unheard()
	case p.version == "":
		return skipped("%s does not report its version", p.presence.Binary)
	}
	for _, f := range h.Flaws {
		if p.mode() == setup.ByHooks && f.In(p.version) {
			return attention(f.Fix, "%s %s %s", h.Name, p.version, f.Why)
		}
	}
	switch {
	case p.found[report.LiveDelivered] == report.OK && !slices.Contains(h.Measured, p.version):
		return good("the live proof with %s succeeded", p.version)
	case slices.Contains(h.Measured, p.version):
		return good("wsi was tested with %s", p.version)
	case len(h.Measured) == 0:
		return note("wsi was not tested with any version of %s", h.Name)
	case !slices.ContainsFunc(h.Measured, func(m string) bool { return !setup.Newer(m, p.version) }):
		return attention("update "+h.Name, "%s is older than all versions that wsi was tested with", p.version)
	}
	return note("not tested with %s; to prove it, run wsi doctor --live", p.version)
}

// unheard returns why the harness's program does not report its version. A shell or env that cannot start a program
// ends with status 126 or 127.
func (p *target) unheard() outcome {
	var ended *exec.ExitError
	fix := "install what it lacks, or " + p.harness.Name + " again"
	switch {
	case errors.Is(p.mute, context.DeadlineExceeded):
		return skipped("%s does not report its version within 5 s", p.presence.Binary)
	case !errors.As(p.mute, &ended):
		return broken(fix, "%s cannot be started: %v", p.presence.Binary, p.mute)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(ended.Stderr)), "\n")
	said := cmp.Or(stdiorpc.Redact(first, nil), "it prints nothing")
	if code := ended.ExitCode(); code == 126 || code == 127 {
		return broken(fix, "%s cannot be started: %s", p.presence.Binary, said)
	}
	return attention("start it by hand and do what it says", "%s --version ends with %s: %s", p.presence.Binary, ended.ProcessState, said)
}

func pluginStart(p *target) outcome {
	switch {
	case p.harness.Texts.StartupDelay == nil:
		return skipped("%s does not wait for plugins", p.harness.Name)
	case len(p.hooks) == 0:
		return skipped("no plugin of wsi is registered")
	}
	if why, fix := p.harness.Texts.StartupDelay(p.Env); why != "" {
		return attention(fix, "%s", why)
	}
	return good("%s starts without waiting", p.harness.Name)
}
