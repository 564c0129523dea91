package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/fakeserver"
)

var readers = []string{"get_workflow", "get_activity", "get_resource", "get_skills", "get_skill", "get_workflow_status", "get_trace"}

// newTool is a tool that no rule names: no version of the server has it.
const newTool = "get_new_thing"

// reader returns a tool that changes nothing.
func (a *agent) reader() string {
	w := a.session.w
	if w.pasted && w.r.IntN(10) == 0 {
		return newTool
	}
	return readers[w.r.IntN(len(readers))]
}

// made are values that models make up where they have none.
var made = []string{"garbage", "not-a-token", "K7Q2ZD", "session-1", "eyJ3ZiI6Im1ldGEifQ.0123456789abcdef"}

var placeholders = []string{`""`, `"auto"`, `"AUTO"`, `"<session_token>"`, `"${SESSION_TOKEN}"`, `"{{token}}"`, `"token"`, `"..."`, `null`}

// more are further placeholders, from templates of the workflow-server and habits of models.
var more = []string{`"{session_token}"`, `"[x]"`, `"YOUR_SESSION_TOKEN"`, `"undefined"`, `"N/A"`, `"current"`, `"eyJ3ZiI6..."`}

// choose returns the calls that an agent makes at the same time.
func (a *agent) choose() []*call {
	w := a.session.w
	if a.calls == 0 && a.first != "" {
		return a.firstCalls()
	}
	if w.pasted && a.calls == 0 && a.id == "" && w.r.IntN(3) == 0 { // the user has it orchestrate a session of another conversation
		return []*call{a.fill(a.start(), "parent_session_token", a.opening())}
	}
	if len(a.knows) == 0 && a.id == "" && w.r.IntN(4) > 0 {
		return []*call{a.start()}
	}
	switch n := w.r.IntN(100); {
	case n < 3:
		return []*call{a.start()}
	case n < 9 && len(a.knows) > 0:
		return []*call{a.fill(a.start(), "parent_session_token", a.opening())}
	case n < 14 && len(a.knows) > 0:
		return []*call{a.adopt(a.opening())}
	case n < 26:
		return a.parallel()
	case n < 29:
		return []*call{a.call([]string{"discover", "list_workflows", "health_check"}[w.r.IntN(3)])}
	}
	return []*call{a.ordinary()}
}

// firstCalls returns the first call of a sub-agent, as its prompt demands.
func (a *agent) firstCalls() []*call {
	if a.first == "adopt" {
		return []*call{a.adopt(a.typing())}
	}
	f := a.first
	if f == exact && a.session.w.r.IntN(6) == 0 {
		f = mangled
	}
	return []*call{a.fill(a.call(a.reader()), "session_token", f)}
}

func (a *agent) call(tool string) *call {
	a.calls++
	// Ids are unique only within an agent's conversation.
	c := &call{a: a, tool: tool, form: leftOut, id: fmt.Sprintf("toolu_%s_%04d", a.id, a.calls)}
	switch tool {
	case "next_activity":
		c.args = append(c.args, member{"activity_id", strconv.Quote([]string{"first-step", "second-step", "review"}[a.session.w.r.IntN(3)])})
	case "yield_checkpoint":
		c.args = append(c.args, member{"checkpoint_id", `"gate"`})
	case "respond_checkpoint":
		c.args = append(c.args, member{"option_id", strconv.Quote([]string{"proceed", "stop"}[a.session.w.r.IntN(2)])})
	case "get_resource":
		c.args = append(c.args, member{"resource_id", `"a \"quoted\" 0x1 \u00e9 <name>"`})
	}
	return c
}

// start returns a call that opens a session.
func (a *agent) start() *call {
	c := a.call("start_session")
	c.args = append(c.args, member{"workflow_id", `"lab-flow"`})
	if a.session.w.r.IntN(20) == 0 {
		c.args = append(c.args, member{"agent_id", `"orchestrator"`})
	}
	return c
}

// adopt returns a call that continues from a given value under a new agent name.
func (a *agent) adopt(f form) *call {
	c := a.call("start_session")
	c.args = append(c.args, member{"agent_id", strconv.Quote(fmt.Sprintf("worker-%d-%s", a.session.number, a.id))})
	return a.fill(c, "session_token", f)
}

