package installer

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"wsi/harnesses"
)

// aboutSetup says what setup cannot do about a harness, and what must be known of it. after is the
// environment as it will be.
func aboutSetup(o Options, after harnesses.Env, h harnesses.Harness, way harnesses.Mode) []Note {
	var notes []Note
	if way != harnesses.ByRelay {
		notes = append(Conflicts(o, h), Gates(after, o, h)...)
	}
	if way != harnesses.ByHooks {
		notes = append(notes, passedBy(o, after, h)...)
	}
	if scope := otherScope(o.Scope); o.Env.Cwd != o.Env.Home {
		if is := holds(o.Env, h, scope).way(); is != "" && is != way {
			notes = append(notes, Note{Harness: h.ID, Kind: Remark, Text: fmt.Sprintf(
				"%s is wired by %s in the scope %s, too, and in a project that is in both, both carry the same values. To have it one way: wsi remove --harness %s --scope %s.", h.Name, is, scope, h.ID, scope)})
		}
	}
	return append(notes, unserved(o, h)...)
}

// unserved names the servers that rules are for and that a harness has, though wsi is registered for others only.
func unserved(o Options, h harnesses.Harness) []Note {
	now := holds(o.Env, h, o.Scope)
	registered := now.servers()
	if !o.Keep || o.Ruled == nil || len(registered) == 0 {
		return nil
	}
	p, _ := h.Find(o.Env) // what it complains about, others say
	more := slices.DeleteFunc(o.ruled(p), func(name string) bool { return slices.Contains(registered, name) })
	if len(more) == 0 {
		return nil
	}
	o.Program.As = now.as()
	return []Note{{Harness: h.ID, Kind: Caveat, Text: fmt.Sprintf("Nothing of %s, which %s has and rules are for, is carried there: %s.",
		listed(more), h.Name, o.again(h, o.Scope, slices.Concat(registered, more)))}}
}

func otherScope(scope harnesses.Scope) harnesses.Scope {
	if scope == harnesses.User {
		return harnesses.Project
	}
	return harnesses.User
}

// passedBy tells of registrations of the servers that have no wsi in front of them, and that a harness
// starts as well or instead.
func passedBy(o Options, after harnesses.Env, h harnesses.Harness) (notes []Note) {
	remark := func(format string, args ...any) {
		notes = append(notes, Note{Harness: h.ID, Kind: Remark, Text: fmt.Sprintf(format, args...)})
	}
	wanted := o.program(h, holds(o.Env, h, o.Scope)).Servers
	found, err := h.Find(after)
	if err != nil {
		remark("Not all registrations of %s could be read, so that it may start servers that wsi is not in front of: %s", h.Name, oneLine(err.Error()))
	}
	for _, s := range found.Servers {
		_, _, fronted := harnesses.ParseFront(s.Command)
		reached := s.URL != "" || len(s.Command) > 0
		if reached && !fronted && !s.Disabled && slices.Contains(wanted, s.Name) {
			remark("%s is registered in %s, too, and wsi is not in front of it there: where %s takes that one, nothing is carried.", s.Name, s.File, h.Name)
		}
	}
	fronts := Fronts(after, h, o.Scope)
	notes = append(notes, sharing(after, h, fronts)...)
	notes = append(notes, aboutLogins(o, h, fronts)...)
	for _, f := range fronts {
		if _, asked := o.Answers[f.Front.URL]; f.Front.URL != "" && len(f.Front.Headers) == 0 && !asked && !onThisMachine(f.Front.URL) {
			remark("If %s (%s) wants a login that %s has done so far, leave it as it is: wsi sends the headers that are registered, and logs in nowhere.", f.Name, f.Path, h.Name)
		}
	}
	if h.Bundled == nil {
		return notes
	}
	for _, s := range h.Bundled(after) {
		if slices.Contains(wanted, s.Name) {
			remark("%s also comes with what is installed into %s (%s). It starts that one beside the registered one, now that their command lines differ, and wsi is not in front of it: switch one of them off.", s.Name, h.Name, s.File)
		}
	}
	return notes
}

func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// WayOut says how to take out what is in another scope or project.
func (w Wired) WayOut() string {
	if w.Project == "" {
		return "wsi remove"
	}
	if strings.ContainsAny(w.Project, " '\"$`\\&;()") {
		return "wsi remove --scope project, in the folder " + w.Project
	}
	return "cd " + w.Project + " && wsi remove --scope project"
}
