// Package installer wires harnesses to wsi and takes the wiring out again: plan, look at the
// difference, apply, undo.
//
// A plan is a value; nothing is written until Apply. What the files of a harness are and what must
// stand in them, the harness tells (package harnesses); how bytes are changed, package edit knows.
// It must not know a harness by name, nor what a person is shown.
package installer

import (
	"errors"
	"fmt"
	"io/fs"

	"wsi/harnesses"
)

// Options says what is to be wired, or taken out.
type Options struct {
	Env       harnesses.Env
	FS        FS
	StateDir  string // absolute; ledger and backups are there
	Rules     string // setup only: the user's rule file, absolute, if only a variable tells where it is
	Harnesses []harnesses.Harness
	Scope     harnesses.Scope
	Program   harnesses.Program         // setup only
	Mode      harnesses.Mode            // setup only: "" leaves it as it is, or is what is usual with the harness
	Modes     map[string]harnesses.Mode // setup only: of single harnesses, by their ids, instead of Way
	NoRelay   bool                      // setup only: the program is a wsi too old to stand in front of a server
	Named     func(server string) bool  // setup only: reports whether a rule names the server; nil if one names every server
	Ruled     func(server string) bool  // setup only: reports whether a rule that is in force names the server; nil: none does
	RuledFor  []string                  // setup only: the names of servers in rules that are in force
	Keep      bool                      // setup only: no server was asked for: a harness keeps its servers, else gets those of Own, else Program's
	Own       map[string][]string       // setup only: what is proposed for single harnesses, by their ids
	Answers   map[string]Answer         // setup only: of the servers that may want a login, by address; nil: none was asked, and none is taken to want one
	Trust     bool                      // setup only: the user agreed that wsi writes the harness's trust records
	Install   *Install                  // setup only: nil if wsi stays where it is
	Replace   bool                      // setup only: files of wsi's own that were edited may be replaced; they are kept among the backups
	Purge     bool                      // removal only: also delete the program, if setup installed it
}

// Plan is what would be written. Apply it as it is, or not at all.
type Plan struct {
	Changes  []Change
	Refusals []Refusal // of harnesses that stay as they are; they stop no other
	Notes    []Note
	Modes    map[string]harnesses.Mode // how the harnesses will be wired, by their ids; of a setup
	Unasked  []string                  // addresses of servers that the plan takes to want no login, which nobody has asked
	// Elsewhere is what a removal leaves wired, for it is in another scope or project.
	Elsewhere []Wired

	stateDir string
	was      ledger // when the plan was made
	during   ledger // while files change: true of each of them before and after
	ledger   ledger // as it will be
	backups  map[string][]byte
	removal  bool
	looked   []string   // targets of all files that were looked at
	emptied  [][]string // folders of files that are gone already, to remove if empty
}

// Change is one file that would be written, or deleted.
type Change struct {
	Harness string   // id
	Path    string   // as the harness names the file
	Target  string   // where its symbolic links lead
	Linked  bool     // links below the home folder, or the project's, lead to another place than Path says
	Before  []byte   // nil: the file does not exist
	After   []byte   // nil: it is deleted
	Folders []string // folders to make first, outermost first; or to remove afterwards, if empty
	Binary  *Binary  // nil: it is text
	mode    fs.FileMode
}

// Self stands for a harness where a change, a note or a record is about wsi's own program.
const Self = "wsi"

// Wired is a file in which wsi was registered and may still be.
type Wired struct {
	Harness string // id
	Path    string
	Project string // the folder, "" in the user's own scope
}

// Note is something that a user must know about a plan.
type Note struct {
	Harness string // id, "" for what concerns all
	Text    string // a sentence
	Kind    Kind
}

// Kind tells when a note matters.
type Kind string

// The kinds of notes.
const (
	Left   Kind = ""       // to do when the plan is applied
	Remark Kind = "remark" // to know before
	Caveat Kind = "caveat" // good to know, of a harness that is changed
)

// Refusal says why a harness stays as it is.
type Refusal struct {
	Harness string
	Path    string // the file that is in the way, "" if none is
	Err     error
	Hint    string // what a person can do about it
	// Conflict is what Options.Replace would make of a file of wsi's own that was edited.
	Conflict *Change
}

func (r Refusal) Error() string {
	if r.Path == "" {
		return r.Err.Error()
	}
	return fmt.Sprintf("%s: %v", r.Path, r.Err)
}

func (r Refusal) Unwrap() error { return r.Err }

// refuse makes a refusal of any error.
func refuse(h harnesses.Harness, path string, err error, hint string) Refusal {
	var r Refusal
	var u harnesses.ConfigError
	if !errors.As(err, &r) {
		r = Refusal{Path: path, Err: err, Hint: hint}
		if errors.As(err, &u) {
			r.Path, r.Err, r.Hint = u.Path, u.Err, "correct the file, then run wsi again"
		}
	}
	r.Harness = h.ID
	return r
}
