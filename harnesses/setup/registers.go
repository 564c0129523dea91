package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
	"wsi/harnesses/clients"
	"wsi/internal/lists"
)

// Registered returns the servers in those files that exist. A file that cannot be read or parsed is a [ConfigError]; the
// servers of the other files are returned as well.
func (e Env) Registered(files []ServerFile) (all []Server, err error) {
	for _, file := range files {
		content, failed := e.ReadIfThere(file.Path)
		if len(content) > 0 && failed == nil {
			var found []Server
			found, failed = file.servers(content)
			all = append(all, found...)
		}
		err = errors.Join(err, failed)
	}
	return all, err
}

func (f ServerFile) servers(content []byte) (all []Server, err error) {
	plain := jsonc.ToJSON(content)
	for _, keys := range f.Tables {
		raw := json.RawMessage(plain)
		for _, key := range keys {
			var table map[string]json.RawMessage
			if err := json.Unmarshal(raw, &table); err != nil {
				return all, ConfigError{Path: f.Path, Err: ExplainJSON(plain, err)}
			}
			if raw = table[key]; raw == nil {
				break
			}
		}
		found, invalid := MCPServers(f.Path, raw, f.Form)
		err = errors.Join(err, invalid)
		all = append(all, found...)
	}
	return all, err
}

// ByOS returns the value for the platform: windows, darwin, or linux for every other one.
func (e Env) ByOS(linux, darwin, windows string) string {
	switch e.GOOS {
	case "darwin":
		return darwin
	case "windows":
		return windows
	}
	return linux
}

// AppConfig returns the folder in which desktop programs keep their settings.
func (e Env) AppConfig() string {
	return e.ByOS(
		cmp.Or(e.XDG("XDG_CONFIG_HOME"), filepath.Join(e.Home, ".config")),
		filepath.Join(e.Home, "Library", "Application Support"),
		cmp.Or(e.Getenv("APPDATA"), filepath.Join(e.Home, "AppData", "Roaming")),
	)
}

// XDG returns the folder that a variable of the XDG convention names. The convention says to ignore a relative one.
func (e Env) XDG(variable string) string {
	dir := e.Getenv(variable)
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// MCPServers parses the "mcpServers" object that several harnesses share. It maps a name to a command and arguments, or to a URL.
// The zero form is the usual one. raw may be nil: no servers. An invalid entry is returned as far as it was parsed, and the error
// names it.
func MCPServers(file string, raw []byte, form Form) (servers []Server, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("mcpServers in %s: %w", file, ExplainJSON(nil, err))
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var e struct {
			Command  json.RawMessage `json:"command"`
			Args     []string        `json:"args"`
			URL      string          `json:"url"`
			Disabled bool            `json:"disabled"`
			Enabled  *bool           `json:"enabled"`
		}
		var program string
		var words []string
		into := any(&program)
		if form.Joined {
			into = &words
		}
		invalid := json.Unmarshal(entries[name], &e)
		if e.Command != nil {
			invalid = errors.Join(invalid, json.Unmarshal(e.Command, into))
		}
		if invalid != nil {
			err = errors.Join(err, fmt.Errorf("mcpServers in %s: server %q: %w", file, name, ExplainJSON(nil, invalid)))
		}
		if program != "" {
			words = append([]string{program}, e.Args...)
		}
		var more map[string]any
		_ = json.Unmarshal(entries[name], &more) // the same error
		address, _ := more[form.URL].(string)
		s := Server{Name: name, File: file, URL: cmp.Or(address, e.URL), Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled}
		if len(words) > 0 {
			s.Command = words
			s.Dir, _ = more["cwd"].(string)
			s.Env = Variables(more[cmp.Or(form.Env, "env")])
		}
		servers = append(servers, s)
	}
	return servers, err
}

// Variables returns the environment variables of a server's registration, nil if it has none. Other values become strings.
func Variables(decoded any) map[string]string {
	table, _ := decoded.(map[string]any)
	if len(table) == 0 {
		return nil
	}
	all := make(map[string]string, len(table))
	for name, value := range table {
		all[name] = fmt.Sprint(value)
	}
	return all
}

// ReadIfThere returns a configuration file without its byte order mark, nil and no error if the file does not
// exist. Other errors are a [ConfigError].
func (e Env) ReadIfThere(path string) ([]byte, error) {
	content, err := e.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, ConfigError{Path: path, Err: failed.Err}
	}
	return bytes.TrimPrefix(content, []byte("\ufeff")), err
}

// Names returns the names in a folder, sorted; none if it cannot be listed.
func (e Env) Names(dir string) []string {
	if e.ReadDir == nil {
		return nil
	}
	names, _ := e.ReadDir(dir)
	return names
}

// Folder returns the folder of a scope's configuration: that of the user, or one below the project's folder.
func (e Env) Folder(scope Scope, users, below string) string {
	if scope == Project {
		return filepath.Join(e.Cwd, below)
	}
	return users
}

// IsDir reports whether there is a folder at a path.
func (e Env) IsDir(path string) bool {
	isDir, err := e.Stat(path)
	return err == nil && isDir
}

// Exists reports whether there is a file or a folder at a path.
func (e Env) Exists(path string) bool {
	_, err := e.Stat(path)
	return err == nil
}

