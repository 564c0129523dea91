package twin

// Verdict is what a call's value was, to the agent that made the call.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"      // the newest of the chain that the agent is on
	Stale     Verdict = "stale"      // an older one of it
	Foreign   Verdict = "foreign"    // of another chain
	Unknown   Verdict = "unknown"    // never handed out
	Missing   Verdict = "missing"    // there was none
	NotNeeded Verdict = "not needed" // the tool takes none, or may do without
)

// Entry is a call in the ledger. It holds no value: chains are numbered in the order of their start.
type Entry struct {
	Agent, Tool string
	Verdict     Verdict
	Entitled    int // the chain that the agent was on, 0: none yet
	Came        int // the chain of the value that came, 0: none known
	Failed      bool
}

type chain struct {
	number int
	newest string
	seq    int
}

type ledger struct {
	entries []Entry
	chains  int
	values  map[string]*chain
	agents  map[string]*chain
}

func newLedger() ledger {
	return ledger{values: map[string]*chain{}, agents: map[string]*chain{}}
}

// note judges a call and follows what it was answered with. The chain of an agent is the one it
// opened last for itself; a child that it opened with its parent's token is somebody else's.
func (l *ledger) note(agent, tool string, in arguments, r reply) {
	value := in.value(tool)
	own, came := l.agents[agent], l.values[value]
	e := Entry{Agent: agent, Tool: tool, Failed: r.failed, Verdict: NotNeeded}
	if own != nil {
		e.Entitled = own.number
	}
	if came != nil {
		e.Came = came.number
	}
	if tokenTools[tool] || tool == "start_session" && value != "" {
		e.Verdict = judge(value, own, came)
	}
	l.entries = append(l.entries, e)
	if r.token == "" {
		return
	}
	p, _ := peek(r.token)
	if tool == "start_session" || came == nil {
		l.chains++
		came = &chain{number: l.chains, seq: -1}
		if own == nil || in.Parent == "" {
			l.agents[agent] = came
		}
	}
	l.values[r.token] = came
	if p.Seq > came.seq || came.newest == value {
		came.newest, came.seq = r.token, p.Seq
	}
}

func judge(value string, own, came *chain) Verdict {
	switch {
	case value == "":
		return Missing
	case came == nil:
		return Unknown
	case came != own && own != nil:
		return Foreign
	case came.newest != value:
		return Stale
	}
	return Right
}
