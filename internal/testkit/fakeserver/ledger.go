package fakeserver

import "strings"

// Verdict is the verdict on the value in a call, with respect to the calling agent.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"      // the newest of the agent's chain
	Stale     Verdict = "stale"      // an older one of the agent's chain
	Foreign   Verdict = "foreign"    // of another chain
	Unknown   Verdict = "unknown"    // never issued
	Missing   Verdict = "missing"    // no value
	NotNeeded Verdict = "not needed" // the tool takes no value, or it is optional
)

// Entry is a call in the ledger. It contains no values. Chains are numbered in the order of their start.
type Entry struct {
	Agent    string  `json:"agent,omitempty"`
	Tool     string  `json:"tool"`
	Argument string  `json:"argument,omitempty"` // the argument with the value
	Verdict  Verdict `json:"verdict"`
	Entitled int     `json:"entitled,omitempty"` // the agent's chain, 0 if none
	Came     int     `json:"chain,omitempty"`    // the chain of the value, 0 if unknown
	Parent   Verdict `json:"parent,omitempty"`   // of parent_session_token, if present
	Failed   bool    `json:"error,omitempty"`    // the result had isError
}

// chain contains the values that followed one opening, or a single index that stays the same.
type chain struct {
	Newest  string
	From    string `json:",omitempty"` // the value in the call that returned Newest
	Changed bool   `json:",omitempty"` // the call that returned Newest changed something
	Opener  string `json:",omitempty"` // the agent
	Handed  bool   `json:",omitempty"` // opened for another agent
	At      string `json:",omitempty"` // the agent that used it last
}

// ledger tracks which agent may use which value, following docs/decisions/0005. A restart keeps its exported fields.
// The main agent is "". "b" is a sub-agent of the main agent, "a/b" one of the agent "a".
type ledger struct {
	Chains  []*chain
	Values  map[string][]int // value to chains: two results in one second may have the same value
	Agents  map[string]int   // agent to its own chain
	entries []Entry
}

// noted is a call and its result, as the ledger needs them.
type noted struct {
	agent, tool     string
	argument, value string
	parent          string // the value of the parent session
	wants           bool   // the tool requires the value
	opens, child    bool   // the result starts a chain; it is for another agent
	got             string // the value in the result
	changed         bool   // the call changed more than the number of calls
	failed          bool
}

func parentOf(agent string) string { return agent[:max(0, strings.LastIndexByte(agent, '/'))] }

// above reports whether agent is other or an ancestor of it.
func above(agent, other string) bool {
	return agent == "" || agent == other || strings.HasPrefix(other, agent+"/")
}

// on returns the number of the agent's chain: its own, or that of the nearest ancestor.
func (l *ledger) on(agent string) int {
	for l.Agents[agent] == 0 && agent != "" {
		agent = parentOf(agent)
	}
	return l.Agents[agent]
}

// of returns the number of the chain of a value. If there are several, it prefers the given one.
func (l *ledger) of(value string, preferred int) int {
	of := 0
	for _, n := range l.Values[value] {
		if of != preferred || of == 0 {
			of = n
		}
	}
	return of
}

// note records a call with its verdict, and follows the chain to the result.
func (l *ledger) note(c noted) {
	own := l.on(c.agent)
	came := l.of(c.value, own)
	e := Entry{Agent: c.agent, Tool: c.tool, Verdict: NotNeeded, Entitled: own, Came: came, Failed: c.failed}
	if c.wants || c.value != "" {
		e.Argument, e.Verdict = c.argument, l.judge(c, own, came)
	}
	if c.parent != "" {
		n := l.of(c.parent, own)
		e.Parent = l.judge(noted{agent: c.agent, value: c.parent}, own, n)
	}
	l.entries = append(l.entries, e)
	if e.Verdict == Right && l.Agents[c.agent] == 0 && came != own && !c.opens {
		l.grant(c.agent, came) // the value was in the agent's prompt
	}
	if came != 0 && !c.opens && !c.failed {
		l.follow(came, c)
		return
	}
	if c.got == "" {
		return
	}
	n := l.open(c.got, c.agent)
	if l.Chains[n-1].Handed = c.child; !c.child {
		l.grant(c.agent, n)
	}
}

// follow makes the value of a result the newest, unless the call had an older value. Of two results for the same
// value, the one that changed something counts.
func (l *ledger) follow(number int, c noted) {
	ch := l.Chains[number-1]
	if c.argument != "checkpoint_handle" {
		ch.At = c.agent
	}
	if c.got == "" {
		return
	}
	l.know(c.got, number)
	if c.value == ch.Newest || c.value == ch.From && c.changed && !ch.Changed {
		ch.Newest, ch.From, ch.Changed = c.got, c.value, c.changed
	}
}

func (l *ledger) open(value, agent string) int {
	l.Chains = append(l.Chains, &chain{Newest: value, Opener: agent, At: agent})
	l.know(value, len(l.Chains))
	return len(l.Chains)
}

func (l *ledger) know(value string, number int) {
	if l.Values == nil {
		l.Values = map[string][]int{}
	}
	for _, n := range l.Values[value] {
		if n == number {
			return
		}
	}
	l.Values[value] = append(l.Values[value], number)
}

func (l *ledger) grant(agent string, number int) {
	if l.Agents == nil {
		l.Agents = map[string]int{}
	}
	l.Agents[agent] = number
}

func (l *ledger) judge(c noted, own, came int) Verdict {
	switch {
	case c.value == "":
		return Missing
	case came == 0:
		return Unknown
	case came != own && !l.entitled(c, own, l.Chains[came-1]):
		return Foreign
	case l.Chains[came-1].Newest != c.value:
		return Stale
	}
	return Right
}

// entitled reports whether an agent may use the value of a chain that is not its own. It may use a value from its
// prompt, a chain that it opened for another agent and now takes over, and the handle of a worker below it.
func (l *ledger) entitled(c noted, own int, ch *chain) bool {
	none := l.Agents[c.agent] == 0
	return none && (own == 0 || c.opens || ch.Handed) ||
		c.opens && ch.Opener == c.agent ||
		c.argument == "checkpoint_handle" && above(c.agent, ch.At)
}