// typing returns a form in which a value is typed.
func (a *agent) typing() form {
	switch n := a.session.w.r.IntN(20); {
	case n < 11:
		return exact
	case n < 13:
		return older
	case n < 14:
		return foreign
	case n < 15:
		return spliced
	}
	return mangled
}

// opening returns the form of the value in a call that opens a session from another one.
func (a *agent) opening() form {
	if a.session.w.names && a.session.w.r.IntN(8) == 0 {
		return placeholder
	}
	if a.session.w.pasted && a.session.w.r.IntN(10) == 0 {
		return garbage
	}
	return a.typing()
}

// form returns the form of the value in an ordinary call.
func (a *agent) form() form {
	switch n := a.session.w.r.IntN(100); {
	case n < 38:
		return leftOut
	case n < 53:
		return placeholder
	}
	return a.typing()
}

// ordinary returns a call with a value, mostly the next step of the workflow.
func (a *agent) ordinary() *call {
	w := a.session.w
	tool := a.reader()
	gated := a.gate() != ""
	switch n := w.r.IntN(100); {
	case gated && n < 45, n < 4:
		return a.answers("respond_checkpoint")
	case gated && n < 60, n < 8:
		return a.answers("present_checkpoint")
	case gated && n < 65, n < 12:
		tool = "resume_checkpoint"
	case n < 35:
		tool = "next_activity"
	case n < 48:
		tool = "yield_checkpoint"
	}
	return a.fill(a.call(tool), "session_token", a.form())
}

// answers returns a call about a checkpoint, with the handle of a worker or with a token.
func (a *agent) answers(tool string) *call {
	c := a.call(tool)
	if handle := a.gate(); handle != "" && a.session.w.r.IntN(3) > 0 {
		f := exact
		if a.session.w.r.IntN(5) == 0 {
			f = mangled
		}
		return a.fillWith(c, "checkpoint_handle", f, handle)
	}
	return a.fill(c, "session_token", a.form())
}

// gate returns the last checkpoint handle among the values that the agent read recently.
func (a *agent) gate() string {
	for i := len(a.knows) - 1; i >= 0 && i >= len(a.knows)-4; i-- {
		if decodePayload(a.knows[i]).Point != "" {
			return a.knows[i]
		}
	}
	return ""
}

