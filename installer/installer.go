// Package installer registers wsi with harnesses and removes it again: plan, review, apply, undo.
//
// A plan is a value; nothing is written until [Apply]. Package harnesses says which files a harness has
// and what must be in them. Package edit changes their bytes.
// It has layers, and each uses only those before it. First are the packages refusal, files, ledger (what wsi wrote),
// and inspect (what the files register), then the workspace and the plan, then Apply, Inspect and Review.
//
// The installer must not know a harness by name, or how a plan is shown.
package installer

import (
	"cmp"
	"io/fs"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/lists"
)

// Options says what to set up or to remove.
type Options struct {
	Env       setup.Env
	FS        files.FS
	StateDir  string // absolute; holds the ledger and the backups
	Harnesses []setup.Harness
	Scope     setup.Scope
	Purge     bool // remove only: what wsi stores for itself will be deleted, too

	Setup
}

// Setup says what to register; a removal does not use it.
type Setup struct {
	Program setup.Program
	Mode    setup.Mode               // "" keeps the registered mode, else takes the harness's usual one
	Modes   map[string]setup.Mode    // by harness id, instead of Mode
	Rules   string                   // the user's rule file, absolute, if an environment variable names it
	Named   func(server string) bool // reports whether any rule names the server; nil: every server has one
	Ruled   func(server string) bool // reports whether an active rule names the server; nil: none does
	Meta    func(server string) bool // reports whether rules of the server show or collect what results have in _meta; nil: none does
	Adds    bool                     // the user named servers: they come to those that a relay is in front of
	All     bool                     // the user named all servers of the scope, which are those of Own; see PlanAsking
	Keep    bool                     // the user named no server: a harness keeps its servers, else gets those of Own, else Program's
	Found   bool                     // the user named no harness, and one that is idle is left out
	Own     map[string][]string      // proposed servers by harness id
	Answers map[string]Answer        // by address, of servers that may require a login; nil: not asked, and no login is assumed
	Trust   bool                     // the user lets wsi write the harness's trust records

	lines []Note // with All: what happens to each server
}

// Answer is a server's answer to initialize without a login.
type Answer struct {
	Status int   // of HTTP; 0 without an answer
	Err    error // why not
}

// NameOf returns the name of a harness, or its id if it is not one of Harnesses.
func (o Options) NameOf(id string) string {
	h, _ := lists.Find(o.Harnesses, func(h setup.Harness) bool { return h.ID == id })
	return cmp.Or(h.Name, id)
}

// Plan is a set of changes. [Apply] writes all of it or nothing.
type Plan struct {
	Changes  []Change
	Refusals []refusal.Error // of harnesses that are not changed; the plan changes the others
	Notes    []Note
	Modes    map[string]setup.Mode // by harness id; setup only
	Unasked  []string              // addresses of servers that were not asked whether they require a login; the plan assumes not
	// Elsewhere lists what a removal leaves because it is in another scope or project.
	Elsewhere []Wired

	stateDir string
	was      ledger.Ledger // when the plan was made
	during   ledger.Ledger // while files change: correct before and after each of them
	ledger   ledger.Ledger // as it will be
	backups  map[string][]byte
	removal  bool
	looked   []string   // targets of all files that were read
	emptied  [][]string // folders of files that no longer exist, to remove if empty
}

// Change is one file to write or to delete.
type Change struct {
	Harness string   // id
	Path    string   // as the harness names the file
	Target  string   // Path with its symbolic links resolved
	Linked  bool     // Target differs from Path because of links below the home or project folder
	Before  []byte   // nil: the file does not exist
	After   []byte   // nil: it is deleted
	Folders []string // to create first, outermost first; or to remove afterwards, if empty
	Own     bool     // wsi wrote, or writes, all of it
	mode    fs.FileMode
	inPlace bool // the file is mounted, so it is written and not replaced
}

// Self takes the place of a harness id where a sentence is about wsi itself.
const Self = "wsi"

// Wired is a file in which wsi was registered, and may still be.
type Wired struct {
	Harness string // id
	Path    string
	Project string // the folder, "" in the user's own scope
}
