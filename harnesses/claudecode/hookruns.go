package claudecode

import (
	"io"
	"strconv"
	"time"

	"wsi/harnesses"
	"wsi/internal/rawjson"
)

// hookRuns reads what a transcript tells of hooks (2.1.197 and 2.1.330). It has a line for each run that failed, blocked or
// printed something. Silent runs leave none, but for those of Stop, which 2.1.330 lists in a summary of all.
func hookRuns(r harnesses.Recording, from int64, each func(harnesses.HookRun)) error {
	runs := runsIn{each: each, told: map[string]int{}}
	in := io.NewSectionReader(r.File, from, r.Size-from)
	return harnesses.EachLine(in, runs.line, func(string) {})
}

// runsIn reads the lines of a transcript.
type runsIn struct {
	each func(harnesses.HookRun)
	told map[string]int // how many runs of Stop, by command, have a line of their own since the last summary
}

func (r *runsIn) line(line rawjson.Members) {
	at, err := time.Parse(time.RFC3339, line.String("timestamp"))
	if err != nil {
		return // every line of a hook has one
	}
	switch {
	case line.String("type") == "attachment":
		r.attachment(line.Get("attachment"), at)
	case line.String("subtype") == "stop_hook_summary":
		r.summary(line.Get("hookInfos"), at)
	}
}

func (r *runsIn) attachment(raw []byte, at time.Time) {
	a, err := rawjson.ObjectIn(raw)
	if err != nil {
		return
	}
	run := harnesses.HookRun{Event: a.String("hookEvent"), Command: a.String("command"), At: at, Took: milliseconds(a.Get("durationMs"))}
	switch a.String("type") {
	case "hook_success":
	case "hook_non_blocking_error":
		run.Failed = true
	case "hook_blocking_error": // it did what it is for
		blocked, _ := rawjson.ObjectIn(a.Get("blockingError"))
		run.Command = blocked.String("command")
	default: // what it answered; hook_cancelled does not name the command
		return
	}
	if run.Command == "" {
		return
	}
	if run.Event == "Stop" {
		r.told[run.Command]++
	}
	r.each(run)
}

// summary adds the runs of Stop that have no line of their own.
func (r *runsIn) summary(infos []byte, at time.Time) {
	all, _ := rawjson.ArrayIn(infos)
	for _, raw := range all {
		info, _ := rawjson.ObjectIn(raw)
		command := info.String("command")
		if r.told[command] > 0 || command == "" {
			r.told[command]--
			continue
		}
		r.each(harnesses.HookRun{Event: "Stop", Command: command, At: at, Took: milliseconds(info.Get("durationMs"))})
	}
	clear(r.told)
}

func milliseconds(raw []byte) time.Duration {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n < 0 || n > 1e9 {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}