// FolderFrom returns the folder that an environment variable names, as a program finds it that uses the value as it is. An empty
// value and a relative path lead to another folder in each folder in which the program is started: then adrift says so.
func (e Env) FolderFrom(variable string) (dir string, set bool, adrift Reason) {
	dir = e.Getenv(variable)
	switch {
	case filepath.IsAbs(dir):
		return filepath.Clean(dir), true, adrift
	case dir != "":
		adrift.Why = variable + " is the relative path " + strconv.Quote(dir) + ": which folder that is depends on where the program starts"
	case variable == "" || e.Environ == nil || !slices.Contains(e.Environ(), variable+"="):
		return "", false, adrift
	default:
		adrift.Why = variable + " is set, but empty"
	}
	adrift.Fix = "unset " + variable + ", or set it to an absolute path"
	return filepath.Join(e.Cwd, dir), true, adrift
}

// Locate returns what is found in the same way for every harness: the binary of that name on the PATH, and the
// configuration folder, which is dir unless the variable moves it to itself or to a folder below. Most harnesses ignore an empty
// variable.
func (e Env) Locate(binary, variable, dir string, below ...string) Presence {
	p := Presence{ConfigHome: dir}
	if moved, set, adrift := e.FolderFrom(variable); set && e.Getenv(variable) != "" {
		p.ConfigHome, p.MovedBy, p.Adrift = filepath.Join(append([]string{moved}, below...)...), variable, adrift
	}
	if path, err := e.LookPath(binary); binary != "" && err == nil {
		p.Binary = path
	}
	p.Found = p.Binary != "" || e.IsDir(p.ConfigHome)
	return p
}

// Plain is a harness of which wsi knows where its servers are registered, and how to put a relay in front of
// them. A caller that knows more adds it to what [Plain.Harness] returns.
type Plain struct {
	ID, Name string
	Binary   string           // name of its program, "" = none is on the PATH
	Dir      func(Env) string // the folder of its user's configuration, absolute
	MovedBy  string           // the variable that moves this folder, "" = none is known
	Below    string           // where the folder is below the one that the variable names, "" = it is that one
	Tilde    bool             // ~/ at the beginning of the variable is the home folder
	// At returns the user's only file with servers if a variable moves it out of the folder, else "". Nil: none does.
	At    func(Env) (path string, adrift Reason)
	Why   string // why it is wired by a relay: a clause
	Share string // as in Texts

	Afterwards, Caveats, Measured []string // as in Harness

	// Agreed reports whether its user lets it run what a project's files name. Nil: never.
	Agreed func(Env) bool

	// Hooks returns the hook files, which wsi only lists. Nil: there are none.
	Hooks func(Env) []HookFile

	// User and Project are files with servers, as slash-separated paths below Dir and below the project's folder.
	User, Project []string
	Format        Format
	Table         string
	Form          Form

	// More returns files of another form, for a harness that reads those of its predecessor. Nil: there are none.
	More func(Env, Scope) []ServerFile
}

// Harness returns a harness that is wired only by a relay.
func (p Plain) Harness() Harness {
	return Harness{
		ID: p.ID, Name: p.Name, Dialect: harnesses.Dialect{Capabilities: clients.Capabilities(p.ID)}, Measured: p.Measured, Texts: Texts{Afterwards: p.Afterwards, Caveats: p.Caveats, Share: p.Share},
		Choices: []Choice{{Mode: ByRelay, Why: p.Why}},
		Find:    p.find, Registers: p.registers, Files: HookFiles{Plugins: p.Hooks},
		Wiring: func(env Env, _ Scope, p Program) (Wiring, error) { return Wiring{}, p.Check(env.GOOS) },
	}
}

// Locate returns the program and the folder of its user's configuration.
func (p Plain) Locate(env Env) Presence {
	if get := env.Getenv; p.Tilde {
		env.Getenv = func(name string) string {
			value := get(name)
			if rest, ok := strings.CutPrefix(value, "~/"); ok && name == p.MovedBy {
				return filepath.Join(env.Home, rest)
			}
			return value
		}
	}
	return env.Locate(p.Binary, p.MovedBy, p.Dir(env), p.Below)
}

func (p Plain) find(env Env) (Presence, error) {
	found, agreed := p.Locate(env), p.Agreed != nil && p.Agreed(env)
	users, err := env.Registered(p.registers(env, User))
	projects, err2 := env.Registered(p.registers(env, Project))
	for i := range projects {
		projects[i].Scope, projects[i].Agreed = Project, agreed
	}
	found.Servers = append(users, projects...)
	found.Found = found.Found || len(found.Servers) > 0
	if path, adrift := p.moved(env); path != "" {
		found.Adrift = adrift
	}
	return found, errors.Join(err, err2)
}

func (p Plain) moved(env Env) (path string, adrift Reason) {
	if p.At != nil {
		path, adrift = p.At(env)
	}
	return path, adrift
}

// Reads returns the first file with servers as a file with hooks, for a harness that has both in one.
func (p Plain) Reads(env Env, scope Scope) []HookFile {
	return []HookFile{{Path: p.registers(env, scope)[0].Path, Format: p.Format, Shape: Grouped}}
}

func (p Plain) registers(env Env, scope Scope) []ServerFile {
	dir, paths := env.Cwd, p.Project
	if scope == User {
		dir, paths = p.Locate(env).ConfigHome, p.User
	}
	all := lists.Map(paths, func(path string) ServerFile {
		return ServerFile{Path: filepath.Join(dir, filepath.FromSlash(path)), Format: p.Format, Tables: [][]string{{p.Table}}, Form: p.Form}
	})
	if path, _ := p.moved(env); path != "" && scope == User {
		all[0].Path = path
	}
	if p.More != nil {
		all = append(all, p.More(env, scope)...)
	}
	return all
}
