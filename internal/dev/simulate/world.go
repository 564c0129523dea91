package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"wsi/hook/schemas"
	"wsi/internal/testkit/fakeserver"
)

// world is the state of one schedule: a user with harness sessions, their agents, and one server.
type world struct {
	plan
	seed     uint64
	r        *rand.Rand
	port     port
	home     home
	now      time.Time
	key      []byte
	ids      *rand.ChaCha8
	server   fakeserver.Server
	kind     generation
	schemas  bool // the server's tools are known to hooks
	sessions []*session
	values   map[string]int // the values that the server issued, numbered
	outside  []string       // good values of sessions that no hook has seen
	typed    []string       // damaged values
	done     int
	counts   counts
	collections

	writing     sync.Mutex          // of transcripts: hooks of a batch run at the same time
	transcripts map[string]*os.File // open files by path

	story []string
	found []violation
}

// plan is the kind of a schedule.
type plan struct {
	steps    int
	kills    bool // some hooks are killed
	slow     bool // no two calls in one second, so that all values differ
	verbose  bool // keep the story
	names    bool // more placeholders, also in calls that open a session
	pasted   bool // users paste values of other conversations, models make up parents, and the server has tools of tomorrow
	indexes  bool // the server is the later one, with a session_index
	traces   bool // some servers with an index return trace tokens
	collects bool // this one does
	looks    bool // models name several sessions in one message
}

// session is a harness session. Its hooks know only this session.
type session struct {
	w              *world
	number         int
	id             string
	transcript     string // "" if the session has none
	noSubagentMeta bool   // transcripts of sub-agents have no _meta (2.1.197)
	main           *agent
	agents         []*agent // the main agent and its running sub-agents
	known          []*agent // these, and those that have ended
	spawned        int
	unseen         map[string]bool // the values that only results show that no hook has seen
	sessionBelief
	views []view // the possible states of the oracle, if hooks ran at the same time; the first one is in force
}

// agent is a model in a session.
type agent struct {
	session *session
	id      string // "" for the main agent
	parent  *agent
	calls   int
	knows   []string // the values that it has read, the last one last
	first   form     // how it uses the value in its prompt
	handed  string
	waits   bool    // for a sub-agent in the foreground
	batch   []*call // the calls in flight
	done    []*call // those of the batch that have ended
	batches int
	past    []*call // all that began, the last one last

	agentBelief
}

func newWorld(seed uint64, p plan, port port) (*world, error) {
	dir, err := os.MkdirTemp(folder(port), "wsi-simulate-")
	if err != nil {
		return nil, err
	}
	scope := ""
	if p.collects {
		scope = []string{"", "", "", "session", "agent"}[seed%5]
	}
	if _, is := port.(inside); is && scope == "" && seed%8 != 0 { // every eighth schedule also has current.token and a rule file
		port = inside{bare: true}
	}
	var chacha [32]byte
	binary.LittleEndian.PutUint64(chacha[:], seed)
	w := &world{
		plan: p, seed: seed, r: rand.New(rand.NewPCG(seed, 0x5eed)), port: port, home: home(dir), //nolint:gosec // no secret
		now: time.Unix(1795187971, 0), key: chacha[:], ids: rand.NewChaCha8(chacha), values: map[string]int{}, counts: counts{},
		transcripts: map[string]*os.File{}, collections: collections{scope: scope, chains: map[string][]*segment{}},
	}
	if w.kind = (tokens{}); p.indexes {
		w.kind = indexes{}
	}
	w.restart()
	if err := w.home.create(w.collections.rules()); err != nil {
		return nil, err
	}
	if p.pasted && seed%3 == 0 {
		w.schemas = true
		if err := w.knowSchemas(); err != nil {
			return nil, err
		}
	}
	for range 1 + w.r.IntN(2) {
		w.open(nil)
	}
	return w, nil
}

// folder returns where home folders are made: in memory if hooks are not processes, or "" for the default.
func folder(port port) string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); runtime.GOOS == "linux" && port.sequential() && err == nil && info.IsDir() {
		return shared
	}
	return ""
}

func (w *world) close() {
	for _, f := range w.transcripts {
		_ = f.Close()
	}
	_ = os.RemoveAll(string(w.home)) // best effort
}

