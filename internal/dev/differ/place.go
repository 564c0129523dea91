package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/internal/state"
)

// place is a folder in which the old and the new program play a scenario, one after the other: all paths are the same for
// both. It records what the program prints and leaves.
type place struct {
	dir     string // has bin/wsi and tools, and work, in which a scenario begins with an empty home
	info    fs.FileInfo
	sum     string // of bin/wsi
	records []record
	relayed bool // a relay answers first and writes its files later: the order of lines in the journal is left to chance
	drawn   bool // the relay draws the name of the session by lot, because the harness does not tell it
	failed  error
}

// record is a text that must be the same.
type record struct{ what, text string }

func (p *place) bin() string  { return filepath.Join(p.dir, "bin", "wsi") }
func (p *place) work() string { return filepath.Join(p.dir, "work") }
func (p *place) home() string { return filepath.Join(p.work(), "home") }

// installed is the program below a home. Setup does not register bin, which is in a folder for temporary files.
func installed(home string) string { return filepath.Join(home, "opt", "wsi") }

// project is the folder in which commands run.
func (p *place) project() string { return filepath.Join(p.home(), "src", "demo") }

// newPlace makes a place whose PATH has a shell and Node.
func newPlace(dir string) (*place, error) {
	tools := filepath.Join(dir, "tools")
	for _, folder := range []string{tools, filepath.Join(dir, "bin")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"sh", "node"} {
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, err
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			return nil, err
		}
	}
	return &place{dir: dir}, nil
}

// play plays a scenario with a program and returns what it recorded.
func (p *place) play(program string, s scenario) ([]record, error) {
	p.records, p.relayed, p.drawn, p.failed = nil, false, false, nil
	_ = os.Remove(p.bin()) // it does not exist before the first scenario
	content, err := os.ReadFile(program)
	if err == nil {
		err = os.Link(program, p.bin())
	}
	if err == nil {
		p.info, err = os.Stat(program)
	}
	if err != nil {
		return nil, err
	}
	p.sum = sumOf(content)
	p.clear()
	s.play(p)
	return p.records, p.failed
}

// clear makes an empty home.
func (p *place) clear() {
	p.check(os.RemoveAll(p.work()))
	p.check(os.MkdirAll(filepath.Join(p.work(), "tmp"), 0o700))
	p.check(os.MkdirAll(p.project(), 0o700))
	p.check(p.install(p.home()))
}

// install links the program into a home.
func (p *place) install(home string) error {
	if err := os.MkdirAll(filepath.Dir(installed(home)), 0o700); err != nil {
		return err
	}
	return os.Link(p.bin(), installed(home))
}

func (p *place) check(err error) {
	if p.failed == nil {
		p.failed = err
	}
}

// record adds a text, without what is of the moment.
func (p *place) record(what, text string) {
	what, text = timeless(what, p.sum), timeless(text, p.sum)
	if p.drawn {
		what, text = vaultFile.ReplaceAllString(what, "$1/DRAWN"), session.ReplaceAllString(text, `"session":"DRAWN"`)
	}
	p.records = append(p.records, record{what, text})
}

// put writes files, keyed by their paths below the home.
func (p *place) put(files map[string]string) {
	for path, content := range files {
		path = filepath.Join(p.home(), path)
		p.check(os.MkdirAll(filepath.Dir(path), 0o700))
		p.check(os.WriteFile(path, []byte(content), 0o600))
	}
}

// longest is the time that a command may take.
const longest = 2 * time.Minute

// wsi runs the program and records its answer.
func (p *place) wsi(stdin []byte, args ...string) (stdout []byte) {
	return p.run(stdin, append([]string{installed(p.home())}, args...)...)
}

func (p *place) run(stdin []byte, argv ...string) []byte {
	cmd, cancel := p.command(argv...)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0) {
		p.check(fmt.Errorf("%s: %w", strings.Join(argv, " "), err))
	}
	p.record(strings.Join(argv, " "), fmt.Sprintf("%sstderr: %sexit status %d\n", stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()))
	return stdout.Bytes()
}

// command returns a command in the home's project. It is killed if it takes too long.
func (p *place) command(argv ...string) (*exec.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = p.project(), time.Second
	cmd.Env = []string{"HOME=" + p.home(), "PATH=" + filepath.Join(p.dir, "tools"), "HTTPS_PROXY=http://127.0.0.1:9", "TMPDIR=" + filepath.Join(p.work(), "tmp")}
	return cmd, cancel
}

// tree records the mode and the content of each file.
func (p *place) tree() {
	before := len(p.records)
	p.check(filepath.WalkDir(p.work(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case os.SameFile(info, p.info):
			content = "the program"
		case d.Type()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case d.Type().IsRegular():
			var b []byte
			b, err = os.ReadFile(path)
			content = string(b)
		}
		rel, _ := filepath.Rel(p.work(), path)
		p.record(rel, info.Mode().String()+"\n"+content)
		if last := &p.records[len(p.records)-1]; p.relayed && d.Name() == state.Journal {
			lines := strings.SplitAfter(last.text, "\n")
			slices.Sort(lines)
			last.text = strings.Join(lines, "")
		}
		return err
	}))
	slices.SortStableFunc(p.records[before:], func(a, b record) int { return strings.Compare(a.what, b.what) })
}
