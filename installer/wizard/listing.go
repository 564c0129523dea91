package wizard

import (
	"fmt"
	"slices"

	"wsi/internal/tui"
)

// leastName is the minimum width of the column of names.
const leastName = 12

// listing is a list with a cursor, and a text below it. If they do not fit, it shows the part of the list with the
// cursor, and the text from the scrolled line.
type listing struct {
	head, rows, text []string
	cursor, scrolled int
}

// rooms returns the head, the number of rows and the number of text lines that fit a height.
func (l listing) rooms(height int) (head []string, rows, text int) {
	head = l.head
	room := height - len(head) - 1
	if len(l.rows)+len(l.text) <= room {
		return head, len(l.rows), len(l.text)
	}
	if height < 14 && len(head) > 0 && head[0] == "" { // save a line
		head, room = head[1:], room+1
	}
	rows = min(len(l.rows), max(room-len(l.text), room-max(room/3, 3), 3))
	return head, rows, min(max(room-rows, 0), len(l.text))
}

// page returns where the text is scrolled to by its visible lines less one.
func (l listing) page(down bool, height int) int {
	_, _, seen := l.rooms(height)
	step := max(seen-1, 1)
	if !down {
		step = -step
	}
	return max(min(l.scrolled+step, len(l.text)-seen), 0)
}

func (l listing) lines(height int, t tui.Theme) []string {
	head, rows, text := l.rooms(height)
	from := tui.Window(len(l.rows), l.cursor, rows)
	scrolled := max(min(l.scrolled, len(l.text)-text), 0)
	between := ""
	if rows < len(l.rows) {
		between = fmt.Sprintf("%d of %d", l.cursor+1, len(l.rows))
	}
	if below := len(l.text) - scrolled - text; below > 0 {
		between += "  " + t.Down(fmt.Sprintf("%d more lines: pgdn", below))
	} else if scrolled > 0 {
		between += fmt.Sprintf("  %s%d lines above: pgup", t.Glyph("↑ ", "^ "), scrolled)
	}
	return slices.Concat(head, l.rows[from:from+rows], []string{t.Faint.Render(" " + between)}, l.text[scrolled:scrolled+text])
}
