package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"wsi/internal/lists"
)

const wireNames = "cmd/wsi/testdata/wirenames"

var (
	registration = regexp.MustCompile(`^.*wsi(\.exe)?['"]? (inject|capture) `)
	ofHarness    = regexp.MustCompile(`--harness[ =](\S+)`)
	ofHooks      = regexp.MustCompile(`"command": "([^"]*wsi'? (?:inject|capture) [^"]*)"`)
	ofCommands   = regexp.MustCompile(`^wsi( [a-z-]+)*$`)
)

// commandLines runs each command line of a hook that setup registers, with recorded events, and prints the help of each command.
func commandLines() (all []scenario, err error) {
	lines, err := os.ReadFile(filepath.Join(wireNames, "registered.txt"))
	if err != nil {
		return nil, err
	}
	events, err := recorded()
	if err != nil {
		return nil, err
	}
	for _, found := range lists.AddUnique(nil, ofHooks.FindAllString(string(lines), -1)...) {
		line := ofHooks.FindStringSubmatch(found)[1]
		all = append(all, scenario{"command line", line, func(p *place) { p.registered(line, events) }})
	}
	commands, err := os.ReadFile(filepath.Join(wireNames, "commands.txt"))
	for line := range strings.Lines(string(commands)) {
		if line = strings.TrimSpace(line); ofCommands.MatchString(line) {
			all = append(all, scenario{"help", line, func(p *place) { p.wsi(nil, append(strings.Fields(line)[1:], "--help")...) }})
		}
	}
	all = append(all, scenario{"help", "checks", func(p *place) { p.wsi(nil, "help", "checks") }})
	return all, err
}

// registered runs a command line in a shell, as harnesses do, with this program in place of the registered one.
func (p *place) registered(line string, events map[string][]string) {
	harness := ofHarness.FindStringSubmatch(line)
	line = registration.ReplaceAllString(line, "'"+installed(p.home())+"' $2 ")
	for _, path := range events[harness[1]] {
		event, err := os.ReadFile(path)
		p.check(err)
		p.run(event, "sh", "-c", line)
	}
	p.tree()
}
