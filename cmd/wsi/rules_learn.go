package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/hook/carry"
	"wsi/hook/handles"
	"wsi/hook/handlestore"
	"wsi/hook/learn"
	"wsi/hook/recorded"
	"wsi/hook/rules"
	"wsi/internal/phrase"
)

func newRulesLearnCmd(e env) *cobra.Command {
	return &cobra.Command{
		Use:   "learn [path...]",
		Short: "Propose rules from your recorded sessions",
		Long: `Learn reads the sessions that ` + inSentence(recordingNames()) + ` have recorded. Where an argument of
a tool always had a value that a place in the results of another tool had handed out, it proposes a rule: at
least three calls matched, with at least two values, and none contradicted. It prints the rules, as they stand in
a rule file, with these counts and without any value. It writes nothing.

Only values that look like ids count, and no member or argument with a name such as token or password does. What a
rule of yours or a built-in one does already is not proposed.

Without a path it reads all sessions in your home folder, and the ids that wsi keeps (wsi handles). These do not show
where in a result a member is, what a prompt or another server said, or for certain that an argument was left out. So
a rule from them only repairs, its places are to be checked, and what a recording shows comes first.`,
		Example: "  wsi rules learn > learnt.toml\n  wsi rules check learnt.toml\n  wsi rules try learnt.toml",
		RunE: func(_ *cobra.Command, paths []string) error {
			l, err := newLearning(e)
			if err != nil {
				return err
			}
			if len(paths) == 0 {
				l.remember(e)
			}
			if err := l.read(e, paths); err != nil {
				return err
			}
			return l.print(e)
		},
	}
}

// learning passes what was recorded to a learner, and the ids that wsi keeps to another one.
type learning struct {
	*learn.Learner
	memory     *learn.Learner
	remembered int // calls
	set        rules.Set
	pending    map[string]learn.Call // calls without a result yet, by session and id
	once       *recorded.Once
	now        string // the harness
	calls      int
	why        map[string]int
	tell       *progress
}

// maxPending bounds the calls of a recording without a result.
const maxPending = 1 << 10

func newLearning(e env) (*learning, error) {
	set, err := rulesOf(e, nil)
	if err != nil {
		return nil, err
	}
	l := &learning{Learner: learn.New(), memory: learn.New(), set: set, once: recorded.NewOnce(), why: map[string]int{}, tell: newProgress(e.Stderr)}
	l.Secret, l.memory.Secret = l.secret, l.secret
	return l, nil
}

// read reads the recordings at the paths, or all of this user, of which there may be none if ids are kept.
func (l *learning) read(e env, paths []string) error {
	err := visit(e, paths, l, l.tell, "wsi rules learn PATH")
	if l.remembered > 0 && errors.Is(err, errNoRecordings) {
		return nil
	}
	return err
}

// remember reads the ids that wsi keeps. Each agent is a session of its own.
func (l *learning) remember(e env) {
	store := handlestore.In(e.StateDir)
	sessions, err := store.Sessions()
	for _, s := range sessions {
		l.memory.Begin()
		err = errors.Join(err, store.Each(s.Key, func(r handles.Record) {
			l.remembered++
			l.memory.Remember(r.Agent, r)
		}))
	}
	if err != nil {
		l.why["some of the ids that wsi keeps: "+e.path(phrase.OneLine(err.Error()))]++
	}
}

// in returns the rules in force that name a server.
func (l *learning) in(server string) []carry.Rule {
	if !l.set.Names(server) {
		return nil
	}
	return l.set.For(server)
}

// secret reports whether a rule keeps a value, or what a member of the name has, secret.
func (l *learning) secret(server, name, value string) bool {
	return slices.ContainsFunc(l.in(server), func(r carry.Rule) bool {
		if !r.Secret {
			return false
		}
		last := func(p carry.Path) bool { return p.Name() == name }
		return r.Shape != "" && r.Shape.Matches(value) ||
			slices.ContainsFunc(r.Capture.From, func(s carry.Source) bool { return last(s.Path) }) ||
			slices.ContainsFunc(r.Inject, func(i carry.Inject) bool { return last(i.Argument) })
	})
}

// covered reports whether a rule in force already injects or repairs an argument.
func (l *learning) covered(server string, u learn.Use) bool {
	return slices.ContainsFunc(l.in(server), func(r carry.Rule) bool {
		return r.Takes(u.Tool) == string(u.Argument) || slices.ContainsFunc(r.Repair, func(p carry.RepairRule) bool {
			return p.Tools.Has(u.Tool) && slices.Contains(p.Arguments, u.Argument)
		})
	})
}

