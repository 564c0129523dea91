package doctor

import (
	"cmp"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/binary"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// notTried is what a static examination says of programs.
const notTried = "the registered program is there; it was not started"

const stateVariable = "WSI_STATE_DIR"

// hookEnabled looks for settings and policies that turn hooks off.
func hookEnabled(p *target) report.Finding {
	if p.harness.Hooks.Policy == nil {
		return skipped("%s has no setting that turns hooks off", p.harness.Name)
	}
	off, _, err := p.policies()
	switch {
	case len(off) > 0:
		return p.blocked(off)
	case err != nil && !errors.Is(err, setup.ErrNotAsked):
		return skipped("%v", err)
	}
	if p.harness.Hooks.Variables != nil {
		values, files := p.harness.Hooks.Variables(p.Env)
		if dir := values[stateVariable]; dir != "" && filepath.Clean(dir) != filepath.Clean(p.StateDir) {
			return attention("remove "+stateVariable+" from env in "+files[stateVariable]+", or set it to the same folder everywhere",
				"%s in %s makes the hooks store values in %s, but this wsi looks for them in %s", stateVariable, files[stateVariable], dir, p.StateDir)
		}
	}
	return good("no setting turns the hooks off")
}

// hookTrusted looks for approvals that are missing.
func hookTrusted(p *target) report.Finding {
	if p.harness.Hooks.Policy == nil {
		return note("%s runs hooks without an approval", p.harness.Name)
	}
	_, waiting, err := p.policies()
	switch {
	case len(waiting) > 0:
		return p.blocked(waiting)
	case err != nil && (p.found[report.HookFile] == report.Fail || errors.Is(err, setup.ErrNotAsked)):
		return skipped("%v", err)
	case err != nil:
		return broken("", "%v", err)
	case p.harness.Hooks.TrustRecords == nil:
		return note("%s runs hooks without an approval", p.harness.Name)
	}
	return good("%s runs them", p.harness.Name)
}

// policies returns what blocks the hooks in wsi's files: settings that turn them off, and approvals that are missing.
func (p *target) policies() (off, waiting []setup.Reason, err error) {
	for _, f := range lists.Filter(p.files, p.uses) {
		hf := f.Hooks
		hf.Path = f.Path
		all, unknown := p.harness.Hooks.Policy(p.Env, hf, f.Content)
		if unknown != nil {
			err = unknown
		}
		for _, c := range all {
			if c.Off { // a setting is the same for all files
				off = lists.AddUnique(off, c)
			} else {
				waiting = lists.AddUnique(waiting, c)
			}
		}
	}
	return off, waiting, err
}

func (p *target) blocked(all []setup.Reason) report.Finding {
	var why, commands, do []string
	var by report.Setup
	for _, c := range all {
		fix := c.ToDo()
		if run := p.setup(); c.Flag != "" && run.setup.Repairs {
			fix, by = phrase.Fix{Text: run.Text, Command: run.Command + " " + c.Flag}, report.Setup{Repairs: true, Project: run.setup.Project, Trust: true}
		}
		if why = append(why, c.Why); fix.Text == "" {
			commands = lists.AddUnique(commands, fix.Command)
		} else {
			do = lists.AddUnique(do, fix.String())
		}
	}
	var fix repair
	switch {
	case do == nil:
		if fix.Command = strings.Join(commands, " && "); len(commands) == 1 {
			fix.setup = by
		}
	case commands != nil:
		do = append(do, "then, for the next step, type wsi doctor again")
		fallthrough
	default:
		fix.Text = strings.Join(do, "; ")
	}
	return broken(fix, "%s", strings.Join(why, "; "))
}

func (p *target) uses(f inspect.Source) bool {
	return slices.ContainsFunc(p.hooks, func(h rehearse.Hook) bool { return h.File.Path == f.Path })
}

// hookRunnable runs every command of wsi as the harness does, in a sandbox, with an event that needs no action.
func hookRunnable(p *target) report.Finding {
	for _, h := range p.hooks {
		if there, err := p.Env.Stat(h.Parsed.Path); h.Program == "" && filepath.IsAbs(h.Parsed.Path) && err == nil && !there {
			return notStarted(h.Parsed.Path, h.File.Path)
		}
	}
	var slowest rehearse.Ran
	done := map[string]bool{}
	for _, h := range lists.Filter(p.hooks, p.serves) {
		if done[h.Command] {
			continue
		}
		done[h.Command] = true
		if out := p.programOf(h); out.Status != report.OK {
			return out
		}
		if p.Static {
			continue
		}
		r, out := p.tryOut(h)
		if out.Status != report.OK {
			return out
		}
		if r.Took > slowest.Took {
			slowest = r
		}
	}
	if p.Static {
		return good(notTried)
	}
	return took(slowest.Took, good("the commands answer when run as %s runs them", p.harness.Name))
}

// programOf looks for the program of a hook, and does not start it.
func (p *target) programOf(h rehearse.Hook) report.Finding {
	if !filepath.IsAbs(h.Parsed.Path) {
		return broken(p.setup(), "the command does not begin with an absolute path: %s", h.Command)
	}
	if isDir, err := p.Env.Stat(h.Parsed.Path); err != nil || isDir {
		return broken(p.setup(), "there is no program %s", h.Parsed.Path)
	}
	if _, err := p.Env.LookPath(h.Parsed.Path); err != nil && (p.Static || h.Program != h.Parsed.Path) {
		return broken(p.setup(), "%s cannot be run: %v", h.Parsed.Path, phrase.Reason(err))
	}
	return good("")
}

func (p *target) tryOut(h rehearse.Hook) (rehearse.Ran, report.Finding) {
	play := p.subject().Call("runnable", "", "call_0", p.knownTool(), `{"context_tokens":1}`)
	event := p.harness.Proof.Simulator.Before(play)
	if h.Parsed.Verb == harnesses.Capture {
		event = p.harness.Proof.Simulator.After(play, []byte(`{"content":[{"type":"text","text":"nothing to see"}]}`))
	}
	before, _ := p.box.Journal()
	r := p.subject().Start(p.ctx, h, event)
	entries, err := p.box.Journal()
	switch {
	case r.Err != nil:
		return r, broken(p.setup(), "%s: %v", h.Command, r.Err)
	case r.Exit != 0:
		return r, broken(p.setup(), "%s ends with status %d: %s", h.Command, r.Exit, r.LastWords())
	case err != nil:
		return r, broken("", "%v", err)
	case len(entries) == len(before) && len(p.carried) > 0:
		return r, broken(p.setup(), "the program at %s does not behave like wsi: it writes no journal", h.Parsed.Path)
	case len(entries) > len(before) && entries[len(entries)-1].Did == "error":
		return r, broken(p.setup(), "%s fails: %s", h.Command, entries[len(entries)-1].Why)
	}
	if h.Parsed.Verb == harnesses.Inject {
		if _, err := p.harness.Proof.Simulator.Apply(play, r.Stdout, r.Exit); err != nil {
			return r, broken(p.setup(), "%s: %v", h.Command, err)
		}
	}
	return r, good("")
}

// hookPath checks the location and the version of the registered program. hook.runnable has checked that it is wsi.
func hookPath(p *target) report.Finding {
	if p.has(report.Fail, report.HookRunnable, report.RelayRunnable) {
		return skipped("the place of wsi was not checked: the commands do not run")
	}
	worst := good("")
	done := map[string]bool{}
	look := func(path, program string) {
		if !done[path] && filepath.IsAbs(path) && program != "" {
			done[path] = true
			if out := p.lasting(path, program); out.Status == report.Warn || worst.Status == report.OK {
				worst = out
			}
		}
	}
	for _, h := range p.hooks {
		look(h.Parsed.Path, h.Program)
	}
	for _, f := range p.relays {
		look(f.RelayCommand.Path, f.program)
	}
	return worst
}

// lasting checks whether a registered path will last, and whether the wsi there is outdated. program is what the doctor starts for it.
func (p *target) lasting(path, program string) report.Finding {
	temp := cmp.Or(p.TempDir, p.Env.Getenv("TMPDIR"), p.Env.Getenv("TEMP"))
	if why := binary.Vanishes(p.Env, temp, path); why != "" {
		fix := p.setup()
		if binary.Vanishes(p.Env, temp, cmp.Or(p.Binary, path)) != "" {
			fix = repairOf(binary.Install)
		}
		return attention(fix, "%s is in %s and will be deleted later", path, why)
	}
	if p.Binary == "" || inspect.Same(p.Env, path, p.Binary) {
		return good("%s", path)
	}
	version := p.versionOf(program)
	switch {
	case setup.Newer(p.Options.Version, version):
		return attention(p.setup(), "%s is wsi %s, older than this one, which is %s", path, version, p.Options.Version)
	case version == "":
		return note("%s is another wsi than this one; it does not report its version", path)
	}
	return note("%s is another wsi than this one: %s", path, version)
}

// versionOf asks a wsi for its version. It returns "" if it does not report one.
func (p *target) versionOf(path string) string {
	r := p.box.Run(p.ctx, []string{path, "--version"}, nil)
	if r.Err != nil || r.Exit != 0 {
		return ""
	}
	line, _, _ := strings.Cut(string(r.Stdout), "\n")
	return regexp.MustCompile(`v?\d+\.\d+[\w.+-]*`).FindString(line)
}

// hookOnce expects one hook of wsi per event, over all files and in setup's form: setup changes no other form.
func hookOnce(p *target) report.Finding {
	for _, h := range p.others {
		said, setups := setup.ParseCommand(h.Command)
		if _, known := registry.Get(said.Harness); setups && !known {
			return attention("remove it from "+h.File.Path, "the command for %s in %s names a harness that wsi does not know: %s", h.Event, h.File.Path, said.Harness)
		}
		if !setups && !setup.Damaged(h.Command, p.harness.ID) && setup.RunsHook(inspect.ProgramOf(h.Command), h.Command) {
			fix := phrase.Fix{Text: "remove it from " + h.File.Path}
			if len(p.hooks) == 0 {
				fix = fix.Then(p.setup().Fix)
			}
			return attention(fix, "the hook %q for %s in %s was written by hand, in a form that setup does not know",
				inspect.ProgramOf(h.Command), h.Event, h.File.Path)
		}
	}
	served := lists.Filter(slices.Concat(p.hooks, p.borrowed), func(h rehearse.Hook) bool { return h.Mine && p.serves(h) })
	twice := lists.Filter(served, func(h rehearse.Hook) bool {
		return len(lists.Filter(served, func(o rehearse.Hook) bool {
			return strings.EqualFold(o.Event, h.Event) && o.Parsed.Verb == h.Parsed.Verb
		})) > 1
	})
	switch {
	case served == nil:
		return skipped("no hook of wsi is registered for %s", p.server)
	case twice == nil:
		return good("each hook is registered once")
	}
	fix := phrase.Fix{Text: "remove one of them"}
	if a, b := twice[0].File.Scope, twice[len(twice)-1].File.Scope; a != b && a != "" && b != "" {
		fix = phrase.Fix{Command: "wsi remove --harness " + p.harness.ID + " --scope project"}
	}
	return attention(fix, "the hooks are registered more than once: %s", strings.Join(places(twice), " and "))
}

func places(hooks []rehearse.Hook) []string {
	return lists.AddUnique(nil, lists.Map(hooks, func(h rehearse.Hook) string { return h.File.Path })...)
}
