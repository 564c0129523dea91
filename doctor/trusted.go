package doctor

import (
	"path/filepath"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/installer"
)

// stateVariable moves the folder in which hooks keep values.
const stateVariable = "WSI_STATE_DIR"

// hookEnabled looks for switches and policies that turn hooks off, whatever was approved.
func hookEnabled(p *target) outcome {
	switch {
	case len(p.hooks) == 0:
		return skipped("there is no hook of wsi's")
	case p.harness.Policy == nil:
		return skipped("wsi knows of no switch for the hooks of %s", p.harness.Name)
	}
	off, _, err := p.gates()
	switch {
	case len(off) > 0:
		return closed(off)
	case err != nil:
		return skipped("%v", err)
	}
	if p.harness.Variables != nil {
		values, files := p.harness.Variables(p.Env)
		if dir := values[stateVariable]; dir != "" && filepath.Clean(dir) != filepath.Clean(p.StateDir) {
			return attention("take "+stateVariable+" out of env in "+files[stateVariable]+", or set it to the same folder wherever wsi runs",
				"%s in %s has the hooks keep values in %s, not in %s, which the doctor examines", stateVariable, files[stateVariable], dir, p.StateDir)
		}
	}
	return good("nothing switches them off")
}

// hookTrusted looks for approvals that are still to be given.
func hookTrusted(p *target) outcome {
	switch {
	case len(p.hooks) == 0:
		return skipped("there is no hook of wsi's")
	case p.harness.Policy == nil:
		return note("%s asks nobody before it runs a hook", p.harness.Name)
	}
	_, waiting, err := p.gates()
	switch {
	case len(waiting) > 0:
		return closed(waiting)
	case err != nil && p.found[report.HookFile] == report.Fail:
		return skipped("%v", err)
	case err != nil:
		return broken("", "%v", err)
	case p.harness.TrustRecords == nil:
		return note("%s asks nobody before it runs a hook", p.harness.Name)
	}
	return good("%s runs them", p.harness.Name)
}

// gates asks the harness's own gate about every file with a hook of wsi's.
func (p *target) gates() (off, waiting []harnesses.BlockedError, err error) {
	add := func(to []harnesses.BlockedError, c harnesses.BlockedError) []harnesses.BlockedError {
		for _, other := range to {
			if other == c { // a switch is the same for all files
				return to
			}
		}
		return append(to, c)
	}
	for _, f := range p.files {
		if !p.uses(f) {
			continue
		}
		hf := f.Hooks
		hf.Path = f.Path
		e := p.harness.Policy(p.Env, hf, f.Content)
		all := harnesses.AllBlocked(e)
		if e != nil && len(all) == 0 {
			err = e
		}
		for _, c := range all {
			if c.Off {
				off = add(off, c)
			} else {
				waiting = add(waiting, c)
			}
		}
	}
	return off, waiting, err
}

// closed says all reasons, and all that can be done about them.
func closed(all []harnesses.BlockedError) outcome {
	var why, fix []string
	for _, c := range all {
		why, fix = append(why, c.Why), append(fix, c.Fix)
	}
	return broken(strings.Join(fix, "; "), "%s", strings.Join(why, "; "))
}

// uses tells whether a hook of wsi's is in the file.
func (p *target) uses(f installer.Source) bool {
	for _, h := range p.hooks {
		if h.file.Path == f.Path {
			return true
		}
	}
	return false
}
