package doctor

import (
	"fmt"
	"time"

	"wsi/harnesses"
	wsihook "wsi/hook"
)

// hookFired reads in the journal what the hooks did when the harness itself ran them.
func hookFired(p *patient) outcome {
	if len(p.hooks) == 0 {
		return skipped("there is no hook of wsi's")
	}
	if p.journalErr != nil {
		return skipped("the journal cannot be read")
	}
	var last wsihook.Entry
	runs := map[string]int{}
	for _, e := range p.journal {
		if e.Harness == p.harness.ID {
			runs[e.Verb]++
			last = e
		}
	}
	injects, captures := runs[harnesses.Inject], runs[harnesses.Capture]
	ago := Age(p.Env.Now().Sub(last.Time))
	const few = 3
	switch {
	case injects+captures == 0:
		return note("never fired; make a call of %s in %s and look again", p.server, p.harness.Name)
	case last.Did == "error":
		return broken("wsi doctor -v shows the state of the vault and the journal", "the last run, %s ago, failed: %s", ago, last.Why)
	case injects >= few && captures == 0:
		return attention(p.setup(), "the hook before a call ran %d times, the one after a call never did", injects)
	case captures >= few && injects == 0:
		return attention(p.setup(), "the hook after a call ran %d times, the one before a call never did", captures)
	}
	return good("fired %s ago; %d before a call, %d after", ago, injects, captures)
}

// Age is a duration as people say it.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
