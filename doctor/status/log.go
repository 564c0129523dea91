package status

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/prose"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
	"wsi/internal/tui"
)

// glance is the interval at which Follow reads the journal.
const glance = 200 * time.Millisecond

// Follow shows all runs so far. Then it calls caught, and shows every new run, until ctx ends or one of them returns an error, which
// Follow returns. It reads a journal that is rotated to its end.
func Follow(ctx context.Context, j journal.File, show func(journal.Entry) error, caught func() error) error {
	t, older := tail{path: j.Path}, tail{path: j.Older()}
	defer t.close()
	defer older.close()
	for _, do := range []func() error{t.open, older.open, func() error { return older.read(show) }, func() error { return t.read(show) }, caught} {
		if err := do(); err != nil {
			return err
		}
	}
	return t.follow(ctx, show)
}

func selects(words []string, e *journal.Entry) bool {
	return len(words) == 0 || slices.ContainsFunc(says(e), func(word string) bool { return slices.Contains(words, word) })
}

type tail struct {
	path string
	file *os.File // nil = it does not exist yet
	part []byte   // of a line that has not ended
}

func (t *tail) follow(ctx context.Context, show func(journal.Entry) error) error {
	for {
		replaced := t.replaced() // before what it still got is read
		if err := t.read(show); err != nil {
			return err
		}
		if replaced {
			t.close()
			if err := t.open(); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(glance):
		}
	}
}

func (t *tail) open() (err error) {
	if t.file, err = journal.Open(t.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // read only
	}
	t.file, t.part = nil, nil
}

// replaced reports whether another file now has the path.
func (t *tail) replaced() bool {
	_, err := os.Stat(t.path) // an error: it is being replaced
	return err == nil && (t.file == nil || !plainfile.IsAt(t.file, t.path))
}

