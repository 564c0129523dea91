package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wsi/internal/testkit/fakeserver"
)

// indexes is the generation since 2026-05-18: a session_index that stays the same for the whole session. What is right
// for it is far simpler: the session of the agent's last call. There is nothing newer or older, and nothing is repaired.
type indexes struct{}

const index = "session_index"

// server returns a new server the first time: it keeps its sessions.
func (indexes) server(w *world) fakeserver.Server {
	if w.server != nil {
		return w.server
	}
	server := fakeserver.NewIndex()
	server.Random, server.Traces = io.Reader(w.ids), w.collects
	return server
}

func (indexes) argument() string { return index }

// shown: inspect_session has the index only in _meta.
func (indexes) shown(tool string) bool { return tool != "inspect_session" }

// The tools of this generation.
var (
	indexReaders = []string{
		"get_workflow", "get_activity", "get_resource", "get_technique", "get_workflow_status", "get_trace", "inspect_session",
		"present_checkpoint", newTool, "peek",
	}
	indexChangers = []string{"next_activity", "next_activity", "record_usage", "yield_checkpoint", "respond_checkpoint", "respond_checkpoint", "resume_checkpoint"}
)

// indexPlaceholders are what models and templates write for an index.
var indexPlaceholders = []string{
	`""`, `null`, `"auto"`, `"AUTO"`, `"<session_index>"`, `"{session_index}"`, `"{{session_index}}"`, `"${SESSION_INDEX}"`, `"[session_index]"`,
	`"session_index"`, `"YOUR_SESSION_INDEX"`, `"undefined"`, `"None"`, `"N/A"`, `"current"`, `"..."`, `"…"`,
}

var indexShape = regexp.MustCompile(`^[A-Z2-7]{6}$`)

// madeIndexes are values that models make up.
var madeIndexes = []string{"AAAAAA", "ABC234", "garbage", "K7Q2ZD8", "session-1", "234567"}

// choose returns one call, or several that do not change the session.
func (indexes) choose(a *agent) []*call {
	w := a.session.w
	if a.calls == 0 && a.first != "" && a.first != "adopt" {
		return []*call{a.fillIndex(a.indexCall(indexReaders[w.r.IntN(len(indexReaders))]), a.first, a.handed)}
	}
	if len(a.knows) == 0 && a.id == "" && w.r.IntN(3) > 0 {
		return []*call{a.open()}
	}
	switch n := w.r.IntN(100); {
	case n < 5:
		return []*call{a.open()}
	case n < 15, a.calls == 0 && a.id == "" && n < 40:
		return []*call{a.dispatch()}
	case n < 25:
		var batch []*call
		for range 2 + w.r.IntN(2) {
			c := a.indexCall(indexReaders[w.r.IntN(len(indexReaders))])
			f := []form{leftOut, placeholder}[w.r.IntN(2)]
			if w.looks && w.r.IntN(2) == 0 { // perhaps each at another session
				f = exact
			}
			batch = append(batch, a.fillIndex(c, f, ""))
		}
		return batch
	case n < 28:
		return []*call{a.indexCall([]string{"discover", "list_workflows", "health_check", "delete_session"}[w.r.IntN(4)])}
	}
	tool := indexReaders[w.r.IntN(len(indexReaders))]
	if w.collects && w.r.IntN(2) == 0 {
		tool = []string{"next_activity", "get_trace"}[w.r.IntN(2)]
	} else if w.r.IntN(2) == 0 {
		tool = indexChangers[w.r.IntN(len(indexChangers))]
	}
	f := leftOut
	switch n := w.r.IntN(100); {
	case n < 40:
	case n < 55:
		f = placeholder
	case n < 80:
		f = exact
	case n < 88:
		f = foreign
	case n < 95:
		f = mangled
	default:
		f = garbage
	}
	return []*call{a.fillIndex(a.indexCall(tool), f, "")}
}

// indexCall returns a call of a tool.
func (a *agent) indexCall(tool string) *call {
	a.calls++
	c := &call{a: a, tool: tool, form: leftOut, id: fmt.Sprintf("toolu_%s_%04d", a.id, a.calls)}
	switch tool {
	case "next_activity":
		c.args = append(c.args, member{"activity_id", strconv.Quote([]string{"design", "build"}[a.session.w.r.IntN(2)])})
	case "yield_checkpoint":
		c.args = append(c.args, member{"checkpoint_id", `"gate"`})
	case "get_trace":
		a.listTokens(c)
	}
	return c
}

// open returns a call that starts a session, or goes on with that of a planning folder.
func (a *agent) open() *call {
	c := a.indexCall("start_session")
	if n := a.session.w.r.IntN(6); n < 3 {
		c.args = append(c.args, member{"planning_folder", strconv.Quote(fmt.Sprintf("/plans/%d", n))})
	}
	return c
}

