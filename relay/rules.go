package relay

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/schemas"
)

// inForce holds the rules in force. It is never changed, only replaced.
type inForce struct {
	set      *rules.Set
	own      []carry.Rule   // the server's
	admitted []schemas.Tool // by which the list of tools has added to them
}

type loaded struct {
	mu   sync.Mutex
	now  inForce
	file version // of the user's rule file
	seen int     // the number of answers to tools/list at that time
}

// version identifies a version of a file. It is zero for a missing file.
type version struct {
	size int64
	at   time.Time
	mode fs.FileMode
}

// rules returns the rules in force. It reads the user's file again if that has changed. A file with an error
// has no effect; the doctor reports it.
func (e *engine) rules() inForce {
	l := &e.loaded
	l.mu.Lock()
	defer l.mu.Unlock()
	var file version
	if info, err := os.Stat(e.ruleFile); err == nil {
		file = version{info.Size(), info.ModTime(), info.Mode()}
	}
	seen := e.tools.listed()
	if l.now.set != nil && l.file == file && l.seen == seen {
		return l.now
	}
	set, _ := rules.Load(e.ruleFile)
	if e.as != "" {
		set.As = map[string]string{e.server: e.as}
	}
	own := slices.DeleteFunc(set.For(e.server), func(r carry.Rule) bool { return e.tools.refutes(&r) })
	own, admitted := e.tools.admit(own)
	l.now, l.file, l.seen = inForce{&set, own, admitted}, file, seen
	return l.now
}

// admitting returns the rules with a tool that none of them names among those that they inject into, if the call shows
// that it takes the value, or the list of tools that an earlier relay was asked for.
func (e *engine) admitting(r inForce, tool string, args []byte) inForce {
	r.own, _ = carry.Admit(r.own, tool, args, func(argument string) bool {
		return e.tools.listed() == 0 && e.schemas.Dir != "" && slices.Contains(e.schemas.Read(e.harness, e.server, tool), argument)
	})
	return r
}

// keepSchemas keeps which tools the list of tools has added to the rules, for hooks and for a relay that is started
// without being asked for the list: Claude Code 2.1.329 restarts a server that has died and makes the next call at once.
func (e *engine) keepSchemas(r inForce) {
	if e.schemas.Dir != "" {
		_ = e.schemas.Write(e.harness, e.server, r.admitted) // without it, such a relay knows less
	}
}

// leaves reports whether the rules leave all calls of a tool alone.
func (e *engine) leaves(r inForce, tool string) bool { return r.set.Leaves(tool, e.server, tool) }

func (r inForce) concern(tool string) bool {
	return slices.ContainsFunc(r.own, func(rule carry.Rule) bool { return rule.Concerns(tool) })
}
