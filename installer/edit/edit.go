// Package edit puts wsi's hooks into harness files and takes them out again, byte for byte around
// them: comments, order, indentation, newline style and everything that belongs to others stay.
//
// Its functions are pure. It must not know where files are, how they are written or what a ledger
// is. Whatever it cannot change with certainty it refuses; after every change it parses the result
// and compares it with what was intended.
package edit

import (
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Found is a hook in an existing file, wsi's or another's.
type Found struct {
	Event, Matcher, Command string // Command is "" for a hook that is no command
	Timeout                 int    // in the unit of the harness, 0 = not given
	Group, Handler          int    // indexes in the event's list and in the group; Handler is 0 in a flat file
	Ours                    bool
	More                    string // what else is set in a command's entry, with blanks between: "async once"
}

// more adds a field of an entry that setup would not write, unless it is switched off.
func (f *Found) more(name string, off bool) {
	if !off && !slices.Contains([]string{"type", "command", "timeout", "matcher"}, name) {
		f.More = strings.TrimSpace(f.More + " " + name)
	}
}

// hooks is a file's hooks in one of its formats. Every changing method leaves all earlier indexes
// as they are.
type hooks interface {
	found() ([]Found, error)
	add(harnesses.Entry) (made []string, err error)
	update(at Found, to harnesses.Entry, group bool) error // group: the matcher too
	drop(Found) error                                      // a group left empty goes with it
	prune(name string) error                               // takes out a container, or a preset, if it is empty
	preset(harnesses.Preset) (made bool, err error)
	bytes() []byte
}

// Entries lists the hooks of a file, in the order of events and indexes. An entry is ours if its
// command is one that wsi may have written for the file's harness, which the first entry of file
// names.
func Entries(file harnesses.HookFile, content []byte) ([]Found, error) {
	h, err := open(file, content)
	if err != nil {
		return nil, err
	}
	return h.found()
}

// Install returns the content with exactly the file's entries in it, and the names of the
// containers that had to be made for them: "" for the document, "hooks", "hooks.<Event>", and the
// keys of presets. Entries that stand as they should are left alone, wsi's others are updated where
// they stand, new ones come last. A timeout that is given stays: a user may have chosen it, and a
// harness may ask anew for trust in a hook that has another one.
func Install(file harnesses.HookFile, content []byte) (after []byte, made []string, err error) {
	h, err := open(file, content)
	if err != nil {
		return nil, nil, err
	}
	made = []string{} // nil would mean that nobody remembers
	if isBlank(content) {
		made = append(made, "")
	}
	for _, p := range file.Preset {
		was, err := h.preset(p)
		if err != nil {
			return nil, nil, err
		}
		if was {
			made = append(made, p.Key)
		}
	}
	events, err := eventsOf(h, file)
	if err != nil {
		return nil, nil, err
	}
	for _, event := range events {
		added, err := installEvent(h, file, event)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, added...)
	}
	return h.bytes(), made, nil
}

// eventsOf returns the events to look after: those wanted, then those where wsi stands unwanted.
func eventsOf(h hooks, file harnesses.HookFile) ([]string, error) {
	var events []string
	for _, e := range file.Entries {
		if !slices.Contains(events, e.Event) {
			events = append(events, e.Event)
		}
	}
	all, err := h.found()
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.Ours && !slices.Contains(events, f.Event) {
			events = append(events, f.Event)
		}
	}
	return events, nil
}

