package doctor

import (
	"bytes"
	"context"
	"slices"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/doctor/toollist"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

type target struct {
	Options
	ctx      context.Context
	harness  setup.Harness
	box      rehearse.Sandbox
	presence setup.Presence
	version  string // of the harness, "" = not known
	mute     error  // why its program does not report its version
	findErr  error
	files    []inspect.Source
	hooks    []rehearse.Hook // of wsi, in all files
	relics   []rehearse.Hook // of wsi as well, for events for which only an older wsi registered hooks
	others   []rehearse.Hook // of other programs
	borrowed []rehearse.Hook // all in files of other harnesses that this one reads too
	unread   error           // the first error of these files
	server   string          // the one examined
	found    map[report.Check]report.Status

	interview *interview // set by asked
}

// interview is the result of asking the server for its tools. All checks share one.
type interview struct {
	tools   []toollist.Tool
	outcome outcome
}

// joins reports whether wsi's hooks only note the caller, for the relay.
func (p *target) joins() bool {
	return slices.ContainsFunc(p.hooks, func(h rehearse.Hook) bool { return h.Parsed.Join })
}

func (p *target) serves(h rehearse.Hook) bool { return slices.Contains(h.Parsed.Servers, p.server) }

// mentions reports whether a file, which may be unreadable as a hook file, contains wsi's hooks for the harness.
func (p *target) mentions(f inspect.Source) bool {
	return bytes.Contains(f.Content, []byte("--harness "+p.harness.ID))
}
