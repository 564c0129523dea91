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
	raw := d.rawAt(s.path(command))
	relay, to := f.Words(), maps.Clone(s.entry)
	behind := append(slices.Clone(relay[1:]), old)
	to[command] = relay[0]
	first := cut{}
	if v, ok := d.elements(s.path(command)); ok {
		first = cut{v.start, v.end, d.quote(relay[0])}
	}
	written := append(quoteEach(d, relay[1:]), raw)
	if s.entry[args] == nil {
		made = []string{pointer(s.path(args))}
		to[args] = anys(behind)
		return made, change(d, s, to, func() error {
			d.splice(first)
			return d.set(s.path(args), array(written))
		})
	}
	more, ok := s.entry[args].([]any)
	place, located := d.elements(s.path(args))
	if !ok || !located {
		return nil, errors.New("its args are not a list")
	}
	to[args] = append(anys(behind), more...)
	return nil, change(d, s, to, func() error {
		d.splice(first, place.prepend(written))
		return nil
	})
}

func wrapJoined(d *document, s Server, f setup.RelayCommand) error {
	own, ok := s.entry[command].([]any)
	place, located := d.elements(s.path(command))
	if !ok || !located || len(own) == 0 {
		return errors.New("its command is not a list of words")
	}
	to := maps.Clone(s.entry)
	to[command] = append(anys(f.Words()), own...)
	return change(d, s, to, func() error {
		d.splice(place.prepend(quoteEach(d, f.Words())))
		return nil
	})
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
		to := maps.Clone(s.entry)
		to[command] = slices.Clone(s.entry[command].([]any)[own:])
		place, _ := d.elements(s.path(command))
		return change(d, s, to, func() error {
			d.splice(place.without(own))
			return nil
		})
	}
	more := s.entry[args].([]any)
	old, ok := more[own-1].(string)
	place, located := d.elements(s.path(args))
	first, _ := d.elements(s.path(command))
	if !ok || !located || len(place.kids) != len(more) {
		return errors.New("wsi cannot safely change its args as they are written")
	}
	to := maps.Clone(s.entry)
	to[command], to[args] = old, slices.Clone(more[own:])
	empty := len(more) == own && slices.Contains(made, pointer(s.path(args)))
	if empty {
		delete(to, args)
	}
	return change(d, s, to, func() error {
		d.splice(cut{first.start, first.end, place.kids[own-1].text}, place.without(own))
		if empty {
			return d.cutOut(s.path(args))
		}
		return nil
	})
}

func quoteEach(d *document, words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = d.quote(word)
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
