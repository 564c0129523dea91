package wizard

import (
	"fmt"
	"strconv"
	"strings"

	"wsi/internal/tui"
)

// gutter is the room for the sign and the line's number: "  + 15  ".
const gutter = 9

// drawDiff draws a unified diff with the numbers of its lines. Long lines are wrapped: a review that
// hides the end of a command is none.
func drawDiff(diff string, width int, t tui.Theme) (lines []string) {
	body := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	if len(body) < 3 || !strings.HasPrefix(body[2], "@@") { // no text, no lines: a program
		return append([]string{""}, tui.Indent(tui.Wrap(visible(strings.Join(body[min(2, len(body)):], " ")), width-2))...)
	}
	end, ends := lineEnd(body[2:])
	before, after := 0, 0
	for _, line := range body[2:] {
		sign, text := " ", ""
		if line != "" {
			sign, text = line[:1], strings.TrimSuffix(line[1:], end)
		}
		switch sign {
		case "@":
			before, after = hunk(line)
			lines = append(lines, "    "+t.Hunk.Render(t.Glyph("⋯", "...")+" line "+strconv.Itoa(max(after, 1))+ends))
		case "+":
			lines = append(lines, numbered("+", after, text, width, t.Added)...)
			after++
		case "-":
			lines = append(lines, numbered("-", before, text, width, t.Removed)...)
			before++
		case `\`:
			lines = append(lines, strings.Repeat(" ", gutter)+t.Faint.Render("(no line end after this)"))
		default:
			lines = append(lines, numbered(" ", after, text, width, tui.Ink(""))...)
			before, after = before+1, after+1
		}
	}
	return lines
}

// numbered is one line of the file, over as many lines of the screen as it needs.
func numbered(sign string, number int, text string, width int, style tui.Ink) (lines []string) {
	lead := fmt.Sprintf(" %s%5d  ", sign, number)
	for _, part := range chunks(visible(text), width-gutter-1) {
		lines = append(lines, style.Render(lead+part))
		lead = fmt.Sprintf(" %s%5s  ", sign, "")
	}
	return lines
}

// hunk reads the first lines' numbers of "@@ -1,4 +1,9 @@".
func hunk(line string) (before, after int) {
	for _, field := range strings.Fields(line) {
		n, _, _ := strings.Cut(strings.TrimLeft(field, "-+"), ",")
		switch v, err := strconv.Atoi(n); {
		case err != nil:
		case strings.HasPrefix(field, "-"):
			before = v
		case strings.HasPrefix(field, "+"):
			after = v
		}
	}
	return before, after
}

// lineEnd returns what ends every line besides a line feed, and a word for it. A carriage return at
// some ends only is shown where it is.
func lineEnd(body []string) (end, word string) {
	for _, line := range body {
		if !strings.HasSuffix(line, "\r") && !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, `\`) {
			return "", ""
		}
	}
	return "\r", ", lines end with CR LF"
}
