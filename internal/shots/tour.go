package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"wsi/internal/terminal"
)

// camera is one terminal in which the tour is made.
type camera struct {
	suffix        string // of the names of its pictures
	width, height int
	light         bool
	flags         []string
	text, picture bool // what is kept of a screen
}

var cameras = []camera{
	{width: 60, height: 20, text: true},
	{width: 80, height: 24, text: true, picture: true},
	{width: 200, height: 60, text: true},
	{width: 80, height: 24, picture: true, light: true, suffix: "-light"},
	{width: 80, height: 24, text: true, picture: true, flags: []string{"--ascii"}, suffix: "-ascii"},
}

// stop is one screen of the tour.
type stop struct {
	name  string
	read  time.Duration  // how long the screen before is looked at: setup takes no enter for a review that nobody can have read
	press []terminal.Key // what leads to it
	see   string         // what says that one is there: a regular expression
}

// The header names the step in one of three forms: ◐ choose, with --ascii > choose, and where there
// is little room "step 2 of 5: choose".
var tour = []stop{
	{name: "choose", see: `[◐>:] choose`},
	{name: "review", press: []terminal.Key{terminal.Enter}, see: `[◐>:] review`},
	{name: "diff", press: []terminal.Key{terminal.Tab}, see: `2 of \d`},
	{name: "left", read: time.Second, press: []terminal.Key{terminal.Enter}, see: `enter leave`},
}

// leave ends setup, which then prints a record.
const leave = terminal.Enter

// take makes the tour with every camera and returns the files, by name.
func take(ctx context.Context, root string) (files map[string][]byte, err error) {
	h, err := newHome(ctx, root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.leave()) }()
	files = map[string][]byte{}
	for _, c := range cameras {
		if err := h.furnish(root); err != nil {
			return nil, err
		}
		if err := c.tour(ctx, h, files); err != nil {
			return nil, fmt.Errorf("%dx%d%s: %w", c.width, c.height, c.suffix, err)
		}
	}
	return files, nil
}

func (c camera) tour(ctx context.Context, h home, files map[string][]byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := terminal.Start(ctx, terminal.Program{
		Args: append([]string{h.program, "setup", "--binary", h.program}, c.flags...), Env: h.env(), Dir: h.cwd,
		Width: c.width, Height: c.height, Light: c.light,
	})
	if err != nil {
		return err
	}
	for _, stop := range tour {
		time.Sleep(stop.read)
		s.Press(stop.press...)
		screen, err := s.Wait(func(now terminal.Screen) bool {
			return regexp.MustCompile(stop.see).MatchString(now.Text())
		})
		if err != nil {
			return fmt.Errorf("%s: %w", stop.name, err)
		}
		if err := c.keep(stop.name, screen, files); err != nil {
			return err
		}
	}
	s.Press(leave)
	if code, err := s.Exit(); err != nil || code != 0 {
		return fmt.Errorf("wsi setup ended with %d (%w):\n%s", code, err, s.Screen().Text())
	}
	if left := s.LeftOn(); left != nil {
		return fmt.Errorf("wsi setup left the terminal with %q", left)
	}
	return c.keepText("record", s.Screen(), files)
}

var (
	homes     = regexp.MustCompile(regexp.QuoteMeta(place))
	durations = regexp.MustCompile(`\d+ ms`)
	digits    = regexp.MustCompile(`\d`)
	leaks     = regexp.MustCompile(`/tmp|/\.ada|\d (ms|s)\b|\d\d:\d\d|20\d\d-`)
)

// keep adds what is kept of one screen.
func (c camera) keep(name string, screen terminal.Screen, files map[string][]byte) error {
	if err := c.keepText(name, screen, files); err != nil || !c.picture {
		return err
	}
	look := terminal.Dark
	if c.light {
		look = terminal.Light
	}
	files[name+c.suffix+".svg"] = clean(screen).SVG("wsi setup", look)
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

// clean takes out what another run would show otherwise.
func clean(screen terminal.Screen) terminal.Screen {
	return screen.
		Replace(homes, func(string) string { return shown }).
		Replace(durations, func(found string) string { return digits.ReplaceAllString(found, "·") })
}