// installEvent takes one step at a time and looks again after each, because a step moves indexes.
func installEvent(h hooks, file harnesses.HookFile, event string) (made []string, err error) {
	var wants []harnesses.Entry
	for _, e := range file.Entries {
		if e.Event == event {
			wants = append(wants, e)
		}
	}
	for at := 0; ; {
		all, err := h.found()
		if err != nil {
			return nil, err
		}
		var ours []Found
		for _, f := range all {
			if f.Event == event && f.Ours {
				ours = append(ours, f)
			}
		}
		switch {
		case at == len(wants) && len(ours) == at:
			if at == 0 {
				err = h.prune("hooks." + event)
			}
			return made, err
		case at == len(wants):
			err = h.drop(ours[len(ours)-1])
		case at == len(ours):
			var added []string
			added, err = h.add(wants[at])
			made = append(made, added...)
			at++
		case shared(all, ours[at]) && ours[at].Matcher != wants[at].Matcher:
			// A group that others are in keeps its matcher; ours gets a group of its own.
			err = h.drop(ours[at])
		default:
			want := wants[at]
			if ours[at].Timeout > 0 {
				want.Timeout = ours[at].Timeout
			}
			err = h.update(ours[at], want, !shared(all, ours[at]))
			at++
		}
		if err != nil {
			return nil, err
		}
	}
}

func shared(all []Found, f Found) bool {
	n := 0
	for _, o := range all {
		if o.Event == f.Event && o.Group == f.Group {
			n++
		}
	}
	return n > 1
}

// Remove returns the content without wsi's entries, and without the containers named in made that
// are empty then. With a nil made, because nobody remembers, the containers that held wsi's entries
// alone count as made by wsi, but not the document and the presets. A document that was made and has
// nothing left in it is nil.
func Remove(file harnesses.HookFile, content []byte, made []string) ([]byte, error) {
	if isBlank(content) {
		return content, nil
	}
	h, err := open(file, content)
	if err != nil {
		return nil, err
	}
	all, err := h.found()
	if err != nil {
		return nil, err
	}
	var events []string
	for _, f := range slices.Backward(all) {
		if !f.Ours {
			continue
		}
		if err := h.drop(f); err != nil {
			return nil, err
		}
		if name := "hooks." + f.Event; !slices.Contains(events, name) {
			events = append(events, name)
		}
	}
	if made == nil && len(events) > 0 {
		made = append(events, "hooks")
	}
	if err := pruneAll(h, file, made); err != nil {
		return nil, err
	}
	if slices.Contains(made, "") && isEmpty(file.Format, h.bytes()) {
		return nil, nil
	}
	return h.bytes(), nil
}

// pruneAll takes out what was made, from the inside out. A preset goes only when nothing else is
// left, for others' hooks may need it.
func pruneAll(h hooks, file harnesses.HookFile, made []string) error {
	for _, name := range made {
		if strings.HasPrefix(name, "hooks.") {
			if err := h.prune(name); err != nil {
				return err
			}
		}
	}
	if slices.Contains(made, "hooks") {
		if err := h.prune("hooks"); err != nil {
			return err
		}
	}
	left, err := h.found()
	if err != nil || len(left) > 0 {
		return err
	}
	for _, p := range slices.Backward(file.Preset) {
		if slices.Contains(made, p.Key) {
			if err := h.prune(p.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

func open(file harnesses.HookFile, content []byte) (hooks, error) {
	switch file.Format {
	case harnesses.JSON, harnesses.JSONC:
		return openJSON(file, content)
	case harnesses.TOML:
		return openTOML(file, content)
	}
	return nil, fmt.Errorf("unknown format %q", file.Format)
}

// ours tells whether a command is one of wsi's for the harness of the file.
func ours(file harnesses.HookFile, command string) bool {
	r, ok := harnesses.ParseCommand(command)
	if !ok || len(file.Entries) == 0 {
		return false
	}
	of, ok := harnesses.ParseCommand(file.Entries[0].Command)
	return ok && of.Harness == r.Harness
}

const bom = "\ufeff"

func isBlank(content []byte) bool {
	return strings.TrimSpace(strings.TrimPrefix(string(content), bom)) == ""
}

func isEmpty(format harnesses.Format, content []byte) bool {
	if isBlank(content) {
		return true
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(content), bom))
	return format != harnesses.TOML && strings.HasPrefix(text, "{") && strings.TrimSpace(text[1:]) == "}"
}
