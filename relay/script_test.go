package relay

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"wsi/hook/callers"
)

// Each section of a file in testdata/script is a conversation through a relay of its own. A word may stand in single quotes.
// $tokenN is the N-th value that the server issued, $brokenN the same with a letter too many, $pid the server's process, $dir the
// folder of all, $self this program, and $NAME what was kept under a name. A line that begins with ! must not hold.
//
// What the relay is started with, before the first message:
//
//	set MEMBERS                 its options
//	environment NAME=VALUE
//	patience DURATION           how long a call waits for the one before it
//	tends DURATION              how often it looks at files
//	patient                     it waits for the answer to initialize until the script says that the process has hung
//
// What the client does. The first of these starts the relay, and reconnect another one:
//
//	greet                       make the handshake and list the tools
//	as SESSION [AGENT]          who makes the calls from here on
//	do TOOL [MEMBERS]           call a tool and wait for the answer
//	call ID TOOL [MEMBERS]      do not wait
//	ask METHOD [PARAMS]         make another request and wait for the answer
//	request ID METHOD [PARAMS]  do not wait
//	send MESSAGE
//	reply RESULT                answer the last question of the server
//	cancel ID...
//	answer ID...                wait for answers
//	held ID                     wait a little for an answer, which must not come
//	close, reconnect
//	mark                        count what arrives from here on
//
// What becomes of the server:
//
//	let FILE [CONTENT]          make a file that it waits for, or that makes it another one; \e, \a and \n are written as they are in C
//	die                         kill it, and wait until the relay knows
//	ended N                     wait until the relay knows of the end of the N-th
//	hung N                      wait until the N-th does not answer initialize, and end the relay's patience
//	gone PID                    wait until a process has ended
//	ends STATUS                 wait until the relay ends
//
// What must be true then:
//
//	said TEXT...                the last answer has it
//	keep NAME                   the last answer shows a session_index, which is kept
//	shows NAME                  the last answer shows the index that was kept
//	fails                       the last answer shows none
//	told TEXT                   the client gets a message with it that answers nothing
//	arrives TEXT [N]            the server gets a message with it, for the N-th time
//	arrived N TEXT              it has got so many since the mark
//	methods NAME...             all that it has got since the mark
//	last VERDICT                what the server found in the last call
//	verdicts [...] VERDICT...   in all calls, or in the last ones
//	notices N                   the last call brought so many warnings, and the client was shown them
//	traced N                    to the last get_trace came all tokens of the session, these many, and no others
//	pid NAME                    keep the server's process
//	same PID                    the server still runs in it
//	wrote N TEXT                relay and server wrote it to stderr
//	untold                      the client gets no other such message
//	journal ENTRY...            what the journal says of calls, sorted
//	unsent                      it says of a call that it was cancelled before it was made
//	restarted WHY               it says why the server was started again
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, script := range archive.Files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+script.Name, func(t *testing.T) {
				t.Parallel()
				p := &player{world: newWorld(t), ids: map[string]string{}, kept: map[string]string{}}
				for line := range strings.Lines(string(script.Data)) {
					p.play(strings.TrimSpace(line))
				}
				p.shownNothing()
			})
		}
	}
}

// play does what a line of a script says.
func (p *player) play(line string) {
	p.t.Helper()
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	text, not := strings.CutPrefix(line, "! ")
	words := p.words(text)
	command := commands[words[0]]
	if command == nil {
		p.t.Fatalf("no command: %s", line)
	}
	if setting := []string{"set", "environment", "patience", "tends", "patient", "let"}; p.client == nil && !slices.Contains(setting, words[0]) {
		p.client = p.connect()
	}
	if command(p, words[1:]) == not {
		p.t.Errorf("%s\nthe last answer: %s\nthe server found: %q\nstderr: %s", line, p.got, p.verdicts(), p.stderr.String())
	}
}

var word = regexp.MustCompile(`'[^']*'|\S+`)

// words takes a line apart.
func (p *player) words(line string) []string {
	words := word.FindAllString(os.Expand(line, p.value), -1)
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return words
}

// value returns what a name with $ is for.
func (p *player) value(name string) string {
	if kept, ok := p.kept[name]; ok {
		return kept
	}
	switch name {
	case "pid":
		return strconv.Itoa(p.pid())
	case "killed": // as the system says it
		if runtime.GOOS == "windows" {
			return p.restarts(1)[0]
		}
		return "signal: killed"
	case "dir":
		return filepath.ToSlash(p.dir)
	case "self":
		return filepath.ToSlash(self(p.t))
	}
	kind := strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(kind):])
	if issued := p.issued(); err == nil && n <= len(issued) {
		token := issued[n-1]
		return map[string]string{"token": token, "broken": token[:20] + "x" + token[20:]}[kind]
	}
	p.t.Fatalf("nothing is known as $%s", name)
	return ""
}

// begin makes a call. The members are of its arguments.
func (p *player) begin(words []string) (id string) {
	args, meta := at(words, 1), ""
	if p.calls++; p.who.Session != "" {
		call := fmt.Sprint("call_", p.calls)
		switch p.opt.Harness {
		case "claude-code":
			meta = `"claudecode/toolUseId":"` + p.noted(call) + `"`
		case "opencode":
			mark := `"_wsi":"` + p.noted(p.who.Session+"/"+p.who.Agent+":"+call) + `"`
			args = strings.TrimPrefix(args+","+mark, ",")
		default:
			meta = fmt.Sprintf(`"sessionId":%q,"threadId":%q`, p.who.Session, p.who.Session+p.who.Agent)
		}
	}
	return p.client.call(words[0], args, meta)
}

// noted notes the caller of a call as the hook does, and returns the note's id.
func (p *player) noted(id string) string {
	if err := callers.In(p.opt.State).Write(p.opt.Harness, id, p.who); err != nil {
		p.t.Fatal(err)
	}
	return id
}

// id returns the id of a request that a script has a name for, or that of another one.
func (p *player) id(name string) string {
	if id, ok := p.ids[name]; ok {
		return id
	}
	return name
}

// lasts sets a duration.
func lasts(what *time.Duration, text string) bool {
	var err error
	*what, err = time.ParseDuration(text)
	return err == nil
}

// shownNothing ends the relay, and fails if a value of the server reached its client, or is where a user may read it, or what
// the client was shown has control characters.
func (p *player) shownNothing() {
	p.t.Helper()
	p.client.close()
	shown := strings.Join(p.other, "\n")
	for _, line := range p.seen {
		shown += "\n" + line
	}
	if strings.ContainsAny(shown, "\x1b\a") || strings.Contains(strings.ReplaceAll(shown, `\\u`, ""), `\u001b`) {
		p.t.Errorf("the client was shown a control character: %q", shown)
	}
	journal, _ := os.ReadFile(filepath.Join(p.opt.State, "journal.jsonl")) // none, if no call was made
	for _, token := range p.issued() {
		if strings.Contains(shown, token) {
			p.t.Errorf("a value was passed on to the client: %s", shown)
		}
		if strings.Contains(string(journal)+p.stderr.String(), token) {
			p.t.Error("a value is in the journal or on stderr")
		}
	}
}

// at returns a word, or what is meant without it.
func at(words []string, i int, without ...string) string {
	if i < len(words) {
		return words[i]
	}
	return strings.Join(without, "")
}
