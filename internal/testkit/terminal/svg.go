package terminal

import (
	"bytes"
	"fmt"
	"image/color"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Look is the set of colors of an SVG, as #rrggbb.
type Look struct {
	Foreground, Background string     // default colors of a cell
	Bar, Border, Muted     string     // window frame
	Palette                [16]string // the 16 ANSI colors
}

// Dark and Light are legible on GitHub's dark and light pages.
var (
	Dark = Look{
		Foreground: "#e6edf3", Background: "#161b22", Bar: "#21262d", Border: "#3d444d", Muted: "#9198a1",
		Palette: [16]string{
			"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
			"#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
		},
	}
	Light = Look{
		Foreground: "#1f2328", Background: "#ffffff", Bar: "#f6f8fa", Border: "#d1d9e0", Muted: "#59636e",
		Palette: [16]string{
			"#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#6e7781",
			"#57606a", "#a40e26", "#1a7f37", "#9a6700", "#218bff", "#a475f9", "#3192aa", "#8c959f",
		},
	}
)

// The grid, in pixels. A monospaced font is about 0.6 times as wide as high. For other fonts textLength keeps the
// columns aligned.
const (
	cellW, cellH = 9, 20
	baseline     = 15 // below the top of a cell
	padding      = 18
	barH         = 36
)

const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" font-family="ui-monospace,'SF Mono',SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="15">
<title>%[3]s</title>
<style>.b{font-weight:bold}.i{font-style:italic}.f{opacity:.6}.m{text-anchor:middle}</style>
<rect x=".5" y=".5" width="%[4]d" height="%[5]d" rx="10" fill="%[6]s"/>
<path d="M.5 36.5v-26a10 10 0 0 1 10-10h%[7]da10 10 0 0 1 10 10v26z" fill="%[8]s"/>
<rect x=".5" y=".5" width="%[4]d" height="%[5]d" rx="10" fill="none" stroke="%[9]s"/>
<path d="M1 36.5h%[10]d" stroke="%[9]s"/>
<g fill="%[9]s"><circle cx="22" cy="18.5" r="5.5"/><circle cx="40" cy="18.5" r="5.5"/><circle cx="58" cy="18.5" r="5.5"/></g>
<text class="m" x="%[11]d" y="23" font-size="13" fill="%[12]s">%[3]s</text>
<g transform="translate(18 50)" fill="%[13]s">
`

// SVG draws the screen as a window with a title. The same screen gives the same bytes.
func (s Screen) SVG(title string, look Look) []byte {
	w, h := s.Width*cellW+2*padding, s.Height*cellH+barH+2*padding-8
	var b bytes.Buffer
	fmt.Fprintf(&b, head, w, h, escape(title), w-1, h-1, look.Background, w-21, look.Bar, look.Border, w-2, w/2, look.Muted, look.Foreground)
	for y := range s.Height {
		d := drawing{&b, look, s.row(y, look), y * cellH}
		d.backgrounds()
		d.strokes()
		d.texts()
	}
	if c := s.Cursor; c.Visible {
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" opacity=".5"/>`+"\n", c.X*cellW, c.Y*cellH, cellW, cellH)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// ink is a cell with its colors resolved.
type ink struct {
	text                    string
	width                   int
	fg, bg                  string
	bold, faint, italic     bool
	underlined, crossed, on bool // on: the cell has something to draw
}

func (s Screen) row(y int, look Look) []ink {
	row := make([]ink, s.Width)
	for x := range row {
		c := s.Cell(x, y)
		fg, bg := look.resolve(c.Fg, look.Foreground), look.resolve(c.Bg, look.Background)
		if c.Reverse {
			fg, bg = bg, fg
		}
		row[x] = ink{
			text: c.Text, width: c.Width, fg: fg, bg: bg, bold: c.Bold, faint: c.Faint, italic: c.Italic,
			underlined: c.Underline, crossed: c.Strikeout, on: strings.TrimSpace(c.Text) != "",
		}
	}
	return row
}

