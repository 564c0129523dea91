package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/internal/lastwords"
	"wsi/internal/phrase"
)

func harnessFound(p *target) report.Finding {
	switch {
	case p.presence.Adrift.Why != "":
		return attention(p.presence.Adrift.ToDo(), "%s", p.presence.Adrift.Why)
	case p.presence.Binary != "":
		return good("%s", p.presence.Binary)
	case p.presence.Found:
		return note("%s is not on the PATH, but it is configured in %s", p.harness.Name, p.presence.ConfigHome)
	}
	return skipped("%s is not on this machine", p.harness.Name)
}

// harnessVersion compares the harness's version with those that wsi was tested with.
func harnessVersion(p *target) report.Finding {
	h := p.harness
	switch {
	case p.presence.Binary == "":
		return skipped("no program of %s was found", h.Name)
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
	case p.Live != nil || !h.Proof.Live(p.Env.GOOS):
		return note("not tested with %s", p.version)
	}
	return note("not tested with %s; to prove it, run wsi doctor --live", p.version)
}

// unheard returns why the harness's program does not report its version. A shell or env that cannot start a program
// ends with status 126 or 127.
func (p *target) unheard() report.Finding {
	var ended *exec.ExitError
	fix := "install what it lacks, or " + p.harness.Name + " again"
	look := phrase.Fix{Text: "install " + p.harness.Name + " again, or correct the first line of that file, which this shows", Command: "head -n 1 " + setup.Quote(p.Env.GOOS, p.presence.Binary)}
	switch {
	case errors.Is(p.mute, setup.ErrSilent):
		return attention("start it by hand and see what it waits for", "%v", p.mute)
	case errors.Is(p.mute, syscall.ENOEXEC):
		return broken(look, "%s cannot be started: it is neither a program for this system nor a script that begins with a line such as #!/bin/sh", p.presence.Binary)
	case errors.Is(p.mute, fs.ErrNotExist):
		return broken(look, "%s cannot be started: the program that should run it does not exist", p.presence.Binary)
	case !errors.As(p.mute, &ended):
		return broken(fix, "%s cannot be started: %v", p.presence.Binary, p.mute)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(ended.Stderr)), "\n")
	said, do := lastwords.Redact(first, nil), "start it by hand and do what it says"
	if said == "" {
		said, do = "it prints nothing", "start it by hand; if it ends at once, install it again"
	}
	if code := ended.ExitCode(); code == 126 || code == 127 {
		return broken(fix, "%s cannot be started: %s", p.presence.Binary, said)
	}
	return attention(do, "%s --version ends with %s: %s", p.presence.Binary, ended.ProcessState, said)
}

// hookListed asks the harness itself. What wsi concludes from files can be wrong for a new version of the harness. If
// the two disagree, the harness is right.
func hookListed(p *target) report.Finding {
	switch {
	case p.harness.Proof.QueryHooks == nil:
		return skipped("%s cannot be asked which hooks it would run", p.harness.Name)
	case len(p.hooks) == 0:
		return skipped("no hook of wsi is registered")
	case p.presence.Binary == "":
		return skipped("no program of %s was found", p.harness.Name)
	case p.found[report.HarnessVersion] == report.Fail:
		return skipped("not tried: %s cannot be started", p.harness.Name)
	}
	dir, err := os.MkdirTemp(p.box.Dir, "listed-")
	if err != nil {
		return skipped("it could not be asked: %v", err)
	}
	start := time.Now()
	listing, err := p.harness.Proof.QueryHooks(p.ctx, p.Env, p.presence.Binary, dir)
	if err != nil {
		return skipped("%s could not be asked: %v", p.harness.Name, err)
	}
	return took(time.Since(start), p.compare(listing))
}

func (p *target) compare(l setup.Listing) report.Finding {
	var idle []string
	for _, h := range p.hooks {
		if why := p.idle(h, l.Hooks); why != "" {
			idle = append(idle, h.Event+" "+why)
		}
	}
	said := strings.Join(idle, ", ")
	if len(l.Warnings) > 0 {
		said += "; it warns: " + strings.Join(l.Warnings, "; ")
	}
	switch fault := p.has(report.Fail, report.HookFile, report.HookEnabled, report.HookTrusted); {
	case fault && idle != nil:
		return skipped("%s itself confirms the fault: %s", p.harness.Name, said)
	case fault:
		return attention("treat "+p.harness.Name+"'s answer as correct", "%s says that it would run all of wsi's hooks, so what wsi found in its files is not a fault in this version", p.harness.Name)
	case idle != nil:
		return broken(cmp.Or(l.Fix, "start "+p.harness.Name+" and look at its hooks"), "%s says that it would not run all of wsi's hooks: %s", p.harness.Name, said)
	}
	return good("%s says that it would run %s of wsi's", p.harness.Name, phrase.Count(len(p.hooks), "hook"))
}

// idle returns why the harness would not run a hook, or "".
func (p *target) idle(h rehearse.Hook, listed []setup.Hook) string {
	why := "is not listed"
	for _, l := range listed {
		if l.Event == h.Event && l.Command == h.Command && inspect.Same(p.Env, l.File, h.File.Path) {
			if len(l.Skipped) == 0 {
				return ""
			}
			why = l.Skipped[0].Why
		}
	}
	return why
}