func decodePayload(value string) (p struct {
	Point   string `json:"bcp"`
	Session string `json:"sid"`
	Agent   string `json:"aid"`
},
) {
	body, _, _ := strings.Cut(value, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err == nil {
		_ = json.Unmarshal(raw, &p) // damaged: p stays empty
	}
	return p
}

// parallel returns a batch, in which at most one call changes something.
func (a *agent) parallel() []*call {
	w := a.session.w
	var batch []*call
	for i := range 2 + w.r.IntN(2) {
		tool := a.reader()
		if i == 0 && w.r.IntN(2) == 0 {
			tool = []string{"next_activity", "next_activity", "yield_checkpoint"}[w.r.IntN(3)]
		}
		c := a.call(tool)
		if w.looks && w.r.IntN(3) == 0 { // perhaps each at another session
			a.fill(c, "session_token", exact)
		} else if own := a.newest(); own != "" && w.r.IntN(3) == 0 {
			a.fillWith(c, "session_token", []form{exact, mangled}[w.r.IntN(2)], own)
		} else {
			a.fill(c, "session_token", []form{leftOut, placeholder}[w.r.IntN(2)])
		}
		batch = append(batch, c)
	}
	w.r.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
	return batch
}

// newest returns the value that the agent read last of its thread, if it is still the newest.
func (a *agent) newest() string {
	for i := len(a.knows) - 1; i >= 0; i-- {
		if a.on != nil && a.side == nil && a.on.heads[a.knows[i]] && !a.ambiguous {
			return a.knows[i]
		}
	}
	return ""
}

// fill puts a value into a call in the given form.
func (a *agent) fill(c *call, argument string, f form) *call {
	w := a.session.w
	if len(a.knows) == 0 && f != placeholder && f != foreign && f != garbage {
		f = leftOut
	}
	value := ""
	switch n := len(a.knows); f {
	case exact, mangled, spliced:
		value = a.knows[n-1]
		if w.r.IntN(5) == 0 { // perhaps of another thread
			value = a.knows[max(0, n-1-w.r.IntN(6))]
		}
	case older:
		value = a.knows[w.r.IntN(n)]
	case foreign:
		value = w.kind.elsewhere(w)
	case garbage:
		value = made[w.r.IntN(len(made))]
	}
	return a.fillWith(c, argument, f, value)
}

func (a *agent) fillWith(c *call, argument string, f form, value string) *call {
	w := a.session.w
	c.form, c.original = f, value
	c.child = argument == "parent_session_token" && f != leftOut
	raw := ""
	switch f {
	case leftOut:
		return c
	case placeholder:
		some := placeholders
		if w.names {
			some = slices.Concat(some, more)
		}
		raw = some[w.r.IntN(len(some))]
		c.child, c.parentless = c.child && raw != "null", raw == `""`
	case mangled:
		d := damages[w.r.IntN(len(damages))]
		c.kind, c.value = d.name, d.do(w.r, value)
	case spliced:
		c.second = a.knows[w.r.IntN(len(a.knows))]
		c.kind, c.value = "two values", splice(w.r, value, c.second)
	default:
		c.value = value
	}
	c.argument = argument
	if c.value != "" {
		raw = quote(c.value)
		if w.values[c.value] == 0 {
			w.typed = append(w.typed, c.value)
		} else if f == mangled || f == spliced {
			c.original, c.kind = c.value, "" // the damage had no effect
		}
		if w.r.IntN(40) == 0 {
			raw = strings.ReplaceAll(raw, ".", `\u002e`)
		}
	}
	at := 0
	if len(c.args) > 0 {
		at = w.r.IntN(len(c.args) + 1)
	}
	c.args = append(c.args[:at:at], append([]member{{argument, raw}}, c.args[at:]...)...)
	return c
}

func quote(s string) string { return strings.TrimSuffix(string(setup.JSONLine(s)), "\n") }

// elsewhere returns a good value that no hook has seen: of an unrelated session, or of a known session that was
// continued, or got a child, without hooks.
func (w *world) elsewhere() string {
	if len(w.outside) == 0 || w.r.IntN(3) == 0 {
		tool, args := "start_session", map[string]string{"workflow_id": "lab-flow"}
		var known []string
		if len(w.sessions) > 0 {
			known = w.sessions[0].main.knows
		}
		n := len(w.outside)
		switch {
		case n > 0 && w.r.IntN(3) > 0:
			tool, args = "next_activity", map[string]string{"activity_id": "away", "session_token": w.outside[n-1]}
		case n%3 == 1 && len(known) > 0:
			args["parent_session_token"] = known[len(known)-1]
		case n%3 == 2 && len(known) > 0:
			args["session_token"] = known[len(known)-1]
		}
		result, err := w.server.Call("elsewhere", tool, setup.JSONLine(args))
		if err != nil {
			panic(err) // the simulator's own JSON
		}
		token, failed, _ := readResult(result)
		if failed { // a checkpoint is active
			return w.outside[n-1]
		}
		w.numberValue(token)
		w.outside = append(w.outside, token)
	}
	return w.outside[w.r.IntN(len(w.outside))]
}

// elsewhere returns a good index that no hook has seen: of another conversation, in some cases with an open checkpoint.
func (indexes) elsewhere(w *world) string {
	if len(w.outside) == 0 || w.r.IntN(3) == 0 {
		call := func(tool string, args map[string]string) string {
			result, err := w.server.Call("elsewhere", tool, setup.JSONLine(args))
			if err != nil {
				panic(err) // the simulator's own JSON
			}
			value, _, _ := w.kind.read(result)
			return value
		}
		value := call("start_session", map[string]string{"workflow_id": "other"})
		if w.r.IntN(2) == 0 {
			call("yield_checkpoint", map[string]string{index: value, "checkpoint_id": "gate"})
		}
		w.numberValue(value)
		w.outside = append(w.outside, value)
		if server, ok := w.server.(*fakeserver.Index); ok {
			server.Quoted = value
		}
	}
	return w.outside[w.r.IntN(len(w.outside))]
}
