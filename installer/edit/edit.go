// Package edit adds wsi's entries to harness files and removes them again. All other bytes stay: comments,
// order, indentation, newline style and the entries of other programs.
//
// Its functions are pure. It must not know where files are, how they are written or what a ledger is. It refuses what it
// cannot change safely. After every change it parses the result and compares it with the intended one.
package edit

import (
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// Entries returns the hooks of a file that setup can change, in the order of events and indexes, without their lines. A hook is ours
// if wsi may have written its command for the harness of file, or of its first entry.
func Entries(file setup.HookFile, content []byte) ([]setup.Hook, error) {
	_, all, err := open(file, content)
	return all, err
}

// bounded refuses a file that registers wsi for so many servers that it would take minutes: it is parsed again after each
// change. Setup writes about a dozen hooks, and one relay for each server.
func bounded(ours int, content []byte) error {
	const few, most = 64, 16 << 20
	if ours > few && ours*len(content) > most {
		return fmt.Errorf("it registers wsi %d times, too often for a file of its size: remove some of these entries yourself", ours)
	}
	return nil
}

// Install returns the content with exactly the entries of file, and the names of the containers that it
// created for them: "" for the document, "hooks", "hooks.<Event>", and the keys of presets. It keeps correct
// entries, updates wsi's others in place and appends new ones. It keeps an existing timeout: the user may
// have chosen it, and a harness may ask again for trust in a hook with another one.
func Install(file setup.HookFile, content []byte) (after []byte, made []string, err error) {
	h, all, err := open(file, content)
	if err != nil {
		return nil, nil, err
	}
	made = []string{} // nil would mean unknown
	if isBlank(content) {
		made = append(made, "")
	}
	for _, p := range file.Preset {
		if _, ok := h.find(p.Key); !ok {
			h.put(nil, p.Key, verbatim(p.Value))
			made = append(made, p.Key)
		}
	}
	var events []string // of the wanted entries, then others that have entries of wsi
	for _, e := range file.Entries {
		events = lists.AddUnique(events, e.Event)
	}
	for _, f := range all {
		if f.Ours {
			events = lists.AddUnique(events, f.Event)
		}
	}
	for _, event := range events {
		made = append(made, installEvent(h, file, event)...)
	}
	after, err = h.result()
	return after, made, err
}

// installEvent makes one change at a time and lists the entries again after each, because a change moves indexes.
func installEvent(h hookFile, file setup.HookFile, event string) (made []string) {
	wants := lists.Filter(file.Entries, func(e setup.Entry) bool { return e.Event == event })
	for at := 0; h.err == nil; {
		all := h.found()
		ours := lists.Filter(all, func(f setup.Hook) bool { return f.Event == event && f.Ours })
		switch {
		case at == len(wants) && len(ours) == at:
			if at == 0 {
				h.prune("hooks." + event)
			}
			return made
		case at == len(wants):
			h.drop(ours[len(ours)-1])
		case at == len(ours):
			made = append(made, h.add(wants[at])...)
			at++
		case shared(all, ours[at]) && ours[at].Matcher != wants[at].Matcher:
			// A group with other programs' hooks keeps its matcher; wsi's hook gets its own group.
			h.drop(ours[at])
		default:
			want := wants[at]
			if ours[at].Timeout > 0 {
				want.Timeout = ours[at].Timeout
			}
			h.update(ours[at], want, !shared(all, ours[at]))
			at++
		}
	}
	return made
}

func shared(all []setup.Hook, f setup.Hook) bool {
	return len(lists.Filter(all, func(o setup.Hook) bool { return o.Event == f.Event && o.Group == f.Group })) > 1
}

// Remove returns the content without wsi's entries, and without the containers in made that are empty then.
// A nil made means unknown: containers with only wsi's entries then count as made by wsi, but not the
// document and the presets. The result is nil if the document itself was made and is empty.
func Remove(file setup.HookFile, content []byte, made []string) ([]byte, error) {
	if isBlank(content) {
		return content, nil
	}
	h, all, err := open(file, content)
	if err != nil {
		return nil, err
	}
	var events []string
	for _, f := range slices.Backward(all) {
		if !f.Ours {
			continue
		}
		h.drop(f)
		events = lists.AddUnique(events, "hooks."+f.Event)
	}
	if made == nil && len(events) > 0 {
		made = append(events, "hooks")
	}
	pruneAll(h, file, made)
	if h.err == nil && slices.Contains(made, "") && isEmpty(file.Format, h.bytes()) {
		return nil, nil
	}
	return h.result()
}

// pruneAll removes the containers that were made, innermost first. It keeps a preset while anything else is
// left, because other hooks may need it.
func pruneAll(h hookFile, file setup.HookFile, made []string) {
	for _, name := range made {
		if strings.HasPrefix(name, "hooks.") {
			h.prune(name)
		}
	}
	if slices.Contains(made, "hooks") {
		h.prune("hooks")
	}
	if len(h.found()) > 0 {
		return
	}
	for _, p := range slices.Backward(file.Preset) {
		if slices.Contains(made, p.Key) {
			h.prune(p.Key)
		}
	}
}

const bom = "\ufeff"

func isBlank(content []byte) bool {
	return strings.TrimSpace(strings.TrimPrefix(string(content), bom)) == ""
}

func isEmpty(format setup.Format, content []byte) bool {
	text := strings.TrimSpace(strings.TrimPrefix(string(content), bom))
	return text == "" || format != setup.TOML && strings.HasPrefix(text, "{") && strings.TrimSpace(text[1:]) == "}"
}
