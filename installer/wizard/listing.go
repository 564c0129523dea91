package wizard

import (
	"fmt"

	"wsi/internal/tui"
)

// leastName is the room for a harness's name; longer ones take more.
const leastName = 12

// listing is a list with a cursor, and a text below it. Where a window has no room for both, it shows the part of
// the list in which the cursor is, and the text from the line to which it was scrolled.
type listing struct {
	head, rows, text []string
	cursor, scrolled int
}

// rooms says how many rows, and how many lines of the text, a window of some height has room for.
func (l listing) rooms(height int) (head []string, rows, text int) {
	head = l.head
	room := height - len(head) - 1
	if len(l.rows)+len(l.text) <= room {
		return head, len(l.rows), len(l.text)
	}
	if height < 14 && len(head) > 0 && head[0] == "" { // every line counts
		head, room = head[1:], room+1
	}
	rows = min(len(l.rows), max(room-len(l.text), room-max(room/3, 3), 3))
	return head, rows, min(max(room-rows, 0), len(l.text))
}

// page scrolls the text by what is seen of it, but for a line.
func (l *listing) page(down bool, height int) {
	_, _, seen := l.rooms(height)
	step := max(seen-1, 1)
	if !down {
		step = -step
	}
	l.scrolled = max(min(l.scrolled+step, len(l.text)-seen), 0)
}

// lines draws it.
func (l listing) lines(height int, t tui.Theme) []string {
	head, rows, text := l.rooms(height)
	from := tui.Window(len(l.rows), l.cursor, rows)
	scrolled := max(min(l.scrolled, len(l.text)-text), 0)
	between := ""
	if rows < len(l.rows) {
		between = fmt.Sprintf("%d of %d", l.cursor+1, len(l.rows))
	}
	if below := len(l.text) - scrolled - text; below > 0 {
		between += fmt.Sprintf("  %s%d more lines: pgdn", t.Glyph("↓ ", "v "), below)
	} else if scrolled > 0 {
		between += fmt.Sprintf("  %s%d lines above: pgup", t.Glyph("↑ ", "^ "), scrolled)
	}
	all := append([]string{}, head...)
	all = append(all, l.rows[from:from+rows]...)
	all = append(all, t.Faint.Render(" "+between))
	return append(all, l.text[scrolled:scrolled+text]...)
}
