package report

import (
	"time"

	"wsi/internal/phrase"
)

// Heads are the headings of the table that [Group.Cells] fill.
var Heads = []string{"registered", "trusted", "runs", "last used", "right value"}

// Cell is what the table says of a link in the chain of a harness: a symbol, a short text, or both. In a sentence it is Words, "" =
// nothing is to be said.
type Cell struct {
	Status      Status
	Text, Words string
}

// Cells returns the cells of a harness, one for each of [Heads].
func (g Group) Cells(now time.Time) []Cell {
	cells := make([]Cell, len(Heads))
	for i, said := range [][3]string{
		{"registered", "registered with a warning", "not registered"},
		{"trusted", "trusted with a warning", "not trusted"},
		{"runs", "runs with a warning", "does not run"},
		{"", "", ""},
		{"right value", "right value with a warning", "wrong value"},
	} {
		status := g.Link(links[i])
		cells[i].Status = status
		cells[i].Words = map[Status]string{OK: said[0], Warn: said[1], Fail: said[2]}[status]
	}
	used, right := &cells[3], &cells[4]
	switch {
	case g.Used != nil:
		used.Text = phrase.Age(now.Sub(*g.Used)) + " ago"
		used.Words = "last used " + used.Text
	case g.Wired:
		used.Text, used.Words = "not yet", "not used yet"
	}
	if right.Status == Info && g.Wired {
		right.Text, right.Words = "not known yet", "right value not known yet"
	}
	return cells
}
