package vault

import (
	"strconv"

	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// decode decodes what encode wrote, or encoding/json in an older wsi. It ignores unknown members and treats
// null as missing. Its errors quote nothing of the file.
func decode(raw []byte) (carry.State, error) {
	r := new(reader)
	m, err := rawjson.Object(raw)
	if err != nil || !intact(raw, m) {
		return carry.State{}, errCorrupt
	}
	switch v := r.number(m.Get("version")); {
	case r.failed || v < 1:
		return carry.State{}, errCorrupt
	case v > version: // the rest may have another form
		return carry.State{}, ErrNewer
	}
	s := carry.State{
		Chains:  elements(r, m.Get("chains"), r.chain),
		Uses:    elements(r, m.Get("uses"), r.use),
		Notes:   elements(r, m.Get("notes"), r.note),
		Foreign: elements(r, m.Get("foreign"), r.text),
		Next:    int(r.number(m.Get("next"))),
		Clock:   int(r.number(m.Get("clock"))),
	}
	if r.failed {
		return carry.State{}, errCorrupt
	}
	return s, nil
}

func (r *reader) chain(raw []byte) carry.Chain {
	m := r.object(raw)
	return carry.Chain{
		ID:          int(r.number(m.Get("id"))),
		Server:      r.text(m.Get("server")),
		Key:         r.text(m.Get("key")),
		Value:       r.text(m.Get("value")),
		Older:       elements(r, m.Get("older"), r.text),
		Seen:        elements(r, m.Get("seen"), r.text),
		Branches:    elements(r, m.Get("branches"), r.text),
		Equivalents: elements(r, m.Get("peers"), r.text),
		Since:       elements(r, m.Get("since"), r.text),
		Shown:       elements(r, m.Get("shown"), r.shown),
		By:          r.text(m.Get("by")),
		Aside:       r.text(m.Get("aside")),
	}
}

func (r *reader) shown(raw []byte) carry.Shown {
	m := r.object(raw)
	return carry.Shown{Argument: carry.Path(r.text(m.Get("argument"))), Digest: r.text(m.Get("digest"))}
}

func (r *reader) use(raw []byte) carry.Use {
	m := r.object(raw)
	return carry.Use{
		Server: r.text(m.Get("server")),
		Agent:  r.text(m.Get("agent")),
		Chain:  int(r.number(m.Get("chain"))),
		Side:   int(r.number(m.Get("side"))),
		Back:   r.flag(m.Get("back")),
		Joined: r.flag(m.Get("joined")),
		Unsure: r.flag(m.Get("unsure")),
		Lost:   r.flag(m.Get("lost")),
		At:     int(r.number(m.Get("at"))),
	}
}

func (r *reader) note(raw []byte) carry.Note {
	m := r.object(raw)
	return carry.Note{
		Server:   r.text(m.Get("server")),
		Agent:    r.text(m.Get("agent")),
		ID:       r.text(m.Get("id")),
		At:       int(r.number(m.Get("at"))),
		Opens:    r.flag(m.Get("opens")),
		Child:    r.flag(m.Get("child")),
		Keeps:    r.flag(m.Get("keeps")),
		Changes:  r.flag(m.Get("changes")),
		Asked:    r.text(m.Get("asked")),
		Handle:   r.flag(m.Get("handle")),
		Whole:    r.flag(m.Get("whole")),
		Back:     r.flag(m.Get("back")),
		Aside:    int(r.number(m.Get("aside"))),
		Answered: r.flag(m.Get("answered")),
		Failed:   r.flag(m.Get("failed")),
		Tries:    int(r.number(m.Get("tries"))),
		Files:    elements(r, m.Get("files"), r.text),
		From:     elements(r, m.Get("from"), r.number),
	}
}

// reader converts raw JSON values to Go values. It sets failed if one has the wrong type.
type reader struct{ failed bool }

// none reports whether a value is absent.
func none(raw []byte) bool { return raw == nil || string(raw) == "null" }

func (r *reader) object(raw []byte) rawjson.Members {
	if none(raw) {
		return nil
	}
	m, err := rawjson.ObjectIn(raw)
	r.failed = r.failed || err != nil
	return m
}

func elements[T any](r *reader, raw []byte, element func([]byte) T) []T {
	if none(raw) {
		return nil
	}
	raws, err := rawjson.ArrayIn(raw)
	r.failed = r.failed || err != nil
	all := make([]T, len(raws))
	for i := range raws {
		all[i] = element(raws[i])
	}
	return all
}

func (r *reader) text(raw []byte) string {
	if none(raw) {
		return ""
	}
	s, ok := rawjson.Unquote(raw)
	r.failed = r.failed || !ok
	return s
}

func (r *reader) number(raw []byte) int64 {
	if none(raw) {
		return 0
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	r.failed = r.failed || err != nil
	return n
}

func (r *reader) flag(raw []byte) bool {
	set := string(raw) == "true"
	r.failed = r.failed || !set && !none(raw) && string(raw) != "false"
	return set
}