func (l Look) resolve(c color.Color, unset string) string {
	switch c := c.(type) {
	case nil:
		return unset
	case ansi.BasicColor:
		return l.Palette[c%16]
	case ansi.IndexedColor:
		if c < 16 {
			return l.Palette[c]
		}
	}
	return hex(c)
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// drawing draws one row.
type drawing struct {
	*bytes.Buffer
	look Look
	row  []ink
	top  int
}

// spans calls draw for every maximal run of cells with the same key, except "".
func (d drawing) spans(key func(ink) string, draw func(from, to int, key string)) {
	for from := 0; from < len(d.row); {
		k, to := key(d.row[from]), from+1
		for to < len(d.row) && key(d.row[to]) == k {
			to++
		}
		if k != "" {
			draw(from, to, k)
		}
		from = to
	}
}

func (d drawing) backgrounds() {
	d.spans(func(c ink) string {
		if c.bg == d.look.Background {
			return ""
		}
		return c.bg
	}, func(from, to int, bg string) {
		fmt.Fprintf(d, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", from*cellW, d.top, (to-from)*cellW, cellH, bg)
	})
}

// strokes draws underlines and box lines as paths, because the glyphs of most fonts do not meet across cells.
func (d drawing) strokes() {
	line := func(y float64, has func(ink) bool) {
		d.spans(func(c ink) string {
			if !has(c) {
				return ""
			}
			return d.paint("stroke", c)
		}, func(from, to int, paint string) {
			fmt.Fprintf(d, `<path d="M%d %sh%d"%s/>`+"\n", from*cellW, number(float64(d.top)+y), (to-from)*cellW, paint)
		})
	}
	line(17.5, func(c ink) bool { return c.underlined })
	line(10.5, func(c ink) bool { return c.crossed })
	line(10.5, func(c ink) bool { return c.text == "─" })
	for x, c := range d.row {
		if shape, ok := shapes[c.text]; ok {
			fmt.Fprintf(d, `<path transform="translate(%d %d)" d="%s" fill="none"%s/>`+"\n", x*cellW, d.top, shape, d.paint("stroke", c))
		}
	}
}

// shapes are the paths of the box characters except ─, in a cell of 9x20 with its lines meeting at 4.5, 10.5.
var shapes = map[string]string{
	"│": "M4.5 0v20", "┌": "M9 10.5H4.5V20", "┐": "M0 10.5h4.5V20", "└": "M4.5 0v10.5H9", "┘": "M4.5 0v10.5H0",
	"├": "M4.5 0v20M4.5 10.5H9", "┤": "M4.5 0v20M4.5 10.5H0", "┬": "M0 10.5h9M4.5 10.5V20", "┴": "M0 10.5h9M4.5 0v10.5", "┼": "M0 10.5h9M4.5 0v20",
	"╭": "M9 10.5Q4.5 10.5 4.5 15V20", "╮": "M0 10.5Q4.5 10.5 4.5 15V20", "╯": "M0 10.5Q4.5 10.5 4.5 6V0", "╰": "M9 10.5Q4.5 10.5 4.5 6V0",
}

// texts draws the characters. It draws words of Latin letters in one piece, and every other character alone in the
// middle of its cells, because it may come from another font.
func (d drawing) texts() {
	for x := 0; x < len(d.row); {
		c := d.row[x]
		_, drawn := shapes[c.text]
		switch {
		case !c.on || drawn || c.text == "─":
			x++
		case isLatin(c):
			x = d.words(x)
		default:
			fmt.Fprintf(d, `<text x="%s" y="%d"%s>%s</text>`+"\n", number((float64(x)+float64(c.width)/2)*cellW), d.top+baseline, d.paint("fill", c, "m"), escape(c.text))
			x++
		}
	}
}

// words draws the words from x on that have the same style and are one space apart. It returns the end.
func (d drawing) words(x int) int {
	first, text, end := d.row[x], "", x
	alike := func(i int) bool {
		return i < len(d.row) && d.row[i].on && isLatin(d.row[i]) && d.paint("fill", d.row[i]) == d.paint("fill", first)
	}
	for alike(end) || alike(end+1) && d.row[end].text == " " {
		text += d.row[end].text
		end++
	}
	length := ""
	if n := end - x; n > 1 {
		length = fmt.Sprintf(` textLength="%d"`, n*cellW)
	}
	fmt.Fprintf(d, `<text x="%d" y="%d"%s%s>%s</text>`+"\n", x*cellW, d.top+baseline, length, d.paint("fill", first), escape(text))
	return end
}

func isLatin(c ink) bool {
	for _, r := range c.text {
		return r < 0x250 && c.width == 1
	}
	return false
}

// paint returns the attributes for a cell's style, without defaults.
func (d drawing) paint(with string, c ink, classes ...string) string {
	attributes := ""
	if with == "stroke" || c.fg != d.look.Foreground {
		attributes = fmt.Sprintf(` %s=%q`, with, c.fg)
	}
	for _, class := range []struct {
		on   bool
		name string
	}{{c.bold, "b"}, {c.italic, "i"}, {c.faint, "f"}} {
		if class.on {
			classes = append(classes, class.name)
		}
	}
	if len(classes) > 0 {
		attributes += fmt.Sprintf(` class=%q`, strings.Join(classes, " "))
	}
	return attributes
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape escapes a text for XML, which has no control characters.
func escape(text string) string {
	return entities.Replace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return unicode.ReplacementChar
		}
		return r
	}, text))
}
