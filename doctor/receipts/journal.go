package receipts

import (
	"time"

	"wsi/hook/journal"
)

// Own counts the runs of wsi's own hooks, by harness and verb: its journal has them all.
func Own(j journal.File, since time.Time) map[[2]string]*Runs {
	all := map[[2]string]*Runs{}
	_, _ = j.Each(func(e journal.Entry) { // what cannot be read is not counted
		if e.Who != "" || e.Time.Before(since) {
			return
		}
		at := [2]string{e.Harness, e.Verb}
		n := all[at]
		if n == nil {
			n = &Runs{First: e.Time, File: j.Path}
			all[at] = n
		}
		n.Count++
		n.Last = latest(n.Last, e.Time)
		n.took = append(n.took, time.Duration(e.Micros)*time.Microsecond)
		if e.Did == "error" {
			n.Failed++
			n.FirstBad, n.Bad = earliest(n.FirstBad, e.Time), latest(n.Bad, e.Time)
		} else {
			n.OK = latest(n.OK, e.Time)
		}
	})
	return all
}
