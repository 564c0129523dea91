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
rule of yours or a built-in one does already is not proposed. Without a path it reads all sessions in your home
folder.`,
		Example: "  wsi rules learn > learnt.toml\n  wsi rules check learnt.toml\n  wsi rules try learnt.toml --event event.json",
		RunE: func(_ *cobra.Command, paths []string) error {
			l, err := newLearning(e)
			if err != nil {
				return err
			}
			if err := visit(e, paths, l, l.tell); err != nil {
				return err
			}
			return l.print(e)
		},
	}
}

// learning passes what was recorded to a learner.
type learning struct {
	*learn.Learner
	set     rules.Set
	pending map[string]learn.Call // calls without a result yet, by session and id
	counted map[string]struct{}   // calls, by harness and id: a session that was resumed may be recorded twice
	now     string                // the harness
	calls   int
	why     map[string]int
	tell    *progress
}

// Limits of what is kept in memory.
const (
	maxPending = 1 << 10
	maxCounted = 1 << 20
)

func newLearning(e env) (*learning, error) {
	set, err := rulesOf(e, nil)
	if err != nil {
		return nil, err
	}
	l := &learning{Learner: learn.New(), set: set, counted: map[string]struct{}{}, why: map[string]int{}, tell: newProgress(e.Stderr)}
	l.Secret = l.secret
	return l, nil
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
		last := func(p carry.Path) bool {
			parts := p.Parts()
			return strings.TrimSuffix(parts[len(parts)-1], "[]") == name
		}
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
		_, c.Again = l.counted[l.now+s.ID]
		if len(l.counted) < maxCounted {
			l.counted[l.now+s.ID] = struct{}{}
		}
		if !c.Again {
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
	proposals, undecided := l.Proposals()
	var b strings.Builder
	fmt.Fprintf(&b, "# From %s of MCP servers. Nothing is in force before it is in your rule file (wsi rules path).\n", phrase.Count(l.calls, "call"))
	n := 0
	for _, p := range proposals {
		p.Uses = slices.DeleteFunc(p.Uses, func(u learn.Use) bool { return l.covered(p.Server, u) })
		if !p.Empty() {
			n++
			b.WriteString("\n" + p.TOML())
		}
	}
	if n == 0 {
		b.WriteString("# Nothing to propose.\n")
	}
	for _, u := range undecided {
		fmt.Fprintf(&b, "\n# Not proposed: %s of %s (%s) may be from %s, which had the same values.\n", u.Argument, u.Tool, u.Server, strings.Join(u.Places, " or "))
	}
	for _, why := range slices.Sorted(maps.Keys(l.why)) {
		fmt.Fprintf(e.Stderr, "not read: %s (%d)\n", why, l.why[why])
	}
	_, err := fmt.Fprint(e.exact(), b.String())
	return err
}

// visit passes the recordings at the paths, or all of this user, to a visitor.
func visit(e env, paths []string, v recorded.Visitor, tell *progress) error {
	files := recorded.Files{Env: e.Env, Harnesses: registry.All()}
	if len(paths) == 0 {
		if paths = files.Places(); len(paths) == 0 {
			return failure{err: errors.New("no recorded sessions in your home folder"), hint: "wsi replay PATH", exit: 1}
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