// read shows all complete lines.
func (t *tail) read(show func(journal.Entry) error) error {
	if t.file == nil {
		return nil
	}
	more, err := io.ReadAll(t.file)
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	for line := range bytes.Lines(append(t.part, more...)) {
		if t.part = nil; !bytes.HasSuffix(line, []byte("\n")) {
			t.part = line
		} else if e, ok := journal.Parse(line); ok {
			if err := show(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// Word is what people read for something that a run did. The log prints it, and wsi log --did selects it.
type Word struct {
	Did   string // in the journal
	Says  string
	Means string

	state tui.State
	of    func(e *journal.Entry) bool // of the runs that did it; nil = those that no word above is of
}

// withoutValue is the word for a call or a result that needs nothing.
const withoutValue = "without a value"

// callerNamed is the word for a hook that names the caller: the relay says the rest.
const callerNamed = "caller named"

// callFailed is the word for [journal.Entry.Failed].
const callFailed = "call failed"

// Words are all of them, in the order of display.
var Words = []Word{
	{"injected", "put in", "the call lacked its value, or had a placeholder", tui.OK, nil},
	{"captured", "taken", "a value of the result is stored for the next call", tui.OK, nil},
	{"repaired", "repaired", "the model typed a value wrong", tui.OK, nil},
	{"kept", "kept", "a value is stored for a tool that takes all of them", tui.OK, nil},
	{"collected", "collected", "all kept values are in the call now", tui.OK, nil},
	{"shown", "shown", "the model reads what the result has in _meta", tui.OK, nil},
	{"denied", "refused", "the call was not made, for the reason that follows", tui.Attention, nil},
	{"noted", "awaited", "no value yet; wsi looks again at the next call", tui.Absent, func(e *journal.Entry) bool { return e.Verb != harnesses.Inject }},
	{"noted", callerNamed, "wsi told the relay who makes the call", tui.Absent, nil},
	{"left", "left alone", "nothing was changed, for the reason that follows", tui.Absent, func(e *journal.Entry) bool { return !slices.Contains(carry.Idle, e.Why) }},
	{"left", withoutValue, "the call or the result has no value", tui.Absent, nil},
	{"nothing", "passed on", "no rule is about the server or the tool", tui.Absent, nil},
	{journal.Unsent, "not made", "the harness cancelled the call first", tui.Absent, nil},
	{journal.Unanswered, "no result", "the server ended, or answered with a JSON-RPC error", tui.Attention, nil},
	{"failed", callFailed, "its result is an error, or it was cut short", tui.Attention, nil},
	{journal.Restarted, "started again", "the relay started the server, which had ended", tui.OK, nil},
	{journal.Diverted, "sent to stderr", "lines on the server's stdout that are not messages", tui.Attention, nil},
	{"error", "failed", "wsi failed, and the call went on unchanged", tui.Broken, nil},
}

// wordFor returns the word for what a run did. Another program can have written any.
func wordFor(e *journal.Entry) Word {
	if i := slices.IndexFunc(Words, func(w Word) bool { return w.Did == e.Did && (w.of == nil || w.of(e)) }); i >= 0 {
		return Words[i]
	}
	return Word{Did: e.Did, Says: e.Did}
}

// says returns the words for all that a run did.
func says(e *journal.Entry) []string {
	all := []string{wordFor(e).Says}
	for _, more := range []struct {
		n   int
		did carry.Action
	}{{e.Kept, carry.Kept}, {e.Given, carry.Gathered}, {e.Told, carry.Told}} {
		if more.n > 0 {
			all = lists.AddUnique(all, wordFor(&journal.Entry{Did: string(more.did)}).Says)
		}
	}
	if e.Failed {
		all = append(all, callFailed)
	}
	return all
}

// Story writes runs: for people a heading for each session, and a line for each call with the runs before and after it.
type Story struct {
	Out   io.Writer
	Style prose.Style // without a width, lines are wrapped at 80 columns
	Did   []string    // only calls with a run that did one of these, as [Word.Says]; none: all calls
	JSON  bool        // each run as an object instead
	Live  bool        // each run is written at once, on a line of its own

	calls    []call   // not written yet
	heading  string   // the last one
	sessions []string // the headings of all that the harness has named
}

// call has the runs of a call. Any of them can be missing.
type call struct{ runs []journal.Entry }

// Add adds a run. The journal has runs in the order in which they were written, which need not be that of their time.
func (s *Story) Add(e journal.Entry) error {
	const near = 100 // runs of calls at the same time
	for i := len(s.calls) - 1; i >= max(0, len(s.calls)-near) && e.Tool != ""; i-- {
		c := &s.calls[i]
		first, last := c.runs[0], c.runs[len(c.runs)-1]
		late := e.Verb == harnesses.Inject && first.Verb == harnesses.Capture && e.Time.Before(first.Time) && e.Did != string(carry.Denied)
		named := e.Verb == harnesses.Inject && last.Who == "" && e.Who != "" // by a hook, for the relay
		after := e.Verb == harnesses.Capture && last.Who == e.Who
		pair := late && len(c.runs) == 1 || last.Verb == harnesses.Inject && (named || after)
		if e.Call != "" && first.Call != "" {
			pair = e.Call == first.Call
		}
		if pair && e.Tool == first.Tool && heading(e) == heading(first) && e.Agent == first.Agent {
			if c.runs = append(c.runs, e); late {
				slices.Reverse(c.runs)
			}
			return nil
		}
	}
	s.calls = append(s.calls, call{[]journal.Entry{e}})
	if s.Live {
		s.Keep(-1)
		return s.Flush()
	}
	return nil
}

// Keep drops the calls that are not to be shown, and all others but the last n, unless n is negative. It returns how many are left.
func (s *Story) Keep(n int) int {
	s.calls = lists.Filter(s.calls, func(c call) bool {
		return slices.ContainsFunc(c.runs, func(e journal.Entry) bool { return selects(s.Did, &e) })
	})
	if n >= 0 {
		s.calls = s.calls[max(len(s.calls)-n, 0):]
	}
	return len(s.calls)
}

// Flush writes the calls that were added.
func (s *Story) Flush() error {
	for _, c := range s.calls {
		if e := c.runs[0]; !e.Unnamed && e.Session != "" {
			s.sessions = lists.AddUnique(s.sessions, heading(e))
		}
	}
	var b bytes.Buffer
	for _, c := range s.calls {
		if s.JSON {
			for _, e := range c.runs {
				_ = json.NewEncoder(&b).Encode(e) // it never fails
			}
			continue
		}
		if h := s.above(c.runs[0]); h != s.heading {
			if s.heading != "" {
				b.WriteString("\n")
			}
			b.WriteString(s.Style.Theme.Strong.Render(h) + "\n")
			s.heading = h
		}
		b.WriteString(strings.Join(c.lines(s.Style), "\n") + "\n")
	}
	s.calls = nil
	_, err := s.Out.Write(b.Bytes())
	return err
}

// Sum says what was done to the calls that were added and not written yet, "" for nothing.
func (s *Story) Sum() string {
	with := func(is func(journal.Entry) bool) int {
		return len(lists.Filter(s.calls, func(c call) bool { return slices.ContainsFunc(c.runs, is) }))
	}
	early := func(e journal.Entry) bool { return e.Did == "error" && e.Tool == "" }
	var did, said []string
	for _, p := range []struct{ did, words string }{
		{"injected", "put a value into %d"}, {"repaired", "repaired %d"}, {"denied", "refused %d"}, {"error", "failed in %d"},
	} {
		if n := with(func(e journal.Entry) bool { return e.Did == p.did && !early(e) }); n > 0 {
			did = append(did, fmt.Sprintf(p.words, n))
		}
	}
	if did != nil {
		said = append(said, "wsi "+phrase.List(did, "and"))
	}
	if n := with(func(e journal.Entry) bool { return e.Failed || e.Did == journal.Unanswered }); n > 0 {
		said = append(said, fmt.Sprint(n, " failed"))
	}
	sum := ""
	if said != nil {
		calls := len(s.calls) - with(func(e journal.Entry) bool { return e.OfServer() || early(e) })
		sum = "Of the " + phrase.Count(calls, "call") + " shown, " + strings.Join(said, ", and ") + ". "
	}
	if n := with(early); n > 0 {
		sum += "wsi failed in " + phrase.Count(n, "run") + " before it read the call."
	}
	return strings.TrimSpace(sum)
}

// heading names the session of a run and its day.
func heading(e journal.Entry) string {
	return strings.Join(slices.DeleteFunc([]string{e.Harness, e.Session, e.Time.Local().Format("2006-01-02")}, func(s string) bool { return s == "" }), "  ")
}

// above returns the heading above a run. A run without a named session is below the only session of that day, if there is only one. A
// new start of a server is about all sessions, so it stays below the heading before it.
func (s *Story) above(e journal.Entry) string {
	day := lists.Filter(s.sessions, func(h string) bool {
		return strings.HasPrefix(h, e.Harness+"  ") && strings.HasSuffix(h, e.Time.Local().Format("  2006-01-02"))
	})
	switch {
	case (e.Unnamed || e.Session == "") && len(day) == 1:
		return day[0]
	case e.OfServer() && slices.Contains(day, s.heading):
		return s.heading
	}
	return heading(e)
}

// lines returns the lines of a call. What was done with it is next to its tool, or below that if there is no room.
func (c call) lines(style prose.Style) []string {
	first := c.runs[0]
	tool := cmp.Or(first.Tool, first.Verb)
	if first.OfServer() {
		tool = first.Server
	}
	if first.Agent {
		tool = style.Theme.Glyph("›", ">") + tool
	}
	state, parts := tui.Absent, []string{}
	for i := range c.runs {
		e := &c.runs[i]
		w := wordFor(e)
		if state = max(state, w.state); e.Failed {
			state = max(state, tui.Attention)
		}
		if len(c.runs) == 1 || e.Failed || w.Says != withoutValue && w.Says != callerNamed && w.Did != "nothing" || e.Waited >= longWait {
			parts = append(parts, sentence(style, e))
		}
	}
	text := cmp.Or(strings.Join(parts, "; "), wordFor(&c.runs[len(c.runs)-1]).Says)
	const wide, least = 20, 24
	lead, text, width := first.Time.Local().Format("15:04:05  ")+style.Theme.Mark(state)+" ", style.Theme.In(state, text), cmp.Or(style.Width, 80)
	column := lead + tool + strings.Repeat(" ", max(wide-ansi.StringWidth(tool), 0)) + "  "
	if width-ansi.StringWidth(column) < least {
		column, text = lead, tool+"  "+text
	}
	return tui.Hanging(column, text, width-ansi.StringWidth(column))
}

// longWait is how many microseconds a run has to wait for the log to say so.
const longWait = 10_000

// sentence says what a run did, and why.
func sentence(style prose.Style, e *journal.Entry) string {
	text, why, failed := wordFor(e).Says, e.Why, ""
	if e.Failed {
		failed = callFailed
	}
	switch {
	case e.Failed && text == withoutValue:
		text, why = "", ""
	case e.Did == string(carry.Kept) && e.Kept > 0, e.Did == string(carry.Gathered) && e.Given > 0, e.Did == string(carry.Told) && e.Told > 0:
		text = "" // the numbers say it
	}
	if e.Did == "nothing" && e.Server != "" {
		text += " to " + e.Server
	}
	if why != "" {
		text += ": " + style.Show(why)
	}
	text = strings.Join(slices.DeleteFunc([]string{failed, text, Meta{e.Kept, e.Given, e.Told}.words()}, func(s string) bool { return s == "" }), ", ")
	if e.Waited >= longWait {
		text += fmt.Sprintf(" (waited %d ms)", e.Waited/1000)
	}
	return text
}
