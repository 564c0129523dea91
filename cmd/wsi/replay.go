package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/hook/replay"
	"wsi/internal/printable"
)

func newReplayCmd(e env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay [path...]",
		Short: "Count what became of the ids in your recorded sessions",
		Long: `Replay reads the sessions that ` + inSentence(recordingNames()) + ` have recorded, and counts
how often the model passed an id to a server right, damaged or invented, and how many ids it lost when a session
was compacted. It also counts what the lists and hints of wsi would have said.

It prints numbers and names of servers, never an id, and only reads files. Without a path it reads all sessions in
your home folder.`,
		Example: "  wsi replay\n  wsi replay ~/.claude/projects/-home-me-shop --json",
		RunE: func(_ *cobra.Command, paths []string) error {
			r := newReplayReport(e)
			if err := r.read(e, paths); err != nil {
				return err
			}
			if asJSON {
				return e.printJSON(r)
			}
			return r.text(e.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// recordingNames returns the names of the harnesses with recordings that can be read.
func recordingNames() (names []string) {
	for _, h := range registry.All() {
		if h.Capabilities.History.Read != nil {
			names = append(names, h.Name)
		}
	}
	return names
}

func inSentence(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// replayReport is what replay found. It has numbers and names of servers, nothing else of what was said.
type replayReport struct {
	Schema    int              `json:"schema_version"`
	Harnesses []*replayHarness `json:"harnesses"`
	Skipped   []skipped        `json:"skipped"` // files

	now  *replayHarness // whose recording is read
	why  map[string]int
	tell *progress
}

// replayHarness is what was found in the recordings of one harness.
type replayHarness struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Recordings  int            `json:"recordings"`
	Bytes       int64          `json:"bytes"`
	Sessions    int            `json:"sessions"` // with a call of an MCP server's tool, sub-agents included
	Compactions int            `json:"compactions"`
	Unreadable  int            `json:"unreadable_compactions"`
	Lists       int            `json:"cards"`
	Servers     []replayServer `json:"servers"`
	Skipped     []skipped      `json:"skipped"` // parts of recordings

	counts *replay.Replay
	why    map[string]int
}

type replayServer struct {
	Name string `json:"name"`
	replay.Counts
}

// skipped is why something was not read, and how often.
type skipped struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

func newReplayReport(e env) *replayReport {
	return &replayReport{Schema: 1, Harnesses: []*replayHarness{}, why: map[string]int{}, tell: newProgress(e.Stderr)}
}

// read reads the recordings at the paths, or all of this user.
func (r *replayReport) read(e env, paths []string) error {
	if err := visit(e, paths, r, r.tell, "wsi replay PATH"); err != nil {
		return err
	}
	r.sum()
	return nil
}

// Begin is called for each recording.
func (r *replayReport) Begin(h harnesses.Harness, size int64) {
	i := slices.IndexFunc(r.Harnesses, func(o *replayHarness) bool { return o.ID == h.ID })
	if i < 0 {
		i = len(r.Harnesses)
		r.Harnesses = append(r.Harnesses, &replayHarness{ID: h.ID, Name: h.Name, counts: replay.New(), why: map[string]int{}})
	}
	r.now = r.Harnesses[i]
	r.now.Recordings++
	r.now.Bytes += size
	r.now.counts.Begin()
}

// Step counts a step of the recording.
func (r *replayReport) Step(s harnesses.Step) { r.now.counts.Step(s) }

// End is called after each recording.
func (r *replayReport) End() {
	r.now.counts.End()
	r.now = nil
}

// Skip counts what was not read.
func (r *replayReport) Skip(why string) {
	if r.now != nil {
		r.now.why[why]++
		return
	}
	r.why[why]++
}

// Read shows the progress.
func (r *replayReport) Read(bytes int) { r.tell.add(bytes) }

// sum takes the counts over.
func (r *replayReport) sum() {
	r.Skipped = sortedSkips(r.why)
	for _, h := range r.Harnesses {
		c := h.counts
		h.Sessions, h.Compactions, h.Unreadable, h.Lists = c.Sessions, c.Compactions, c.Unreadable, c.Lists
		h.Skipped, h.Servers = sortedSkips(h.why), []replayServer{}
		for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
			h.Servers = append(h.Servers, replayServer{name, *c.Servers[name]})
		}
	}
}

func sortedSkips(why map[string]int) []skipped {
	all := []skipped{}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		all = append(all, skipped{reason, why[reason]})
	}
	slices.SortStableFunc(all, func(a, b skipped) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// progress shows on a terminal how much was read.
type progress struct {
	to    io.Writer // nil: not on a terminal
	bytes int64
	last  time.Time
	shown bool
}

func newProgress(to io.Writer) *progress {
	w, ok := to.(printable.Writer)
	if !ok {
		return &progress{}
	}
	if file, ok := w.To.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		return &progress{}
	}
	return &progress{to: w.To, last: time.Now()}
}

func (p *progress) add(bytes int) {
	p.bytes += int64(bytes)
	if p.to == nil || time.Since(p.last) < time.Second/2 {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.to, "\r%s read", megabytes(p.bytes))
}

// end deletes the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.to, "\r                    \r")
	}
}
