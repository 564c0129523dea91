package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wsi/internal/phrase"
)

func show(s string) string { return strings.ReplaceAll(s, "/home/ada", "~") }

func sample() Report {
	return Report{
		Version: "0.1.0", Platform: "linux/amd64",
		Own: []Finding{{ID: "wsi.state", Status: OK, Text: "/home/ada/.local/state/wsi"}},
		Groups: []Group{
			{
				ID: "codex", Name: "Codex", Version: "0.169.0", Found: true, Wired: true,
				Chain: []Joint{{Registered, OK}, {Trusted, Fail}, {Runs, Warn}, {Used, Info}, {RightValue, Skip}},
				Findings: []Finding{
					{ID: "codex.hook.registered", Link: Registered, Status: OK, Text: "/home/ada/.codex/hooks.json"},
					{ID: "codex.hook.trusted", Link: Trusted, Status: Fail, Text: "2 of 2 hooks are new: Codex skips them silently", Fix: phrase.Fix{Text: `open codex, type /hooks, choose "Trust all"`}},
				},
				Notes: []string{"Codex reads its hooks once per session: start a new one."},
			},
			{ID: "opencode", Name: "OpenCode", Findings: []Finding{{ID: "opencode.harness.found", Status: Skip, Text: "OpenCode is not on this machine"}}},
		},
	}
}

func TestVerdict(t *testing.T) {
	harness := func(name string, found, wired bool, delivered ...Status) Group {
		g := Group{ID: name, Name: name, Found: found, Wired: wired}
		for i, s := range delivered {
			g.Findings = append(g.Findings, Finding{ID: fmt.Sprint(name, ".", i), Link: RightValue, Status: s, Text: "it is " + string(s)})
		}
		return g
	}
	well, wrong, absent := harness("A", true, true, OK, Skip), harness("B", true, true, OK, Fail), harness("D", false, false, Skip, Skip)
	warned, bare, untried := harness("W", true, true, Warn, Skip), harness("Codex", true, false, Skip, Skip), harness("Cursor", true, true, Info, Skip)
	foreign := harness("F", true, false, Skip, Skip) // none of its servers concerns wsi
	foreign.Findings = append(foreign.Findings, Finding{ID: "F.hook.registered", Link: Registered, Status: Skip, Text: "no server with a rule", Idle: true})
	unused := harness("codex", true, true, OK)
	unused.Version = "9.0.0"
	unused.Findings = append(unused.Findings, Finding{ID: "codex.hook.fired", Link: Used, Status: Info})
	unproven := unused
	unproven.Findings = append(slices.Clone(unused.Findings), Finding{ID: "codex.harness.version", Status: Info})
	both := unproven
	both.Findings = append(slices.Clone(unproven.Findings[1:]), Finding{Link: RightValue, Status: Info})
	registered := Group{Name: "R", Found: true, Wired: true, Findings: []Finding{{Link: Trusted, Status: OK}}}
	for want, of := range map[string][]Group{
		"No fault: wsi is registered with codex; the first call in codex will show whether it works there; not used yet.": {both},
		"All well: wsi carries values in codex; not used yet.":                                                            {unused, foreign, foreign},
		"No fault: wsi carries values in codex; not used yet, and not tested with codex 9.0.0.":                           {unproven, foreign},
		"All well: wsi carries values in A and codex; not used yet in codex.":                                             {well, unused},
		"All well: wsi carries values in A, A and A.":                                                                     {well, well, well, absent},
		"All well: wsi carries values in A.":                                                                              {well, bare},
		"B: it is fail.":                                                                                                  {well, wrong},
		"B: it is fail. Also 1 fault and 1 warning.":                                                                      {warned, wrong, wrong},
		"W: it is warn.":                  {warned, bare},
		"W: it is warn. Also 2 warnings.": {warned, warned, warned},
		"All well: wsi carries values in A; the first call in Cursor will show whether it works there.": {well, untried},
		"No fault, and no harness on this machine; install one, then run wsi setup.":                    {absent, absent},
		"No fault. wsi carries no values: it is not set up in Codex or D.":                              {bare, absent},
		"No fault. wsi carries no values: it is not set up in Codex.":                                   {bare, {}},
		"No fault, and no harness that was examined is on this machine.":                                {absent, {Found: true, Wired: true}},
		"Nothing was examined: no check that you named can run here.":                                   {{Found: true, Wired: true}},
		"No fault: wsi is registered with S.":                                                           {harness("S", true, true, Skip, Skip)},
		"All well: wsi is registered with R.":                                                           {registered},
	} {
		if _, got := (Report{Groups: of}).Verdict(); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}
