package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"wsi/hook/replay"
	"wsi/internal/phrase"
	"wsi/internal/printable"
)

// text writes the counts as tables, one below the other for each harness.
func (r *replayReport) text(to io.Writer) error {
	var b strings.Builder
	for _, h := range r.Harnesses {
		fmt.Fprintf(&b, "%s: %s, %s, %s with calls of MCP servers\n", h.Name, phrase.Count(h.Recordings, "recording"), megabytes(h.Bytes), phrase.Count(h.Sessions, "session"))
		h.tables(&b)
		for _, s := range h.Skipped {
			fmt.Fprintf(&b, "not read: %s (%d)\n", s.Why, s.Count)
		}
		b.WriteString("\n")
	}
	if len(r.Harnesses) == 0 {
		b.WriteString("no recorded sessions\n")
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "skipped: %s, %s\n", phrase.Count(s.Count, "file"), s.Why)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// tables writes a table on what the model typed and, where there is something to say, on compactions and on hints.
func (h *replayHarness) tables(b *strings.Builder) {
	h.table(b, "ids in calls", []string{"calls", "ids", "right", "near", "cut", "rounded", "invented", "unknown", "calls failed over one"}, func(c replay.Counts) []int {
		return []int{c.Calls, c.Typed, c.Exact, c.Near, c.Cut, c.Rounded, c.Invented, c.Unknown, c.FailedOver}
	})
	if h.Compactions > 0 {
		fmt.Fprintf(b, "%s, %s", phrase.Count(h.Compactions, "compaction"), phrase.Count(h.Lists, "list"))
		if h.Unreadable > 0 {
			fmt.Fprintf(b, "; what is left cannot be read of %d", h.Unreadable)
		}
		b.WriteString("\n")
		h.table(b, "ids at compactions", []string{"passed before", "gone", "on the list"}, func(c replay.Counts) []int {
			return []int{c.Passed, c.Gone, c.OnList}
		})
	}
	h.table(b, "after failed calls", []string{"hints", "right", "wrong"}, func(c replay.Counts) []int {
		return []int{c.Hints, c.Right, c.Wrong}
	})
}

// table writes a line for each server that has any of the numbers, and nothing if none has.
func (h *replayHarness) table(b *strings.Builder, title string, columns []string, numbers func(replay.Counts) []int) {
	some := func(s replayServer) bool {
		return slices.ContainsFunc(numbers(s.Counts), func(n int) bool { return n > 0 })
	}
	width := len(title)
	for _, s := range h.Servers {
		width = max(width, len(printable.Line(s.Name)))
	}
	if !slices.ContainsFunc(h.Servers, some) {
		return
	}
	fmt.Fprintf(b, "  %-*s", width, title)
	for _, column := range columns {
		fmt.Fprintf(b, "  %s", column)
	}
	b.WriteString("\n")
	for _, s := range h.Servers {
		if !some(s) {
			continue
		}
		fmt.Fprintf(b, "  %-*s", width, printable.Line(s.Name))
		for i, n := range numbers(s.Counts) {
			fmt.Fprintf(b, "  %*d", len(columns[i]), n)
		}
		b.WriteString("\n")
	}
}
