package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// The command of a server moves unchanged to the arguments, after those of wsi. So it can be moved back without a record.

const (
	command = "command"
	args    = "args"
)

// words returns the command line of an entry, nil if it has none.
func words(form setup.Form, entry map[string]any) []string {
	var all []any
	switch {
	case form.Joined:
		all, _ = entry[command].([]any)
	case entry[command] != nil:
		more, _ := entry[args].([]any)
		all = append([]any{entry[command]}, more...)
	}
	return lists.Map(all, func(word any) string { return fmt.Sprint(word) })
}

// wrap makes a server run through wsi relay.
func wrap(file setup.ServerFile, d *document, s Server, f setup.RelayCommand) (made []string, err error) {
	switch {
	case s.entry[command] == nil:
		return wrapRemote(file.Form, d, s, f)
	case file.Form.Joined:
		return nil, wrapJoined(d, s, f)
	}
	old, ok := s.entry[command].(string)
	if !ok {
		return nil, errors.New("its command is not a string")
	}
	e, relay := begin(d, s), f.Words()
	written := append(lists.Map(relay[1:], d.quote), d.rawAt(s.path(command)))
	behind := append(anys(relay[1:]), old)
	if s.entry[args] == nil {
		e.set(relay[0], d.quote(relay[0]), command)
		e.set(behind, array(written), args)
		return []string{pointer(s.path(args))}, e.end()
	}
	more, ok := s.entry[args].([]any)
	if !ok {
		return nil, errors.New("its args are not a list")
	}
	e.putFirst(written, append(behind, more...), args)
	e.set(relay[0], d.quote(relay[0]), command)
	return nil, e.end()
}

func wrapJoined(d *document, s Server, f setup.RelayCommand) error {
	own, ok := s.entry[command].([]any)
	if !ok || len(own) == 0 {
		return errors.New("its command is not a list of words")
	}
	e := begin(d, s)
	e.putFirst(lists.Map(f.Words(), d.quote), append(anys(f.Words()), own...), command)
	return e.end()
}

// unwrap removes wsi relay from a server.
func unwrap(file setup.ServerFile, d *document, s Server, made []string) error {
	line := words(file.Form, s.entry)
	f, own, ok := setup.ParseRelayCommand(line)
	switch {
	case !ok:
		return errors.New("its command line is not one of wsi any more")
	case f.URL != "":
		return unwrapRemote(file.Form, d, s, f, made)
	case file.Form.Joined:
		e := begin(d, s)
		e.dropFirst(own, slices.Clone(s.entry[command].([]any)[own:]), command)
		return e.end()
	}
	more := s.entry[args].([]any)
	old, ok := more[own-1].(string)
	list, _ := d.find(s.path(args)...)
	if !ok || len(list.elements()) != len(more) {
		return errors.New("wsi cannot safely change its args as they are written")
	}
	e := begin(d, s)
	first := list.kids[own-1].val
	raw := string(d.text[first.start:first.end])
	e.dropFirst(own, slices.Clone(more[own:]), args)
	e.set(old, raw, command)
	if len(more) == own && slices.Contains(made, pointer(s.path(args))) {
		e.drop(args)
	}
	return e.end()
}

func anys(words []string) []any {
	return lists.Map(words, func(word string) any { return word })
}

// array writes a list on one line.
func array(raw []string) string { return "[" + strings.Join(raw, ", ") + "]" }
