package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor/idlist"
	"wsi/doctor/idscreens"
	"wsi/hook/handlestore"
	"wsi/internal/phrase"
)

type handlesFlags struct {
	session, harness               string
	show, card, json, plain, ascii bool
}

func newHandlesCmd(e env) *cobra.Command {
	var f handlesFlags
	cmd := &cobra.Command{
		Use:   "handles",
		Short: "Show the ids that wsi keeps of your servers",
		Long: `Handles shows the ids that wsi keeps, so that a model can read them again after a
compaction: which server returned them, and which tool took them last. It only reads
wsi's own files. To keep ids of a server, run wsi setup --handles NAME.

An id is shown by its kind and length; --show shows the ids themselves. On a terminal
handles shows screens. With --plain, or when the output is not a terminal, it prints a
table.`,
		Example: "  wsi handles\n  wsi handles --plain --session 0123abcd\n  wsi handles --card --show",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "only this session, as wsi log shows it (a prefix is enough)")
	flags.StringVar(&f.harness, "harness", "", "only sessions of the harness with this `id`")
	flags.BoolVar(&f.show, "show", false, "show the ids themselves")
	flags.BoolVar(&f.card, "card", false, "print the list of ids that the model reads after a compaction, of the newest session")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.plain, "plain", false, "print lines instead of screens")
	flags.BoolVar(&f.ascii, "ascii", false, "use only ASCII")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	complete(cmd, "harness", idsOf(hooked()).one)
	complete(cmd, "session", words(e.sessionNames).one)
	return cmd
}

func (f handlesFlags) run(ctx context.Context, e env) error {
	if f.card && f.json {
		return usage("wsi handles --card", "--card has no JSON")
	}
	if f.harness != "" {
		if _, err := (wireFlags{harnesses: []string{f.harness}}).chosen(); err != nil {
			return err
		}
	}
	list, problem := f.list(handlestore.In(e.StateDir))
	if f.json {
		return errors.Join(list.JSON(e.Stdout, f.show), problem)
	}
	if len(list.Sessions) == 0 {
		if problem == nil {
			f.sayNothing(e)
		}
		return problem
	}
	if f.card {
		return errors.Join(f.printList(e, list.Sessions[0]), problem)
	}
	if !e.Screens || f.plain {
		return errors.Join(list.Text(e.Stdout, e.style(f.ascii).Theme, f.show), problem)
	}
	return errors.Join(f.screens(ctx, e, list, problem), problem)
}

// list returns the sessions that the flags choose, with --card only the newest. It goes on after a session that cannot be read, and then returns
// an error as well.
func (f handlesFlags) list(store handlestore.Store) (idlist.List, error) {
	infos, problem := store.Sessions()
	var sessions []idlist.Session
	for _, info := range infos {
		if !strings.HasPrefix(info.Key, f.session) {
			continue
		}
		kept, err := store.Load(info.Key)
		if err != nil {
			problem = errors.Join(problem, err)
			continue
		}
		if f.harness != "" && kept.Harness != f.harness {
			continue
		}
		if session, ok := idlist.Of(info.Key, &kept); ok {
			sessions = append(sessions, session)
		}
		if f.card && len(sessions) > 0 {
			break
		}
	}
	return idlist.New(sessions), problem
}

func (f handlesFlags) sayNothing(e env) {
	if f.session != "" || f.harness != "" {
		fmt.Fprintln(e.Stderr, "no matching ids")
		return
	}
	fmt.Fprintln(e.Stderr, "no ids are kept yet; wsi setup --handles NAME chooses a server whose ids are kept")
}

func (f handlesFlags) printList(e env, s idlist.Session) error {
	list := s.Listed(f.show)
	if list == "" {
		fmt.Fprintf(e.Stderr, "after a compaction nothing would be listed of session %s\n", s.Name)
		return nil
	}
	_, err := fmt.Fprint(e.Stdout, list)
	return err
}

func (f handlesFlags) screens(ctx context.Context, e env, list idlist.List, problem error) error {
	c := idscreens.Config{List: list, Values: f.show, ASCII: f.ascii || e.ASCII}
	if problem != nil {
		c.Problem = e.path(phrase.OneLine(problem.Error()))
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	if err := idscreens.Run(ctx, c, e.Stdin, e.raw()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return nil
}

// sessionNames returns the completions of --session.
func (e env) sessionNames() (names []string) {
	infos, _ := handlestore.In(e.StateDir).Sessions() // no completions from a folder that cannot be read
	for _, info := range infos {
		names = append(names, idlist.Name(info.Key))
	}
	return names
}