// write appends a line to a transcript.
func (w *world) write(path string, line []byte) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	f := w.transcripts[path]
	if f == nil {
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		}
		if err != nil {
			return err
		}
		w.transcripts[path] = f
	}
	_, err := f.Write(line)
	return err
}

// restart restarts the server with the same key, and the same sessions if it keeps them.
func (w *world) restart() {
	w.now = w.now.Add(10 * time.Second)
	w.server = w.kind.server(w)
}

// knowSchemas keeps what the server's tools of tomorrow require, as wsi does when it has asked the server.
func (w *world) knowSchemas() error {
	tool := schemas.Tool{Name: newTool, Schema: []byte(`{"properties":{"` + w.kind.argument() + `":{}},"required":["` + w.kind.argument() + `"]}`)}
	return schemas.In(w.home.state()).Write("claude-code", "workflow-server", []schemas.Tool{tool})
}

// open begins a harness session. A fork's model knows the values of from, but its hooks know nothing.
func (w *world) open(from *session) {
	n := len(w.sessions) + 1
	s := &session{w: w, number: n, id: fmt.Sprintf("5e6cde0b-1f8f-4b0e-9a5e-%012d", n), unseen: map[string]bool{}}
	s.sessionBelief = sessionBelief{of: map[string]*thread{}, answers: map[string]string{}, spent: map[string]bool{}, indexes: map[string]bool{}, given: map[string]bool{}, back: map[*call]bool{}}
	if w.r.IntN(10) > 0 {
		s.transcript = filepath.Join(string(w.home), "projects", s.id)
		s.noSubagentMeta = w.r.IntN(4) == 0
	}
	s.main = &agent{session: s}
	s.agents, s.known = []*agent{s.main}, []*agent{s.main}
	w.sessions = append(w.sessions, s)
	switch {
	case from != nil:
		s.main.knows = slices.Clone(from.main.knows)
	case w.pasted && w.r.IntN(3) == 0:
		s.main.knows = []string{w.kind.elsewhere(w)}
		w.logf("session %d begins with %s", n, s.describe(s.main.knows[0]))
	}
}

// spawn starts a sub-agent. Its id is not unique across sessions.
func (a *agent) spawn(handed string, first form, foreground bool) *agent {
	s := a.session
	s.spawned++
	sub := &agent{session: s, id: fmt.Sprintf("a%d", s.spawned), parent: a, handed: handed, first: first}
	if handed != "" {
		sub.knows = []string{handed}
	}
	a.waits = foreground
	s.agents, s.known = append(s.agents, sub), append(s.known, sub)
	return sub
}

// end returns to the parent, perhaps with the last value that the agent has read.
func (a *agent) end() {
	s := a.session
	s.agents = slices.DeleteFunc(s.agents, func(o *agent) bool { return o == a })
	for _, o := range s.agents { // its own sub-agents continue in the background
		if o.parent == a {
			o.parent = a.parent
		}
	}
	if p := a.parent; p != nil {
		p.waits = false
		if n := len(a.knows); n > 0 && s.w.r.IntN(2) == 0 {
			p.knows = append(p.knows, a.knows[n-1])
		}
	}
}

func (a *agent) name() string {
	if a.id == "" {
		return fmt.Sprintf("s%d main", a.session.number)
	}
	return fmt.Sprintf("s%d %s", a.session.number, a.id)
}

// numberValue gives a value its number.
func (w *world) numberValue(value string) {
	if value != "" && w.values[value] == 0 {
		w.values[value] = len(w.values) + 1
	}
}

func (w *world) logf(format string, args ...any) {
	if w.verbose {
		w.story = append(w.story, fmt.Sprintf("%4d  ", w.done)+fmt.Sprintf(format, args...))
	}
}

// describe names a value in the story without showing it.
func (s *session) describe(value string) string {
	switch n := s.w.values[value]; {
	case value == "":
		return "nothing"
	case n == 0:
		return "a damaged value"
	case s.of[value] == nil:
		return fmt.Sprintf("value %d of another session", n)
	default:
		return fmt.Sprintf("value %d of thread %d", n, s.of[value].number)
	}
}
