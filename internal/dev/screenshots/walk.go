package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"wsi/internal/testkit/terminal"
)

// walk is a command and the screens to keep.
type walk struct {
	command []string
	prepare func(context.Context, home) error // runs before the command in a new home; may be nil
	stops   []stop
	leave   terminal.Key // ends the command, which then prints a record
	status  int          // exit status
	record  string       // name of the record, "" if it is not kept
	picture string       // name of the picture of what the command leaves on the screen, "" if it is not kept
}

// stop is a screen of a walk.
type stop struct {
	name  string
	read  time.Duration  // time on the screen before: setup ignores enter on a review that was just shown
	press []terminal.Key // the keys that lead to the screen
	see   string         // a regular expression that matches the screen
}

// walks run in this order, each in a new home.
var walks = append([]walk{setupWalk, brokenWalk, healthyWalk}, lineWalks...)

// take runs every walk with every camera and returns the files by name.
func take(ctx context.Context, root string) (files map[string][]byte, err error) {
	h, err := newHome(root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.leave()) }()
	files = map[string][]byte{}
	for _, w := range walks {
		for _, c := range cameras {
			if err := h.create(); err != nil {
				return nil, err
			}
			if err := c.film(ctx, h, w, files); err != nil {
				return nil, fmt.Errorf("wsi %s at %dx%d%s: %w", w.command[0], c.width, c.height, c.suffix, err)
			}
		}
	}
	return files, demo(ctx, h, root, files)
}

// film runs one walk.
func (c camera) film(ctx context.Context, h home, w walk, files map[string][]byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.prepare != nil {
		if err := w.prepare(ctx, h); err != nil {
			return err
		}
	}
	s, err := terminal.Start(ctx, terminal.Program{
		Args: append([]string{h.program}, w.command...), Env: append(h.env(), c.env...), Dir: h.cwd,
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
	if w.leave != "" {
		s.Press(w.leave)
	}
	if code, err := s.Exit(); err != nil || code != w.status {
		return fmt.Errorf("exit status %d, want %d (%w):\n%s", code, w.status, err, s.Screen().Text())
	}
	if left := s.LeftOn(); left != nil {
		return fmt.Errorf("it left the terminal with %q", left)
	}
	if w.picture != "" {
		return c.keep(w.title(), w.picture, s.Screen(), files)
	}
	if w.record == "" {
		return nil
	}
	return c.keepText(w.record, s.Screen(), files)
}

// title returns the title of the window.
func (w walk) title() string { return "wsi " + w.command[0] }
