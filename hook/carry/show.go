package carry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"wsi/internal/jsonraw"
)

// Said is a member of a result's _meta that the model has read.
type Said struct {
	Server string `json:"server"`
	Agent  string `json:"agent,omitempty"`
	About  string `json:"about,omitempty"` // digest of what names the chain of the call
	Member string `json:"member"`
	Digest string `json:"digest"`          // of its text
	Again  int    `json:"again,omitempty"` // how many results had a text of the member since
}

const (
	maxSaid = 64
	// maxShown is how many bytes of a member the model reads; a longer one is cut.
	maxShown = 2000
	// sayAgain is how many results later the same text is shown again. By then a harness may have replaced the
	// conversation by a summary, of which only some tell their hooks, and none tells a relay.
	sayAgain = 50
	// worthwhile is how many bytes of a member are worth showing.
	worthwhile = 200
)

// ReadsMeta reports whether the rule reads a result's _meta for more than a value that it carries.
func (r *Rule) ReadsMeta() bool { return len(r.Show)+len(r.Collect.From) > 0 }

// Tell returns what the model gets to read of a result's _meta: a line for each member, "" for nothing. A text that
// the agent has read of the same chain is not repeated, until a result does not have it. The state records what was said. withheld
// reports whether there is no room for a member.
func Tell(rule *Rule, state *State, call Call, result Result) (text string, withheld bool) {
	if len(rule.Show) == 0 {
		return "", false
	}
	v := newView(result)
	about := sync.OnceValue(func() string { return rule.about(v, call) }) // which may search a long text
	for _, from := range rule.Show {
		member := v.member(from)
		if member == nil {
			continue
		}
		hides := !isNotable(member) || v.repeats(from.Path.name())
		if hides && len(state.Said) == 0 {
			continue
		}
		said := Said{Server: rule.Server, Agent: call.Agent, About: about(), Member: string(from.Path)}
		if hides {
			state.Said = slices.DeleteFunc(state.Said, said.sameMember)
			continue
		}
		line := said.Member + ": " + legible(member, maxShown) + "\n"
		if room := result.Room - len(text); result.Room != 0 && len(line) > room {
			if room < worthwhile {
				withheld = true
				continue
			}
			line = said.Member + ": " + legible(member, room-worthwhile/2) + "\n"
		}
		said.Digest = digest(line)
		if state.say(said) {
			text += line
		}
	}
	return text, withheld
}

// about returns a digest of what names the chain of a call. If the call has no value, the result's counts: Claude Code
// shows the calls of a batch as the model wrote them, without what was put into them (2.1.330).
func (r *Rule) about(v *view, call Call) string {
	value, _ := r.carriedIn(call.Args)
	if value == "" {
		found, _ := find(r, v.Result, func(foundValue) bool { return true })
		for _, f := range found {
			value = f.value
		}
	}
	return digest(cmp.Or(v.name(r.Capture.Key, value), value))
}

// member returns the raw value at a source, nil if there is none.
func (v *view) member(from Source) (raw []byte) {
	for object := range v.objects(from) {
		if raw = from.Path.in(object); raw != nil {
			break
		}
	}
	return raw
}

// read is how many bytes of a text a model is sure to read: Codex shows 12 kB of a result, Claude Code and OpenCode 50
// kB (0.169.0, 2.1.330, 1.18.33), and a rule's member must not be lost with the rest.
const read = 8000

// repeats reports whether a text of the result has a member of this name, or a line that begins with it, where the
// model is sure to read it.
func (v *view) repeats(name string) bool {
	for i := range v.Blocks {
		text, ok := v.text(i, name)
		if text = text[:min(len(text), read)]; ok && (strings.Contains(text, strconv.Quote(name)+":") || strings.HasPrefix(text, name+":") || strings.Contains(text, "\n"+name+":")) {
			return true
		}
	}
	return false
}

// isNotable reports whether a member says more than that all is well. It does not if it is empty, or if it is an
// object with a good status and without other content than empty lists.
func isNotable(raw []byte) bool {
	switch string(raw) {
	case "null", "false", `""`, "":
		return false
	}
	if elements, err := jsonraw.Array(raw); err == nil {
		return len(elements) > 0
	}
	members, err := jsonraw.Object(raw)
	if err != nil {
		return true
	}
	switch members.String("status") {
	case "valid", "ok", "success":
		return slices.ContainsFunc(members, func(m jsonraw.Member) bool { return !m.Is("status") && isNotable(m.Value) })
	}
	return len(members) > 0
}

// say records what an agent reads, and reports whether that is new. Texts of one member may come in turn.
func (s *State) say(now Said) (isNew bool) {
	isNew = true
	for i := range s.Said {
		if was := &s.Said[i]; was.sameMember(now) {
			was.Again++
			isNew = isNew && (was.Digest != now.Digest || was.Again > sayAgain)
		}
	}
	if isNew {
		s.Said = slices.DeleteFunc(s.Said, func(was Said) bool { return was.sameMember(now) && was.Digest == now.Digest })
		s.Said = newest(append(s.Said, now), maxSaid)
	}
	return isNew
}

func (s Said) sameMember(o Said) bool {
	return s.Server == o.Server && s.Agent == o.Agent && s.About == o.About && s.Member == o.Member
}

// legible returns raw JSON as one line of printable characters, without markup: some harnesses show it to the model in a higher role
// than a server's result (SECURITY.md). A line that is longer than most bytes is cut.
func legible(raw []byte, most int) string {
	var line bytes.Buffer
	if json.Compact(&line, raw[:min(len(raw), 8*most)]) != nil { // what is cut off there is never shown
		line.Reset()
		line.Write(raw[:min(len(raw), 8*most)])
	}
	text := line.Bytes()
	var out strings.Builder
	for len(text) > 0 && out.Len() < most {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out.WriteString(`\ufffd`)
		case r != '<' && r != '>' && (r == ' ' || unicode.IsPrint(r)):
			out.Write(text[:n])
		case r <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, r)
		default: // as JSON writes it
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
		text = text[n:]
	}
	if len(text) > 0 || len(raw) > 8*most {
		fmt.Fprintf(&out, " ... (cut by wsi: the server wrote %d bytes)", len(raw))
	}
	return out.String()
}
