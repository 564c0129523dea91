package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

const stateVariable = "WSI_STATE_DIR"

// hookEnabled looks for settings and policies that turn hooks off.
func hookEnabled(p *target) outcome {
	if p.harness.Hooks.Policy == nil {
		return skipped("%s has no setting that turns hooks off", p.harness.Name)
	}
	off, _, err := p.policies()
	switch {
	case len(off) > 0:
		return blocked(off)
	case err != nil:
		return skipped("%v", err)
	}
	if p.harness.Hooks.Variables != nil {
		values, files := p.harness.Hooks.Variables(p.Env)
		if dir := values[stateVariable]; dir != "" && filepath.Clean(dir) != filepath.Clean(p.StateDir) {
			return attention("remove "+stateVariable+" from env in "+files[stateVariable]+", or set it to the same folder everywhere",
				"%s in %s makes the hooks store values in %s; the doctor examines %s", stateVariable, files[stateVariable], dir, p.StateDir)
		}
	}
	return good("nothing turns them off")
}

// hookTrusted looks for approvals that are missing.
func hookTrusted(p *target) outcome {
	if p.harness.Hooks.Policy == nil {
		return note("%s runs hooks without an approval", p.harness.Name)
	}
	_, waiting, err := p.policies()
	switch {
	case len(waiting) > 0:
		return blocked(waiting)
	case err != nil && p.found[report.HookFile] == report.Fail:
		return skipped("%v", err)
	case err != nil:
		return broken("", "%v", err)
	case p.harness.Hooks.TrustRecords == nil:
		return note("%s runs hooks without an approval", p.harness.Name)
	}
	return good("%s runs them", p.harness.Name)
}

// policies returns what blocks the hooks in wsi's files: settings that turn them off, and approvals that are missing.
func (p *target) policies() (off, waiting []setup.BlockedError, err error) {
	for _, f := range p.files {
		if !p.uses(f) {
			continue
		}
		hf := f.Hooks
		hf.Path = f.Path
		e := p.harness.Hooks.Policy(p.Env, hf, f.Content)
		all := setup.AllBlocked(e)
		if e != nil && len(all) == 0 {
			err = e
		}
		for _, c := range all {
			to := &waiting
			if c.Off {
				to = &off
			}
			if !slices.Contains(*to, c) { // a setting is the same for all files
				*to = append(*to, c)
			}
		}
	}
	return off, waiting, err
}

func blocked(all []setup.BlockedError) outcome {
	var why, fix []string
	for _, c := range all {
		why, fix = append(why, c.Why), append(fix, c.Fix)
	}
	return broken(strings.Join(fix, "; "), "%s", strings.Join(why, "; "))
}

func (p *target) uses(f inspect.Source) bool {
	return slices.ContainsFunc(p.hooks, func(h rehearse.Hook) bool { return h.File.Path == f.Path })
}
