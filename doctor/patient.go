package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"wsi/harnesses"
	"wsi/installer/edit"
)

// patient is one harness under examination.
type patient struct {
	Options
	ctx      context.Context
	harness  harnesses.Harness
	box      sandbox
	presence harnesses.Presence
	findErr  error
	files    []file
	hooks    []hook // wsi's, over all files
	others   []hook // everybody else's
	server   string // the one examined
	found    map[string]Status
}

// file is one that is there and that the harness takes hooks from.
type file struct {
	path    string
	scope   harnesses.Scope
	hooks   harnesses.HookFile  // of hook files
	whole   harnesses.WholeFile // of files that are wsi's alone
	content []byte
	err     error // it could not be read or understood
}

// hook is one registered hook.
type hook struct {
	edit.Found
	said harnesses.Registered // what its command line says, if it is wsi's
	file *file
}

func newPatient(ctx context.Context, o Options, h harnesses.Harness, box sandbox) *patient {
	p := &patient{Options: o, ctx: ctx, harness: h, box: box, found: map[string]Status{}}
	p.presence, p.findErr = h.Find(o.Env)
	p.readFiles()
	for i := range p.files {
		p.readHooks(&p.files[i])
	}
	p.server = o.Server
	if p.server == "" {
		p.server = harnesses.DefaultServer
		if len(p.hooks) > 0 && !slices.Contains(p.hooks[0].said.Servers, p.server) {
			p.server = p.hooks[0].said.Servers[0]
		}
	}
	return p
}

// readFiles reads what the harness reads. One that is read in two scopes counts once.
func (p *patient) readFiles() {
	for _, scope := range p.Scopes {
		if p.harness.Reads != nil {
			for _, hf := range p.harness.Reads(p.Env, scope) {
				p.readFile(file{path: hf.Path, scope: scope, hooks: hf})
			}
		}
		wiring, err := p.harness.Wiring(p.Env, scope, p.program())
		if err != nil {
			continue // its file is among those read, and says so itself
		}
		for _, wf := range wiring.Wholes {
			p.readFile(file{path: wf.Path, scope: scope, whole: wf})
		}
	}
}

func (p *patient) readFile(f file) {
	if slices.ContainsFunc(p.files, func(o file) bool { return p.resolve(o.path) == p.resolve(f.path) }) {
		return
	}
	f.content, f.err = p.Env.ReadFile(f.path)
	if errors.Is(f.err, fs.ErrNotExist) {
		return
	}
	p.files = append(p.files, f)
}

func (p *patient) resolve(path string) string {
	if p.Env.Resolve != nil {
		if real, err := p.Env.Resolve(path); err == nil {
			return real
		}
	}
	return path
}

func (p *patient) readHooks(f *file) {
	if f.err != nil {
		return
	}
	var found []edit.Found
	switch {
	case f.whole.Path == "":
		found, f.err = edit.Entries(f.hooks, f.content)
	case f.whole.Commands != nil:
		for _, line := range f.whole.Commands(f.content) {
			found = append(found, edit.Found{Command: line})
		}
	}
	for _, one := range found {
		h := hook{Found: one, file: f}
		var ok bool
		if h.said, ok = harnesses.ParseCommand(one.Command); ok && h.said.Harness == p.harness.ID {
			p.hooks = append(p.hooks, h)
		} else {
			p.others = append(p.others, h)
		}
	}
}

// program stands for the registered one where only the form of the wiring matters.
func (p *patient) program() harnesses.Program {
	path := "/wsi"
	if p.Env.GOOS == "windows" {
		path = "C:/wsi.exe"
	}
	server := p.server
	if server == "" {
		server = harnesses.DefaultServer
	}
	return harnesses.Program{Path: path, Servers: []string{server}}
}

// wanted are the hooks that must be registered. Those of a plugin file of wsi's have no event.
func (p *patient) wanted() []harnesses.Entry {
	wiring, err := p.harness.Wiring(p.Env, harnesses.User, p.program())
	if err != nil {
		return nil
	}
	var all []harnesses.Entry
	for _, hf := range wiring.Hooks {
		all = append(all, hf.Entries...)
	}
	for _, wf := range wiring.Wholes {
		for _, line := range wf.Commands(wf.Content) {
			all = append(all, harnesses.Entry{Command: line})
		}
	}
	return all
}

// serves tells whether a hook is registered for the examined server.
func (p *patient) serves(h hook) bool { return slices.Contains(h.said.Servers, p.server) }

// runFor returns the commands of wsi's that the harness runs for an event, each once.
func (p *patient) runFor(event []byte, verb string) []string {
	var lines []string
	for _, h := range p.hooks {
		if h.said.Verb == verb && p.heeds(h, event) && !slices.Contains(lines, h.Command) {
			lines = append(lines, h.Command)
		}
	}
	return lines
}

// heeds tells whether the harness runs a hook for an event. Every harness with hook files names the
// event in hook_event_name.
func (p *patient) heeds(h hook, event []byte) bool {
	if h.file.whole.Path != "" {
		return true
	}
	var named struct {
		Event string `json:"hook_event_name"`
	}
	if json.Unmarshal(event, &named) != nil || named.Event != h.Event {
		return false
	}
	ev, err := p.harness.Dialect.Read(event)
	return err == nil && (p.harness.Matches == nil || p.harness.Matches(h.Matcher, ev))
}

// mentions tells whether wsi's hooks for the harness stand in a file that may not be readable as one.
func (p *patient) mentions(f file) bool {
	return bytes.Contains(f.content, []byte("--harness "+p.harness.ID))
}
