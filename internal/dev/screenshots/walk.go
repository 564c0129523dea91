package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"wsi/internal/testkit/terminal"
)

// walk is a command in which every screen that is worth a picture is looked at.
type walk struct {
	command []string
	prepare func(context.Context, home) error // before the command, in a home as setup finds it; may be nil
	stops   []stop
	leave   terminal.Key // ends the command, which then prints a record
	status  int          // exit status
	record  string       // name of the record, "" = not kept
}

// stop is one screen of a walk.
type stop struct {
	name  string
	read  time.Duration  // how long the screen before is looked at: setup takes no enter for a review that nobody can have read
	press []terminal.Key // what leads to it
	see   string         // what says that one is there: a regular expression
}

// walks are made in this order, each in a home of its own.
var walks = []walk{setupWalk, brokenWalk, healthyWalk}

// take makes every walk with every camera and returns the files, by name.
func take(ctx context.Context, root string) (files map[string][]byte, err error) {
	h, err := newHome(ctx, root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.leave()) }()
	files = map[string][]byte{}
	for _, w := range walks {
		for _, c := range cameras {
			if err := h.furnish(root); err != nil {
				return nil, err
			}
			if err := c.film(ctx, h, w, files); err != nil {
				return nil, fmt.Errorf("wsi %s at %dx%d%s: %w", w.command[0], c.width, c.height, c.suffix, err)
			}
		}
	}
	return files, nil
}

// film makes one walk.
func (c camera) film(ctx context.Context, h home, w walk, files map[string][]byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.prepare != nil {
		if err := w.prepare(ctx, h); err != nil {
			return err
		}
	}
	s, err := terminal.Start(ctx, terminal.Program{
		Args: append(append([]string{h.program}, w.command...), c.flags...), Env: h.env(), Dir: h.cwd,
		Width: c.width, Height: c.height, Light: c.light, Patience: time.Minute,
	})
	if err != nil {
		return err
	}
	for _, stop := range w.stops {
		time.Sleep(stop.read)
		s.Press(stop.press...)
		screen, err := s.Wait(func(now terminal.Screen) bool {
			return regexp.MustCompile(stop.see).MatchString(now.Text())
		})
		if err != nil {
			return fmt.Errorf("%s: %w", stop.name, err)
		}
		if err := c.keep(w.title(), stop.name, screen, files); err != nil {
			return err
		}
	}
	s.Press(w.leave)
	if code, err := s.Exit(); err != nil || code != w.status {
		return fmt.Errorf("it ended with %d, not %d (%w):\n%s", code, w.status, err, s.Screen().Text())
	}
	if left := s.LeftOn(); left != nil {
		return fmt.Errorf("it left the terminal with %q", left)
	}
	if w.record == "" {
		return nil
	}
	return c.keepText(w.record, s.Screen(), files)
}

// title is that of the window.
func (w walk) title() string { return "wsi " + w.command[0] }
