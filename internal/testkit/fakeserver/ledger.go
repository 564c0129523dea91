package fakeserver

import "strings"

// Verdict is what a call's value was, to the agent that made the call.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"      // the newest of the chain that the agent is on
	Stale     Verdict = "stale"      // an older one of it, or one that is used up
	Foreign   Verdict = "foreign"    // of another chain
	Unknown   Verdict = "unknown"    // never handed out
	Missing   Verdict = "missing"    // there was none
	NotNeeded Verdict = "not needed" // the tool takes none, or may do without
)

// Entry is a call in the ledger. It holds no value: chains are numbered in the order of their start.
type Entry struct {
	Agent    string  `json:"agent,omitempty"`
	Tool     string  `json:"tool"`
	Argument string  `json:"argument,omitempty"` // whose value is judged
	Verdict  Verdict `json:"verdict"`
	Entitled int     `json:"entitled,omitempty"` // the chain that the agent was on, 0: none yet
	Came     int     `json:"chain,omitempty"`    // the chain of the value that came, 0: none known
	Parent   Verdict `json:"parent,omitempty"`   // of parent_session_token, where one came
	Failed   bool    `json:"error,omitempty"`    // the result had isError
}

// chain is the values that followed from one opening; of ids that stay, the one.
type chain struct {
	Newest  string
	From    string   `json:",omitempty"` // what Newest is the answer to
	Changed bool     `json:",omitempty"` // by the call that Newest answers
	Opener  string   `json:",omitempty"` // the agent
	Handed  bool     `json:",omitempty"` // opened for somebody else
	At      string   `json:",omitempty"` // the agent that used it last
	Shown   []string `json:",omitempty"` // the agents that were shown the id
	UsedUp  bool     `json:",omitempty"` // an id that has had its time
	Belongs int      `json:",omitempty"` // an id's chain above: a decision's session
}

// ledger follows who may carry what, by docs/decisions/0005. Its exported members are what a restart
// keeps. An agent "b" or "a/b" is a sub-agent: of the agent "a", else of the main agent, which is "".
type ledger struct {
	Chains  []*chain
	Values  map[string][]int // to their chains; two calls of one second may be answered with the same bytes
	Agents  map[string]int   // the chain that an agent has of its own
	entries []Entry
}

// noted is a call and what it was answered with, as far as the ledger looks.
type noted struct {
	agent, tool     string
	argument, value string
	parent          string // the parent's value
	wants           bool   // the tool cannot do without
	opens, child    bool   // the answer begins a chain, the caller's own or somebody else's
	got             string // the value handed out
	changed         bool   // by more than the count of calls
	failed          bool
}

func parentOf(agent string) string { return agent[:max(0, strings.LastIndexByte(agent, '/'))] }

// above tells whether an agent is the other one or above it.
func above(agent, other string) bool {
	return agent == "" || agent == other || strings.HasPrefix(other, agent+"/")
}

// on is the number of the chain that an agent goes on with: its own, else that of the nearest above.
func (l *ledger) on(agent string) int {
	for l.Agents[agent] == 0 && agent != "" {
		agent = parentOf(agent)
	}
	return l.Agents[agent]
}

// of is the number of the chain of a value, if it is of several the preferred one.
func (l *ledger) of(value string, preferred int) int {
	of := 0
	for _, n := range l.Values[value] {
		if of != preferred || of == 0 {
			of = n
		}
	}
	return of
}

// note judges a call and follows what it was answered with.
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
		l.grant(c.agent, came) // what its prompt handed it
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

// follow makes what a call was answered with the newest, unless the call carried an older value: of
// two answers to the same value that one counts which changed something.
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

// entitled tells whether an agent may carry the value of a chain that it is not on: what it was
// handed to begin with, what it opened for somebody else and now takes over, and the handle that a
// worker below it has yielded.
func (l *ledger) entitled(c noted, own int, ch *chain) bool {
	none := l.Agents[c.agent] == 0
	return none && (own == 0 || c.opens || ch.Handed) ||
		c.opens && ch.Opener == c.agent ||
		c.argument == "checkpoint_handle" && above(c.agent, ch.At)
}

// issued is every value that was handed out.
func (l *ledger) issued() []string {
	values := make([]string, 0, len(l.Values))
	for v := range l.Values {
		values = append(values, v)
	}
	return values
}
