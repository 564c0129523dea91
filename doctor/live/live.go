// Package live runs a harness's own binary and asks the server what arrived. Only this proves that the installed
// version of the harness uses the answers of wsi's hooks.
//
// The harness runs headless in a home of its own, with a scripted model on loopback and the reference server. It needs
// no account, no network and no tokens. The package ends only processes that it started, and writes only into the
// folder that it was given.
//
// It must not know how hooks are registered: it copies what the user has registered.
package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	codexharness "wsi/harnesses/codex"
	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/inspect"
	"wsi/internal/refserver"
	"wsi/internal/stdiorpc"
)

// Rig is one harness in a home of its own.
type Rig struct {
	Home   string     // everything the harness writes is below it
	Work   string     // the folder it runs in
	Server string     // state of the reference server
	Way    setup.Mode // how wsi is wired; "" = as setup does by itself
	Model  *Model

	driver  driver
	id      string // of the harness
	version string // of the harness, "" = not known
	name    string // of the server, as registered
	binary  string
	wsi     string
	path    string // PATH of the harness
	temp    string // its temporary folder
	timeout time.Duration
	scripts Scripts // what the model says

	root    string            // of the project that Work is in
	agents  bool              // the scripts start sub-agents, so the user allows them
	user    string            // home of the user with the copied registration, "" = none
	folders map[string]string // folder of the user's project, from the root down -> its copy
	copies  map[string]string // of a user's registration: path -> path of the copy
}

// Options configures a Rig.
type Options struct {
	Harness string             // id
	Binary  string             // the harness's executable, absolute
	Version string             // of the harness, "" = the one that CI pins
	Wsi     string             // the wsi executable to register, absolute
	Name    string             // under which the server is registered, "" = workflow-server
	Path    string             // PATH of the harness
	Server  []string           // command of the reference server; "-state DIR" and Flags are appended
	Front   setup.RelayCommand // what the harness starts in front of it; no Path = nothing
	Flags   []string           // of the reference server
	Dir     string             // an empty folder, absolute
	Script  Scripts            // what the model says
}

// driver has what differs between harnesses.
type driver interface {
	// configure writes the configuration of a user: the model, the server and the approvals that wsi never gives.
	configure(r *Rig, server []string) error
	// command returns arguments and additional environment of a headless run. session is the id
	// of an earlier run to resume, "" for a new one; name distinguishes runs.
	command(r *Rig, name, session, prompt string) (args, env []string)
	// session finds the id of the session in what the run printed.
	session(name string, stdout []byte) string
	// records matches the files, below the home and with slashes, in which the harness itself records its calls and
	// their results. Hooks cannot keep a token out of them.
	records() []string
	// adopt copies to path, below the rig's folders, the part of a user's file that concerns hooks. runs reports
	// whether a command line in it may be run.
	adopt(r *Rig, path string, f inspect.Source, runs func(line string) bool) error
	// configHome is the folder of the user's configuration, below the home.
	configHome() string
}

var drivers = map[string]driver{
	claudecode.ID:   claudeCode{},
	codexharness.ID: codex{},
	opencode.ID:     openCode{},
}

// New creates a home with a configured harness and without wsi.
func New(o Options) (*Rig, error) {
	d, ok := drivers[o.Harness]
	if !ok {
		return nil, fmt.Errorf("%s cannot be run headless", o.Harness)
	}
	if o.Harness == opencode.ID && setup.Newer(o.Version, "1.999") {
		d = openCode2{}
	}
	return newRig(o, d)
}

