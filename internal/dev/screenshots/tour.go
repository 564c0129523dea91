package main

import (
	"fmt"
	"regexp"
	"time"

	"wsi/internal/testkit/terminal"
)

// camera is a terminal in which the walks run.
type camera struct {
	suffix        string // of file names
	width, height int
	light         bool
	env           []string
	text, picture bool // what to write
}

var cameras = []camera{
	{width: 80, height: 24, text: true, picture: true},
	{width: 80, height: 24, picture: true, light: true, suffix: "-light"},
	{width: 80, height: 24, text: true, picture: true, env: []string{"WSI_ASCII=1"}, suffix: "-ascii"},
	{width: 120, height: 40, picture: true, suffix: "-120x40"},
	{width: 120, height: 40, picture: true, light: true, suffix: "-120x40-light"},
}

var setupWalk = walk{
	command: []string{"setup", "--binary", "../../.local/bin/wsi"},
	stops: []stop{
		{name: "choose", see: `in all of your \d`},
		{name: "review", press: []terminal.Key{terminal.Enter}, see: `Nothing is written yet`},
		{name: "diff", press: []terminal.Key{terminal.Tab}, see: `[▸>] ~/\S*hooks.json`},
		{name: "left", read: time.Second, press: []terminal.Key{terminal.Enter}, see: `enter leave`},
	},
	leave:  terminal.Enter,
	record: "record",
}

var (
	durations = regexp.MustCompile(`\d+ ms`)
	elapsed   = regexp.MustCompile(`[ \d]\d\.\d s\b`)
	machine   = regexp.MustCompile(`linux/a..64`)
	moments   = regexp.MustCompile(`\d\d:\d\d(:\d\d)?|20\d\d-\d\d-\d\d`)
	digits    = regexp.MustCompile(`\d`)
	leaks     = regexp.MustCompile(`/tmp|[1-9] (ms|s)\b|\d\d:\d\d|20\d\d-`)
)

// keep adds the files of a screen.
func (c camera) keep(title, name string, screen terminal.Screen, files map[string][]byte) error {
	if err := c.keepText(name, screen, files); err != nil || !c.picture {
		return err
	}
	look := terminal.Dark
	if c.light {
		look = terminal.Light
	}
	files[name+c.suffix+".svg"] = clean(screen).SVG(title, look)
	return nil
}

func (c camera) keepText(name string, screen terminal.Screen, files map[string][]byte) error {
	text := clean(screen.History()).Text()
	if leak := leaks.FindString(text); leak != "" {
		return fmt.Errorf("%s: %q must not be on the screen:\n%s", name, leak, text)
	}
	if c.text {
		files[fmt.Sprintf("%s-%dx%d%s.txt", name, c.width, c.height, c.suffix)] = []byte(text)
	}
	return nil
}

// clean replaces what differs between runs.
func clean(screen terminal.Screen) terminal.Screen {
	return screen.
		Replace(homes, func(string) string { return shown }).
		Replace(durations, func(found string) string { return digits.ReplaceAllString(found, "·") }).
		Replace(elapsed, func(string) string { return " ·.· s" }).
		Replace(moments, func(found string) string { return digits.ReplaceAllString(found, "·") }).
		Replace(machine, func(string) string { return "linux/amd64" })
}
