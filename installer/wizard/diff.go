package wizard

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wsi/internal/tui"
)

// gutter is the width of the sign and the line number: "  + 15  ".
const gutter = 9

// drawDiff draws a unified diff with line numbers. It wraps long lines, so that a review shows every command to its end.
func drawDiff(diff string, width int, t tui.Theme) (lines []string) {
	body := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	body = body[min(2, len(body)):]
	end, ends := lineEnd(body)
	before, after := 0, 0
	for _, line := range body {
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
			lines = append(lines, strings.Repeat(" ", gutter)+t.Faint.Render("(no line break at the end)"))
		default:
			lines = append(lines, numbered(" ", after, text, width, tui.Ink(""))...)
			before, after = before+1, after+1
		}
	}
	return lines
}

func numbered(sign string, number int, text string, width int, style tui.Ink) (lines []string) {
	lead := fmt.Sprintf(" %s%5d  ", sign, number)
	for _, part := range strings.Split(ansi.Hardwrap(visible(text), max(width-gutter-1, 10), true), "\n") {
		lines = append(lines, style.Render(lead+part))
		lead = fmt.Sprintf(" %s%5s  ", sign, "")
	}
	return lines
}

// hunk returns the line numbers of "@@ -1,4 +1,9 @@".
func hunk(line string) (before, after int) {
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == '@' || r == ' ' })
	for i, n := range []*int{&before, &after} {
		if i < len(fields) {
			first, _, _ := strings.Cut(fields[i][1:], ",")
			*n, _ = strconv.Atoi(first) // 0 if this is no line of a diff
		}
	}
	return before, after
}

// lineEnd returns what precedes every line feed, and a text about it. If only some lines end with a carriage return, it
// is shown in those.
func lineEnd(body []string) (end, word string) {
	for _, line := range body {
		if !strings.HasSuffix(line, "\r") && !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, `\`) {
			return "", ""
		}
	}
	return "\r", ", lines end with CR LF"
}
