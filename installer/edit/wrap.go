package edit

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"wsi/harnesses/setup"
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
	line := make([]string, len(all))
	for i, word := range all {
		line[i] = fmt.Sprint(word)
	}
	return line
}

// wrap makes a server run through wsi relay.
func wrap(file setup.ServerFile, r registry, s Server, f setup.RelayCommand) (made []string, err error) {
	switch {
	case s.entry[command] == nil:
		return wrapRemote(file.Form, r, s, f)
	case file.Form.Joined:
		return nil, wrapJoined(r, s, f)
	}
	old, ok := s.entry[command].(string)
	if !ok {
		return nil, errors.New("its command is not a string")
	}
	raw, _ := r.raw(s.path(command))
	relay, to := f.Words(), maps.Clone(s.entry)
	behind := append(slices.Clone(relay[1:]), old)
	to[command] = relay[0]
	first := cut{}
	if v, ok := r.elements(s.path(command)); ok {
		first = cut{v.start, v.end, r.quote(relay[0])}
	}
	written := append(quoteEach(r, relay[1:]), raw)
	if s.entry[args] == nil {
		made = []string{pointer(s.path(args))}
		to[args] = anys(behind)
		return made, change(r, s, to, func() error {
			r.splice(first)
			return r.set(s.path(args), array(written))
		})
	}
	more, ok := s.entry[args].([]any)
	place, located := r.elements(s.path(args))
	if !ok || !located {
		return nil, errors.New("its args are not a list")
	}
	to[args] = append(anys(behind), more...)
	return nil, change(r, s, to, func() error {
		r.splice(first, place.prepend(written))
		return nil
	})
}

func wrapJoined(r registry, s Server, f setup.RelayCommand) error {
	own, ok := s.entry[command].([]any)
	place, located := r.elements(s.path(command))
	if !ok || !located || len(own) == 0 {
		return errors.New("its command is not a list of words")
	}
	to := maps.Clone(s.entry)
	to[command] = append(anys(f.Words()), own...)
	return change(r, s, to, func() error {
		r.splice(place.prepend(quoteEach(r, f.Words())))
		return nil
	})
}

// unwrap removes wsi relay from a server.
func unwrap(file setup.ServerFile, r registry, s Server, made []string) error {
	line := words(file.Form, s.entry)
	f, own, ok := setup.ParseRelayCommand(line)
	switch {
	case !ok:
		return errors.New("its command line is not one of wsi any more")
	case f.URL != "":
		return unwrapRemote(file.Form, r, s, f, made)
	case file.Form.Joined:
		to := maps.Clone(s.entry)
		to[command] = slices.Clone(s.entry[command].([]any)[own:])
		place, _ := r.elements(s.path(command))
		return change(r, s, to, func() error {
			r.splice(place.without(own))
			return nil
		})
	}
	more := s.entry[args].([]any)
	old, ok := more[own-1].(string)
	place, located := r.elements(s.path(args))
	first, _ := r.elements(s.path(command))
	if !ok || !located || len(place.kids) != len(more) {
		return errors.New("wsi cannot safely change its args as they are written")
	}
	to := maps.Clone(s.entry)
	to[command], to[args] = old, slices.Clone(more[own:])
	empty := len(more) == own && slices.Contains(made, pointer(s.path(args)))
	if empty {
		delete(to, args)
	}
	return change(r, s, to, func() error {
		r.splice(cut{first.start, first.end, place.kids[own-1].text}, place.without(own))
		if empty {
			return r.drop(s.path(args))
		}
		return nil
	})
}

func quoteEach(r registry, words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = r.quote(word)
	}
	return all
}

func anys(words []string) []any {
	all := make([]any, len(words))
	for i, word := range words {
		all[i] = word
	}
	return all
}
