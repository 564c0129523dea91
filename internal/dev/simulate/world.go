package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"wsi/hook/vault"
	"wsi/internal/testkit/fakeserver"
)

// world is one schedule: a user with harness sessions, agents in them, and one server.
type world struct {
	plan
	seed     uint64
	r        *rand.Rand
	port     port
	home     home
	now      time.Time
	key      []byte
	ids      *rand.ChaCha8
	server   *fakeserver.Workflow
	sessions []*session
	values   map[string]int // what the server handed out, numbered
	afar     []string       // good values of sessions that no hook has seen
	typed    []string       // damaged ones
	done     int
	counts   counts

	writing     sync.Mutex          // of transcripts: hooks of a batch run at once
	transcripts map[string]*os.File // open for writing, by path

	story []string
	found []violation
}

// plan is what kind of schedule it is.
type plan struct {
	steps  int
	single bool
	kills  bool // hooks are killed now and then
	slow   bool // no two calls are made in one second: then all values differ
	tell   bool // keep the story
	names  bool // more placeholders, also where a session is opened
}

// session is a harness session: what its hooks are told is its own.
type session struct {
	w          *world
	number     int
	id         string
	transcript string // "" if the harness keeps none
	blind      bool   // 2.1.197: no _meta in the transcripts of sub-agents
	main       *agent
	agents     []*agent // the main agent and those at work
	born       int
	threads    int
	of         map[string]*thread // the thread of each value that hooks of this session could see
	answers    map[string]string  // each value to that which the call carried that it answers
	spent      map[string]bool    // the values that were gone on from
}

// agent is a model in a session.
type agent struct {
	session *session
	id      string // "" is the main agent
	parent  *agent
	calls   int
	knows   []string // the values it has read, the last one last
	first   form     // how it uses what its prompt handed it
	handed  string
	waits   bool    // a sub-agent runs in the foreground
	batch   []*call // in flight
	batches int

	// What the oracle follows.
	on, side *thread
	started  *thread // its first call carried one of that
	torn     bool    // it opened a session for somebody else
	used     bool    // it has opened or carried one
	doubt    bool    // its last call carried what nobody knows
	vain     int     // the batch of that call: which of several made at once is the last, nobody knows
	unsure   bool    // its last call had no result that says that it was of a thread
	killed   bool    // a hook was killed that should have seen its last value
	astray   bool    // the same, before its last call: wsi may have taken it to be elsewhere
	how      string

	// For the names of violations.
	lastTool string
	got      string  // the value that it was answered with last
	carried  string  // the value that it carried last
	handled  *thread // its last call carried a handle of that thread
	readLate *thread // the last result but for start_session's shows its value in the transcript alone
}

func newWorld(seed uint64, p plan, port port) (*world, error) {
	dir, err := os.MkdirTemp(folder(port), "wsi-simulate-")
	if err != nil {
		return nil, err
	}
	if _, is := port.(inside); is && !p.single && seed%8 != 0 { // every eighth schedule writes files
		port = inside{&vault.Memory{Only: true}}
	}
	var chacha [32]byte
	binary.LittleEndian.PutUint64(chacha[:], seed)
	w := &world{
		plan: p, seed: seed, r: rand.New(rand.NewPCG(seed, 0x5eed)), port: port, home: home(dir), //nolint:gosec // no secret
		now: time.Unix(1795187971, 0), key: chacha[:], ids: rand.NewChaCha8(chacha), values: map[string]int{},
		transcripts: map[string]*os.File{},
	}
	w.counts.did = map[string]int{}
	w.restart()
	if err := w.home.furnish(p.single); err != nil {
		return nil, err
	}
	for range 1 + w.r.IntN(2) {
		w.open(nil)
	}
	return w, nil
}

// folder is where homes are made: in memory, if hooks are no processes. "" is the system's place.
func folder(port port) string {
	const shared = "/dev/shm" // Linux
	if info, err := os.Stat(shared); port.orders() && err == nil && info.IsDir() {
		return shared
	}
	return ""
}

func (w *world) close() {
	for _, f := range w.transcripts {
		_ = f.Close() // written
	}
	_ = os.RemoveAll(string(w.home)) // the system empties its temporary folder too
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

// restart starts the server anew, with the key it keeps.
func (w *world) restart() {
	w.now = w.now.Add(10 * time.Second)
	w.server = fakeserver.NewWorkflow(w.key, func() time.Time { return w.now })
	w.server.Random = w.ids
}

// open begins a harness session, or a fork: its model knows what that of from knows, its hooks nothing.
func (w *world) open(from *session) {
	n := len(w.sessions) + 1
	s := &session{w: w, number: n, id: fmt.Sprintf("5e6cde0b-1f8f-4b0e-9a5e-%012d", n), of: map[string]*thread{}, answers: map[string]string{}, spent: map[string]bool{}}
	if w.r.IntN(10) > 0 {
		s.transcript = filepath.Join(string(w.home), "projects", s.id)
		s.blind = w.r.IntN(4) == 0
	}
	s.main = &agent{session: s}
	s.agents = []*agent{s.main}
	if from != nil {
		s.main.knows = slices.Clone(from.main.knows)
	}
	w.sessions = append(w.sessions, s)
}

// spawn starts a sub-agent. Its id is one that a sub-agent of another session has, too.
func (a *agent) spawn(handed string, first form, foreground bool) *agent {
	s := a.session
	s.born++
	sub := &agent{session: s, id: fmt.Sprintf("a%d", s.born), parent: a, handed: handed, first: first}
	if handed != "" {
		sub.knows = []string{handed}
	}
	a.waits = foreground
	s.agents = append(s.agents, sub)
	return sub
}

// ends returns to whoever started it, with the last value that it has read.
func (a *agent) ends() {
	s := a.session
	s.agents = slices.DeleteFunc(s.agents, func(o *agent) bool { return o == a })
	for _, o := range s.agents { // its own sub-agents go on, as background ones do
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

// handedOut numbers a value.
func (w *world) handedOut(value string) {
	if value != "" && w.values[value] == 0 {
		w.values[value] = len(w.values) + 1
	}
}

func (w *world) tells(format string, args ...any) {
	if w.tell {
		w.story = append(w.story, fmt.Sprintf("%4d  ", w.done)+fmt.Sprintf(format, args...))
	}
}

// shown names a value in the story, without showing it.
func (s *session) shown(value string) string {
	switch n := s.w.values[value]; {
	case value == "":
		return "nothing"
	case n == 0:
		return "a damaged value"
	case s.of[value] == nil:
		return fmt.Sprintf("value %d, of elsewhere", n)
	default:
		return fmt.Sprintf("value %d of thread %d", n, s.of[value].number)
	}
}
