package console

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/internal/testkit/terminal"
	"wsi/internal/tui"
)

var (
	update = flag.Bool("update", false, "record the screens")
	home   = strings.NewReplacer("/home/ada", "~")
)

// journeys lead to every screen there is. An examination is over when the keys are pressed, but for the
// one that waits.
var journeys = []struct {
	name  string
	plays func() *examiner
	keys  []string
}{
	{"healthy", of(healthy), nil},
	{"broken", of(sick), nil},
	{"detail", of(sick), []string{"enter"}},
	{"detail-end", of(sick), []string{"enter", "end"}},
	{"own", of(ownFault), []string{"end"}},
	{"help", of(sick), []string{"?"}},
	{"question", of(sick), []string{"l"}},
	{"question-one", of(sick), []string{"home", "enter", "l"}},
	{"live", func() *examiner { return &examiner{reports: []report.Report{sick(), live(sick())}} }, []string{"home", "enter", "l", "wait", "y"}},
	{"not-for-setup", of(beyondSetup), []string{"f"}},
	{"failed", func() *examiner {
		return &examiner{err: errors.New("mkdir /home/ada/tmp/wsi-doctor-1: no space left on device")}
	}, nil},
	{"running", func() *examiner {
		return &examiner{reports: []report.Report{sick()}, stopAt: "cursor.hook.runnable"}
	}, nil},
	{"running-detail", func() *examiner {
		return &examiner{reports: []report.Report{sick()}, stopAt: "codex.hook.runnable"}
	}, []string{"down", "enter"}},
	{"again", func() *examiner {
		return &examiner{reports: []report.Report{sick(), sick()}, stopAt: "codex.hook.registered"}
	}, []string{"r"}},
	{"hooks", of(sick), []string{"h"}},
	{"hooks-end", of(sick), []string{"h", "end"}},
	{"stopped", func() *examiner {
		return &examiner{reports: []report.Report{sick(), healthy()}, stopAt: "cursor.hook.runnable"}
	}, []string{"r", "esc"}},
}

func of(r func() report.Report) func() *examiner {
	return func() *examiner { return &examiner{reports: []report.Report{r()}} }
}

// travel goes to where a journey leads.
func travel(t *testing.T, x *examiner, keys []string, c Config, width, height int) *player {
	t.Helper()
	p := start(t, c, width, height)
	waits := waitsAt(x.stopAt)
	if x.stopAt != "" && len(x.reports) == 1 {
		return p.until(waits).press(keys...)
	}
	p.settle()
	for _, k := range keys {
		if k == "wait" {
			p.now = p.now.Add(readingTime)
			continue
		}
		p.press(k)
		if k == "r" && x.stopAt != "" {
			p.until(waits)
		} else {
			p.settle()
		}
	}
	return p
}

// Every screen fills its window exactly, at any size and after any resize, and the row under the cursor is visible. With
// ASCII nothing of wsi's own goes beyond ASCII.
func TestScreens(t *testing.T) {
	for _, j := range journeys {
		for _, ascii := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/ascii=%v", j.name, ascii), func(t *testing.T) {
				t.Parallel()
				x := j.plays()
				c := config(x)
				c.ASCII = ascii
				p := travel(t, x, j.keys, c, 80, 24)
				if ascii {
					terminal.ASCII(t, p.Text())
				} else {
					terminal.Compare(t, *update, filepath.Join("testdata", "screens", j.name+".txt"), p.Text())
				}
				p.EverySize(func(width, height int) {
					listed := width >= tui.LeastWidth && height >= tui.LeastHeight && !p.m.Helping && p.m.page == table
					if cursor := p.m.Theme.Glyph("▸", ">"); listed && !strings.Contains(p.Text(), "\n "+cursor) {
						t.Errorf("the cursor is not visible at %dx%d:\n%s", width, height, p.Text())
					}
				})
			})
		}
	}
}

// A wide screen has what was found at the right of the table. Backgrounds differ in color only.
func TestWideScreen(t *testing.T) {
	p := start(t, config(of(sick)()), 130, 30).settle()
	terminal.Compare(t, *update, filepath.Join("testdata", "screens", "wide.txt"), p.Text())
	start(t, config(of(sick)()), 80, 24).settle().DiffersInColorOnly()
}
