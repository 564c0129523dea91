package status

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"wsi/hook/journal"
	"wsi/internal/plainfile"
)

// glance is the interval at which Follow reads the journal.
const glance = 200 * time.Millisecond

// Follow shows the last n runs that did one of these, as [Word.Says], or all if n is negative; no words select all runs. Then it
// calls caught, and shows every new run, until ctx ends or one of them returns an error, which Follow returns. It reads a journal
// that is rotated to its end.
func Follow(ctx context.Context, j journal.File, did []string, n int, show func(journal.Entry) error, caught func() error) error {
	t, older := tail{path: j.Path}, tail{path: j.Older()}
	defer t.close()
	defer older.close()
	if err := errors.Join(t.open(), older.open()); err != nil {
		return err
	}
	var past []journal.Entry
	keep := func(e journal.Entry) error {
		if selects(did, &e) {
			past = append(past, e)
		}
		return nil
	}
	if err := errors.Join(older.read(keep), t.read(keep)); err != nil {
		return err
	}
	if n >= 0 {
		past = past[max(len(past)-n, 0):]
	}
	for _, e := range past {
		if err := show(e); err != nil {
			return err
		}
	}
	if err := caught(); err != nil {
		return err
	}
	return t.follow(ctx, func(e journal.Entry) error {
		if !selects(did, &e) {
			return nil
		}
		return show(e)
	})
}

func selects(words []string, e *journal.Entry) bool {
	return len(words) == 0 || slices.ContainsFunc(says(e), func(word string) bool { return slices.Contains(words, word) })
}

type tail struct {
	path  string
	file  *os.File // nil = it does not exist yet
	lines *bufio.Reader
	part  []byte // of a line that has not ended
}

func (t *tail) follow(ctx context.Context, show func(journal.Entry) error) error {
	for {
		replaced := t.replaced() // before what it still got is read
		if err := t.read(show); err != nil {
			return err
		}
		if replaced {
			t.close()
			if err := t.open(); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(glance):
		}
	}
}

func (t *tail) open() (err error) {
	if t.file, err = journal.Open(t.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	t.lines = bufio.NewReader(t.file)
	return err
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // read only
	}
	t.file, t.part = nil, nil
}

// replaced reports whether another file now has the path.
func (t *tail) replaced() bool {
	_, err := os.Stat(t.path) // an error: it is being replaced
	return err == nil && (t.file == nil || !plainfile.IsAt(t.file, t.path))
}

// read shows all complete lines.
func (t *tail) read(show func(journal.Entry) error) error {
	for t.file != nil {
		more, err := t.lines.ReadBytes('\n')
		t.part = append(t.part, more...)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read journal: %w", err)
		}
		if e, ok := journal.Parse(t.part); ok {
			if err := show(e); err != nil {
				return err
			}
		}
		t.part = nil
	}
	return nil
}
