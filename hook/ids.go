package hook

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/handles"
	"wsi/hook/handlestore"
	"wsi/hook/journal"
	"wsi/hook/ruleset"
)

// keepHandles keeps the ids of a call to one of the servers whose ids are kept, and finds what the model is to be
// told.
func (r *run) keepHandles(ev harnesses.Event) error {
	r.named(ev)
	store := handlestore.In(r.stateDir())
	tells := r.can.Remind != nil && r.can.Remind(ev.Kind, "x") != nil
	if ev.Kind == harnesses.Spawned {
		r.entry.Did = string(carry.Noted)
		return store.MarkShared(r.session)
	}
	if ev.Kind == harnesses.Compacted {
		r.entry.Agent = ev.Agent != ""
		unsure, err := r.agentUnsure(ev, store)
		switch {
		case err != nil:
			return err
		case unsure:
			r.note(carry.Decision{Action: carry.Left, Why: "a sub-agent may have been compacted, not the main agent"})
			return nil
		case ev.Mute || !tells:
			r.entry.Did = string(carry.Noted)
			return store.MarkCompacted(r.session, ev.Agent)
		}
		r.entry.Did = journal.Told
		list, err := store.List(r.session, ev.Agent, func() ([]handles.Alias, error) { return r.aliases(ev) })
		r.tell(ev, list)
		return err
	}
	server, tool, ok := r.keeps(ev)
	if !ok {
		return nil
	}
	if r.entry.Did == "" { // no rule was asked
		r.entry.Server, r.entry.Tool, r.entry.Agent, r.entry.Did = server, tool, ev.Agent != "", journal.Kept
	}
	except, err := r.notKept(ev, server, tool)
	if err != nil {
		return err
	}
	record := handles.Record{
		Time: r.start, Harness: r.opt.Harness, Server: server, Agent: ev.Agent, Tool: tool, Failed: ev.Kind == harnesses.Failed || ev.Result.Error,
		Args: handles.InArguments(ev.Args, except), Result: handles.InResult(ev.Result.Structured, texts(ev), except),
	}
	if tells {
		var told string
		told, err = store.Tell(r.session, record, func(id string) bool { return r.modelRead(ev, id) }, func() ([]handles.Alias, error) { return r.aliases(ev) })
		r.tell(ev, told)
	}
	return errors.Join(err, store.Append(r.session, record))
}

// agentUnsure reports whether an event of the main agent may be a sub-agent's: Claude Code 2.1.197 does not say whose
// conversation it compacted. When the transcripts were written does not tell it, either: both are written late.
func (r *run) agentUnsure(ev harnesses.Event, store handlestore.Store) (unsure bool, err error) {
	if ev.Agent != "" || r.can.AgentTranscripts == nil {
		return false, nil
	}
	session, err := store.Load(r.session)
	if err != nil {
		return true, err
	}
	alone := !slices.ContainsFunc(session.Servers(), func(m handles.Server) bool { return m.Agent != "" })
	if alone {
		_, err := os.Stat(r.can.AgentTranscripts(ev))
		alone = errors.Is(err, fs.ErrNotExist)
	}
	if alone {
		return false, nil
	}
	lines, err := wholeLines(ev.File, begin(ev.File))
	if err != nil {
		return true, nil // it is unknown then
	}
	for line := range bytes.Lines(lines) {
		if r.can.NamesCompacted(line) {
			return false, nil
		}
	}
	return true, nil
}

func (r *run) stateDir() string {
	if r.vault.Dir == "" {
		return ""
	}
	return filepath.Dir(r.vault.Dir)
}

// keeps returns the registered name of the event's server, if its ids are kept, and the server's own name of the
// tool.
func (r *run) keeps(ev harnesses.Event) (server, tool string, ok bool) {
	if ev.Kind != harnesses.After && ev.Kind != harnesses.Failed || r.anonymous(ev) {
		return "", "", false
	}
	for _, server := range r.opt.Handles {
		if tool, ok := r.codec.Tool(ev, server); ok {
			return server, tool, true
		}
	}
	return "", "", false
}

// notKept returns a function that reports whether an id is a value of a rule that keeps it from others, or shows the
// model an alias instead. If the rules cannot be read, that is unknown, and it returns an error.
func (r *run) notKept(ev harnesses.Event, server, tool string) (except func(id string) bool, err error) {
	if !slices.Contains(r.opt.Servers, server) {
		return nil, nil
	}
	sets := r.sets(ev, server, tool)
	if r.warning != "" {
		return nil, errors.New("no ids are kept while " + r.warning)
	}
	return ruleset.Hides(sets, r.vault)
}

// texts returns the texts of a result, or of an error.
func texts(ev harnesses.Event) (all [][]byte) {
	for _, b := range ev.Result.Blocks {
		all = append(all, b.Text)
	}
	if ev.Error != nil {
		all = append(all, ev.Error)
	}
	return all
}

// tell makes the answer to an event a text about ids, unless it is empty.
func (r *run) tell(ev harnesses.Event, text string) {
	r.told, r.reminds = text, ev.Kind
	if text != "" && r.entry.Did == journal.Kept {
		r.entry.Did = journal.Told
	}
}

// modelRead reports whether a transcript shows the model a text: it may have an id from its user, or from another
// server.
func (r *run) modelRead(ev harnesses.Event, text string) bool {
	if r.can.Transcripts == nil || r.can.ModelRead == nil {
		return false
	}
	for _, path := range r.can.Transcripts(ev) {
		lines, err := wholeLines(path, 0)
		if err != nil {
			continue
		}
		if len(lines) > maxScan-1<<20 { // there may be more
			return true
		}
		for line := range bytes.Lines(lines) {
			if bytes.Contains(line, []byte(text)) && r.can.ModelRead(line, ev.ID) {
				return true
			}
		}
	}
	return false
}

// aliases returns what the model reads instead of the values of rules, for servers whose ids are kept.
func (r *run) aliases(ev harnesses.Event) (all []handles.Alias, err error) {
	for _, server := range r.opt.Handles {
		if !slices.Contains(r.opt.Servers, server) {
			continue
		}
		ev.Server = server
		texts, err := ruleset.Aliases(r.sets(ev, server, ""), r.vault, ruleset.Call{Call: carry.Call{Agent: ev.Agent}, Session: r.session})
		if err != nil {
			return nil, err
		}
		for _, alias := range texts {
			all = append(all, handles.Alias{Server: server, Text: alias})
		}
	}
	return all, nil
}