// dispatch returns a call that opens a child.
func (a *agent) dispatch() *call {
	w := a.session.w
	c := a.indexCall("dispatch_child")
	c.args = append(c.args, member{"workflow_id", `"child"`})
	return a.fillIndex(c, []form{exact, exact, exact, exact, exact, foreign, foreign, mangled, garbage, placeholder, placeholder, leftOut}[w.r.IntN(12)], "")
}

// fillIndex puts an index into a call in the given form: value, or if that is "" one that the form asks for.
func (a *agent) fillIndex(c *call, f form, value string) *call {
	w := a.session.w
	if value == "" && len(a.knows) == 0 && (f == exact || f == mangled) {
		f = foreign
	}
	if value == "" && (f == exact || f == mangled) {
		value = a.knows[max(0, len(a.knows)-1-w.r.IntN(4))]
	}
	c.form, c.original = f, value
	raw := ""
	switch f {
	case leftOut:
		return c
	case placeholder:
		raw = indexPlaceholders[w.r.IntN(len(indexPlaceholders))]
		if n := len(a.knows); n > 0 && w.r.IntN(8) == 0 { // the beginning of an index
			c.beginning = a.knows[w.r.IntN(n)][:2+w.r.IntN(3)]
			raw = strconv.Quote(c.beginning + "...")
		}
	case foreign:
		c.value = w.kind.elsewhere(w)
	case mangled:
		c.value = slipOfIndex(w, value)
	case garbage:
		c.value = madeIndexes[w.r.IntN(len(madeIndexes))]
	default:
		c.value = value
	}
	c.argument = index
	if c.value != "" {
		raw = quote(c.value)
	}
	c.args = append(c.args, member{index, raw})
	return c
}

// check compares what the harness sends with what the model typed, and with what the agent is entitled to.
func (indexes) check(c *call, a answer) {
	w := c.a.session.w
	was := c.members()
	is := was
	if a.args != nil {
		is = object(a.args)
	}
	for name := range was {
		if name != index && name != tokenList && !bytes.Equal(was[name], is[name]) {
			w.violation(c, "another argument was changed", name)
		}
	}
	for name := range is {
		if _, there := was[name]; !there && name != index && (name != tokenList || c.tool != "get_trace") {
			w.violation(c, "another argument was added", name)
		}
	}
	c.checkIndex(text(was[index]), text(is[index]), a)
	if !a.denied {
		c.checkTokens(was[tokenList], is[tokenList], text(is[index]))
	}
	if c.carried = text(is[index]); c.carried != text(was[index]) {
		c.a.givenIndex = c.carried
	}
	c.log(a)
}

func (c *call) checkIndex(was, is string, a answer) {
	w := c.a.session.w
	right := c.a.entitledIndex()
	switch {
	case c.value != "": // typed, good or not: nothing is repaired
		if a.denied {
			w.violation(c, "a value was denied", "")
		}
		if is != was {
			w.violation(c, "a value was changed", "into "+c.a.session.describe(is))
		}
		return
	case a.denied && (c.tool != "dispatch_child" || c.form != placeholder):
		w.violation(c, "a call was denied", "")
		return
	case a.denied:
		if right.must && strings.HasPrefix(right.value, c.beginning) {
			_, why := w.last()
			w.violation(c, "denied though entitled", why)
		}
		return
	}
	takes := slices.Contains(indexReaders, c.tool) || slices.Contains(indexChangers, c.tool) || c.tool == "dispatch_child"
	if c.form == leftOut && (c.tool == "peek" || c.tool == newTool && !w.schemas) {
		takes = false // it may be left out on purpose, or no hook can know that the tool takes it
	}
	switch changed := is != was; {
	case !changed && takes && right.must && strings.HasPrefix(right.value, c.beginning):
		_, why := w.last()
		w.violation(c, "not injected though entitled", why)
	case !changed && c.tool == "dispatch_child" && c.form == placeholder:
		w.violation(c, "a placeholder for a parent was passed on", was)
	case !changed:
		w.counts["left out, rightly no value arrived"]++
	case c.tool == "peek" && c.form == leftOut:
		w.violation(c, "a value where it was left out on purpose", "")
	case !takes && c.tool != newTool:
		w.violation(c, "a value in a call that takes none", "")
	case (is == right.value || slices.Contains(right.also, is)) && strings.HasPrefix(is, c.beginning):
		w.counts["left out, the right value arrived"]++
	case right.killed:
		w.counts["an older value after a hook was killed"]++
	case c.a.worksWith(is):
		w.counts["in doubt, its own value arrived"]++
	default:
		w.violation(c, "another session's index", c.a.session.describe(is)+"; entitled to "+c.a.session.describe(right.value)+" because "+right.how)
	}
}

// rightIndex is what a call without an index may get.
type rightIndex struct {
	value  string   // "" for nothing
	also   []string // others that it may get
	must   bool     // the call must get it
	killed bool     // a hook was killed that should have seen a call
	how    string
}