func newRig(o Options, d driver) (*Rig, error) {
	dir, err := filepath.EvalSymlinks(o.Dir) // approvals name folders without links
	if err != nil {
		return nil, err
	}
	r := &Rig{
		Home: filepath.Join(dir, "home"), Work: filepath.Join(dir, "work"), Server: filepath.Join(dir, "server"),
		driver: d, id: o.Harness, version: o.Version, name: cmp.Or(o.Name, harnesses.DefaultServer),
		binary: o.Binary, wsi: o.Wsi, path: o.Path, temp: filepath.Join(dir, "tmp"), timeout: 90 * time.Second, scripts: o.Script,
	}
	for _, dir := range []string{r.Home, r.Work, r.Server, r.temp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if r.Model, err = startModel(o.Script, r.tool); err != nil {
		return nil, err
	}
	if d, ok := d.(openCode2); ok {
		d.speak(r, r.listed)
	}
	server := slices.Concat(o.Server, []string{"--state", r.Server}, o.Flags)
	if o.Front.Path != "" {
		o.Front.State = r.state()
		server = o.Front.Before(server)
	}
	if err := d.configure(r, server); err != nil {
		return nil, errors.Join(fmt.Errorf("configure %s: %w", o.Harness, err), r.Close())
	}
	r.root = r.Work
	return r, nil
}

func (r *Rig) state() string { return filepath.Join(r.Home, ".local", "state", "wsi") }

// tool returns the name of a server's tool as the harness's model writes it.
func (r *Rig) tool(name string) string {
	h, _ := registry.Get(r.id)
	ev, err := h.Codec.Read(h.Proof.Simulator.Before(setup.ToolCall{Session: "s", ID: "c", Server: r.name, Tool: name, Args: []byte("{}"), Cwd: r.Work, Transcript: r.Work}))
	if err != nil {
		return name // the calls will not arrive, which is reported
	}
	return ev.Name
}

// Close ends the model.
func (r *Rig) Close() error { return r.Model.server.Close() }

// Prompt runs the harness until the model has finished a script. It returns the id of the session.
func (r *Rig) Prompt(ctx context.Context, name, session string) (string, error) {
	args, env := r.driver.command(r, name, session, "Work through the script. "+marker(name))
	out, err := r.run(ctx, r.binary, args, env)
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, tail(out))
	}
	if id := r.driver.session(name, out); id != "" {
		return id, nil
	}
	return "", fmt.Errorf("%s: the harness names no session\n%s", name, tail(out))
}

// Calls returns what the server received, in its order.
func (r *Rig) Calls() ([]refserver.Call, error) { return refserver.ReadLedger(r.Server) }

// Leaks returns how many requests to the model contained one of the server's tokens.
func (r *Rig) Leaks() (int, error) {
	issued, err := refserver.ReadIssued(r.Server)
	if err != nil {
		return 0, err
	}
	return r.Model.occurrences(issued), nil
}

// Kept returns the files below the home that contain one of the server's tokens and should not. It excludes the vault
// and, with hooks, the harness's own records. With a relay, the harness has no token to record.
func (r *Rig) Kept() ([]string, error) {
	issued, err := refserver.ReadIssued(r.Server)
	if err != nil {
		return nil, err
	}
	may := []string{".local/state/wsi/vault/", ".claude/workflow-server-tokens/current.token"}
	if r.Way != setup.ByRelay {
		may = append(may, r.driver.records()...)
	}
	var found []string
	err = filepath.WalkDir(r.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(r.Home, path)
		if err != nil || slices.ContainsFunc(may, func(p string) bool { return strings.HasPrefix(filepath.ToSlash(name), p) }) {
			return err
		}
		content, err := os.ReadFile(path)
		if slices.ContainsFunc(issued, func(token string) bool { return bytes.Contains(content, signature(token)) }) {
			found = append(found, name)
		}
		return err
	})
	return found, err
}

// signature returns the end of a token. It identifies the token, also a truncated one.
func signature(token string) []byte { return []byte(token[strings.LastIndexByte(token, '.')+1:]) }

func tail(out []byte) string {
	const most = 4000
	if len(out) > most {
		out = out[len(out)-most:]
	}
	return string(out)
}

// run runs a program in the rig's home, and ends it after a timeout.
func (r *Rig) run(ctx context.Context, program string, args, env []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	return stdiorpc.Run(ctx, stdiorpc.Program{Path: program, Args: args, Dir: r.Work, Env: append(r.environ(), env...), Joined: true})
}

// environ returns a minimal environment, without the caller's configuration.
func (r *Rig) environ() []string {
	return []string{
		"HOME=" + r.Home, "PATH=" + r.path, "TERM=dumb", "LANG=C.UTF-8", "USER=wsi", "SHELL=/bin/sh", "CI=1",
		"XDG_CONFIG_HOME=" + filepath.Join(r.Home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(r.Home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(r.Home, ".local", "state"),
		"XDG_CACHE_HOME=" + filepath.Join(r.Home, ".cache"),
		"TMPDIR=" + r.temp,
		"HTTP_PROXY=" + r.Model.URL, "HTTPS_PROXY=" + r.Model.URL, "NO_PROXY=127.0.0.1,localhost",
		"http_proxy=" + r.Model.URL, "https_proxy=" + r.Model.URL, "no_proxy=127.0.0.1,localhost",
	}
}

func (r *Rig) write(name, content string) error {
	return r.put(filepath.Join(r.Home, filepath.FromSlash(name)), []byte(content))
}