// Begin is called for each recording.
func (l *learning) Begin(h harnesses.Harness, _ int64) {
	l.Learner.Begin()
	l.now, l.pending = h.ID, map[string]learn.Call{}
}

// Step passes on a step of the recording.
func (l *learning) Step(s harnesses.Step) {
	id := s.Session + "\x00" + s.ID
	switch s.Kind {
	case harnesses.Told, harnesses.Summarized:
		l.Elsewhere(s.Session, s.Texts)
	case harnesses.Said: // what the model made up is from nowhere
	case harnesses.Called:
		if len(l.pending) < maxPending {
			l.pending[id] = learn.Call{Session: s.Session, Server: strings.Clone(s.Server), Tool: strings.Clone(s.Tool), Args: slices.Clone(s.Args)}
		}
	case harnesses.Returned:
		c, called := l.pending[id]
		delete(l.pending, id)
		if c.Result = s.Result; !called {
			l.Elsewhere(s.Session, append(texts(s.Result), s.Result.Structured))
			return
		}
		if c.Again = l.once.Again(l.now, s.ID); !c.Again {
			l.calls++
		}
		l.Call(c)
	}
}

func texts(r carry.Result) (all [][]byte) {
	for _, block := range r.Blocks {
		all = append(all, block.Text)
	}
	return all
}

// End is called after each recording.
func (l *learning) End() { l.pending = nil }

// Skip counts what was not read.
func (l *learning) Skip(why string) { l.why[why]++ }

// Read shows the progress.
func (l *learning) Read(bytes int) { l.tell.add(bytes) }

// print writes the proposals as a rule file, and to the other stream what was not read.
func (l *learning) print(e env) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# From %s of MCP servers. Nothing is in force before it is in your rule file (wsi rules path).\n", phrase.Count(l.calls, "call"))
	proposals, undecided := l.Proposals()
	n := l.write(&b, proposals, undecided, l.covered)
	var kept strings.Builder
	proposals, undecided = l.memory.Proposals()
	n += l.write(&kept, proposals, undecided, func(server string, u learn.Use) bool {
		return l.covered(server, u) || l.Knows(server, u.Tool, u.Argument.Name())
	})
	if kept.Len() > 0 {
		fmt.Fprintf(&b, "\n# From %s in the ids that wsi keeps. They do not show where in a result or in the arguments a member is: correct\n"+
			"# from and arguments before you use these rules. Nor do they show what prompts and other servers said.\n", phrase.Count(l.remembered, "call"))
		b.WriteString(kept.String())
	}
	if n == 0 {
		b.WriteString("# Nothing to propose.\n")
	}
	for _, why := range slices.Sorted(maps.Keys(l.why)) {
		fmt.Fprintf(e.Stderr, "not read: %s (%d)\n", why, l.why[why])
	}
	_, err := fmt.Fprint(e.exact(), b.String())
	return err
}

// write writes the proposals that are not covered yet, and returns how many these are.
func (l *learning) write(b *strings.Builder, proposals []learn.Proposal, undecided []learn.Undecided, covered func(server string, u learn.Use) bool) (n int) {
	for _, p := range proposals {
		p.Uses = slices.DeleteFunc(p.Uses, func(u learn.Use) bool { return covered(p.Server, u) })
		if !p.Empty() {
			n++
			b.WriteString("\n" + p.TOML())
		}
	}
	for _, u := range undecided {
		if !covered(u.Server, learn.Use{Tool: u.Tool, Argument: u.Argument}) {
			fmt.Fprintf(b, "\n# Not proposed: %s of %s (%s) may be from %s, which had the same values.\n", u.Argument, u.Tool, u.Server, strings.Join(u.Places, " or "))
		}
	}
	return n
}

// errNoRecordings is returned if no path is given, and no harness has recorded anything.
var errNoRecordings = errors.New("no recorded sessions in your home folder")

// visit passes the recordings at the paths, or all of this user, to a visitor. hint is the command to type if there are
// none.
func visit(e env, paths []string, v recorded.Visitor, tell *progress, hint string) error {
	files := recorded.Files{Env: e.Env, Harnesses: registry.All()}
	if len(paths) == 0 {
		if paths = files.Places(); len(paths) == 0 {
			return failure{err: errNoRecordings, hint: hint, exit: 1}
		}
	}
	defer tell.end()
	for _, path := range paths {
		if err := files.Visit(path, v); err != nil {
			var at *fs.PathError
			if errors.As(err, &at) {
				err = at.Err
			}
			return fmt.Errorf("cannot read %s: %w", e.tilde(path), err)
		}
	}
	return nil
}