// entitledIndex returns what a call of the agent without an index may get: its own index, or the main agent's if it has
// made none.
func (a *agent) entitledIndex() rightIndex {
	main := a.session.main
	switch {
	case a.ambiguous:
		return rightIndex{also: a.known(), killed: a.killed || a.missed || a.blind, how: "it opened or named another session, and has not named its own since"}
	case a.id != "" && !a.used:
		r := main.entitledIndex()
		r.killed, r.must = r.killed || a.killed, r.must && !a.unknownValue
		if a.givenIndex != "" && a.givenIndex != r.value { // its first call is still in flight
			r.also, r.must = []string{a.givenIndex}, false
		}
		r.how = "it continues the main agent's session: " + r.how
		return r
	}
	must := a.isSteady() && a.onIndex != "" && a.session.indexes[a.onIndex] && !a.unknownValue && !a.killed && !a.missed
	return rightIndex{value: a.onIndex, also: a.known(), must: must && !a.blind && len(a.refused) == 0 && a.doubt == 0, killed: a.killed || a.missed || a.blind, how: a.how}
}

// known returns the indexes that wsi may take for the agent's own because it knows them from another agent or a transcript: of
// those that the agent named in calls that failed, the first that a hook saw elsewhere. If none is known to be seen, it is any.
func (a *agent) known() []string {
	for _, value := range a.refused {
		if a.session.indexes[value] {
			return []string{value}
		}
	}
	return a.refused
}

// observe tells the oracle of a result.
func (indexes) observe(c *call, value string, failed, seen bool) {
	a := c.a
	s := a.session
	if !seen {
		a.killed = true // until a hook sees one of its calls that carries an index
	}
	good := s.w.values[c.carried] > 0
	switch {
	case c.tool == "start_session" && failed, c.carried == "" && c.tool != "start_session":
	case c.tool == "start_session":
		a.setIndex(value, "it opened the session", seen)
		a.blind = !seen
		s.knownIndex(value, seen)
	case c.tool == "dispatch_child" && !failed:
		if a.id != "" && !a.used {
			a.onIndex, a.used, a.blind = s.main.onIndex, s.main.used, a.blind || s.main.blind
		}
		if a.onIndex == "" && good && !a.ambiguous { // what it opens a child from is its own
			a.onIndex = c.carried
		}
		a.ambiguous, a.unknownValue = true, false
		a.blind = a.blind || !seen && a.onIndex == "" // wsi may take the child for the agent's own
		s.given[value] = true
		s.knownIndex(value, seen)
	case failed && s.indexes[c.carried]: // the agent means it, whatever the server says
		a.nameIndex(c.carried, seen)
	case failed && indexShape.MatchString(c.carried) && (good || c.lost) && !s.nearToKnown(c.carried): // it may be of another session
		switch {
		case a.onIndex != "":
			a.nameIndex(c.carried, seen)
		case !a.ambiguous:
			refused := append(slices.Clip(a.refused), c.carried)
			a.setIndex("", "its last call, which failed, was about another session", seen)
			a.refused = refused
		}
	case failed && (good || c.lost): // wsi may take it for a slip
		a.unknownValue, a.doubt = true, 2
		if good {
			a.killed = true
		}
	case failed: // the server knows no such session
	default:
		a.nameIndex(c.carried, seen)
		s.knownIndex(c.carried, c.tool != "inspect_session" && seen)
	}
}

// setIndex records which session is an agent's own.
func (a *agent) setIndex(value, how string, seen bool) {
	a.onIndex, a.how, a.ambiguous, a.used, a.unknownValue, a.needs = value, how, false, true, false, 0
	a.killed, a.missed, a.refused, a.doubt = !seen, false, nil, 0
}

// nameIndex records that a call of an agent carried an index. That alone does not move it from a session of its own.
func (a *agent) nameIndex(value string, seen bool) {
	own := a.onIndex
	if own == "" && a.ambiguous && a.session.given[value] { // the agent has a session of its own whose value no call has, and this is not it
		own = "of an unseen session"
	}
	a.missed = a.missed || !seen
	if refused := a.refused; !slices.Contains(refused, value) { // then wsi may know two, and one of these as the agent's own
		defer func() { a.refused = refused }()
	}
	switch {
	case own == "":
		a.setIndex(value, "it has named no other session than this", seen)
		a.blind = a.blind || !seen
	case own != value:
		a.ambiguous, a.needs, a.used, a.unknownValue = true, 2, true, false
	case a.needs > 1:
		a.needs--
	default:
		missed, doubt := a.missed && a.needs > 0, max(0, a.doubt-1) // wsi may want one more
		a.setIndex(value, "its last calls carried it", seen)
		a.missed, a.doubt = missed || !seen, doubt
	}
}

// read returns the index in a result.
func (indexes) read(raw []byte) (value string, failed, replaced bool) {
	var v struct {
		Meta struct {
			Index string `json:"session_index"`
		} `json:"_meta"`
		IsError bool
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err) // the fake server's own JSON
	}
	return v.Meta.Index, v.IsError, false
}
