package installer

import (
	"errors"
	"fmt"

	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/installer/notes"
	"wsi/internal/lists"
)

// every returns o with the servers that a setup of all servers is for: those that the files of the scope register, without those
// that wsi relay cannot be in front of.
func (o Options) every() Options {
	if !o.All {
		return o
	}
	o.Own, o.lines = map[string][]string{}, nil
	for _, h := range o.Harnesses {
		for _, file := range inspect.ServerFiles(o.Env, h, o.Scope) {
			o.Own[h.ID] = lists.AddUnique(o.Own[h.ID], o.everyIn(h, file)...)
		}
	}
	return o
}

// everyIn returns the servers of one file, and adds a line on each server. The plan reports a file that cannot be read.
func (o *Options) everyIn(h setup.Harness, file setup.ServerFile) (names []string) {
	content, _ := o.Env.ReadFile(file.Path)
	found, _ := edit.Servers(file, content)
	login := (&workspace{o: *o}).login(h, file)
	as := inspect.Placeholder(o.Env)
	for _, s := range found {
		as.Servers = []string{s.Name}
		err := as.Check(o.Env.GOOS)
		if err == nil && s.Others {
			err = errors.New("it runs through wsi relay for another harness, which reads the same file")
		} else if err == nil {
			_, _, err = edit.Wrap(file, content, func(name string) (setup.RelayCommand, bool) {
				return setup.RelayCommand{Path: as.Path, Server: name, Harness: h.ID}, name == s.Name
			}, login)
			err = errors.Unwrap(err) // without the name
		}
		text := s.Name + " gets wsi relay"
		if err != nil {
			text = fmt.Sprintf("%s stays as it is: %v", s.Name, err)
		} else if names = append(names, s.Name); o.carries(h, s.Name) {
			text += ", and its values are carried"
		}
		o.lines = append(o.lines, notes.Note{Harness: h.ID, Text: text})
	}
	return names
}
