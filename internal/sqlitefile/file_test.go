package sqlitefile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testRow is the row that testdata/make.py writes.
func testRow(i int) (id string, n int64, body string) {
	times := i % 7
	if i%25 == 0 {
		times = i
	}
	n = []int64{0, 1, -1, int64(i), int64(-i) * 1000, int64(i) << 33, -(int64(i) << 50), 0, 0}[i%9]
	return fmt.Sprintf("k%05d", i*7919%100000), n, strings.Repeat(fmt.Sprintf("%d é ", i), times)
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func opened(db, log []byte) (*File, error) {
	if log == nil {
		return Open(bytes.NewReader(db), int64(len(db)), nil, 0)
	}
	return Open(bytes.NewReader(db), int64(len(db)), bytes.NewReader(log), int64(len(log)))
}

// rows returns all rows as text, read by table, and checks that indexes lead to the same ones.
func rows(t *testing.T, f *File) (all map[int64]string) {
	t.Helper()
	table, ok, err := f.Table("rows")
	if err != nil || !ok || strings.Join(table.Columns, " ") != "id n body" {
		t.Fatal(table.Columns, ok, err)
	}
	byID, ok, err := f.Index("sqlite_autoindex_rows_1")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	all = map[int64]string{}
	text := func(row Row) string { return fmt.Sprintf("%s %d %s", row.At(0).Bytes, row.At(1).Int, row.At(2).Bytes) }
	last := int64(0)
	err = table.Each(func(rowid int64, row Row) error {
		if rowid <= last {
			t.Errorf("row %d is behind row %d", rowid, last)
		}
		last, all[rowid] = rowid, text(row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before, entries := "", 0
	err = byID.Each(func(entry Row) error {
		id := string(entry.At(0).Bytes)
		row, err := table.Get(entry.At(1).Int)
		found, findErr := byID.Find([]byte(id))
		if err != nil || findErr != nil || id <= before || text(row) != all[entry.At(1).Int] || found.At(1).Int != entry.At(1).Int {
			t.Errorf("%s: %v %v, row %.30s, found %v", id, err, findErr, text(row), found)
		}
		before, entries = id, entries+1
		return nil
	})
	if err != nil || entries != len(all) {
		t.Errorf("%d entries, %d rows, %v", entries, len(all), err)
	}
	for _, key := range []string{"", "k", "z"} {
		if found, err := byID.Find([]byte(key)); found != nil || err != nil {
			t.Errorf("%q: found %v, %v", key, found, err)
		}
	}
	if row, err := table.Get(1 << 40); row != nil || err != nil {
		t.Errorf("found %v, %v", row, err)
	}
	return all
}

// What SQLite wrote is read as it was committed, with the log and without it.
func TestRows(t *testing.T) {
	db, log := read(t, "rows.db"), read(t, "rows.db-wal")
	for name, c := range map[string]struct {
		log   []byte
		rows  int
		first string
	}{
		"with its log":         {log, 180, "changed"},
		"without its log":      {nil, 120, ""},
		"with an empty log":    {[]byte{}, 120, ""},
		"with a damaged log":   {append([]byte("not a log"), log[9:]...), 120, ""},
		"with half of its log": {log[:len(log)/8], 120, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := opened(db, c.log)
			if err != nil {
				t.Fatal(err)
			}
			all := rows(t, f)
			for i := range c.rows {
				id, n, body := testRow(i)
				want := fmt.Sprintf("%s %d %s", id, n, body)
				if i == 0 {
					want = fmt.Sprintf("%s %d %s", id, n, c.first)
				}
				if got, there := all[int64(i+1)]; there == (i < 120 && (i+1)%10 == 3) || there && got != want {
					t.Fatalf("row %d: %.60q, want %.60q", i+1, got, want)
				}
			}
			if len(all) != c.rows-12 {
				t.Errorf("%d rows", len(all))
			}
		})
	}
}

// A log without its last frame, the commit of a transaction, does not have the transaction.
func TestUncommitted(t *testing.T) {
	db, log := read(t, "rows.db"), read(t, "rows.db-wal")
	commits := 0
	for at := logHead; at+frameHead+512 <= len(log); at += frameHead + 512 {
		if log[at+4]|log[at+5]|log[at+6]|log[at+7] == 0 {
			continue
		}
		commits++
		f, err := opened(db, log[:at+frameHead+511])
		if err != nil {
			t.Fatal(err)
		}
		if n := len(rows(t, f)); n != 108 {
			t.Errorf("%d rows before the commit", n)
		}
	}
	if commits != 1 {
		t.Errorf("%d commits", commits)
	}
}

func TestOtherFiles(t *testing.T) {
	db := read(t, "rows.db")
	loop := bytes.Clone(db)
	for i := 512; i < len(loop); i += 512 {
		if loop[i] == innerTable || loop[i] == innerIndex { // it is its own last child
			copy(loop[i+8:], []byte{0, 0, 0, byte(i/512 + 1)})
		}
	}
	for name, b := range map[string][]byte{
		"empty": {}, "a text": []byte(strings.Repeat("SQLite", 100)), "a header alone": db[:100], "without its end": db[:len(db)/2], "a loop": loop,
	} {
		f, err := opened(b, nil)
		if err == nil {
			var table Table
			if table, _, err = f.Table("rows"); err == nil {
				err = table.Each(func(int64, Row) error { return nil })
			}
		}
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFile(f *testing.F) {
	db, log := read(f, "rows.db"), read(f, "rows.db-wal")
	f.Add(db[:8192], log[:2048])
	f.Add(db, []byte{})
	f.Fuzz(func(t *testing.T, db, log []byte) {
		file, err := opened(db, log)
		if err != nil {
			return
		}
		table, ok, err := file.Table("rows")
		if err != nil || !ok {
			return
		}
		_ = table.Each(func(rowid int64, row Row) error {
			if len(row) > len(db) {
				t.Fatal("a row is longer than the file")
			}
			_, err := table.Get(rowid)
			return err
		})
		if index, ok, err := file.Index("sqlite_autoindex_rows_1"); ok && err == nil {
			_ = index.Each(func(row Row) error {
				_, err := index.Find(row.At(0).Bytes)
				return err
			})
		}
	})
}
