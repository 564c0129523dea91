"""Writes rows.db and rows.db-wal with Python's SQLite: 120 rows in the database, 60 more in the log, and some that
were never committed. Pages of 512 bytes make the trees deep and the rows long.
Run in this folder; then `go test ./internal/sqlitefile`."""
import os, shutil, sqlite3, tempfile

def body(i):
    return ("%d é " % i) * (i if i % 25 == 0 else i % 7)

def row(i):
    return ("k%05d" % (i * 7919 % 100000), [0, 1, -1, i, -i * 1000, i << 33, -(i << 50), None, 1.5][i % 9], body(i))

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "rows.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA page_size = 512")
    db.execute("CREATE TABLE `rows` (`id` text PRIMARY KEY, n integer DEFAULT (1+(2)), [body] text NOT NULL, CONSTRAINT x CHECK (n < 1e300))")
    db.execute("CREATE INDEX rows_n_idx ON rows (n)")
    db.executemany("INSERT INTO rows VALUES (?,?,?)", [row(i) for i in range(120)])
    db.execute("DELETE FROM rows WHERE rowid % 10 = 3")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("PRAGMA cache_size = 10")
    db.execute("BEGIN")
    db.executemany("INSERT INTO rows VALUES (?,?,?)", [row(i) for i in range(120, 180)])
    db.execute("UPDATE rows SET body = 'changed' WHERE rowid = 1")
    db.execute("COMMIT")
    db.execute("BEGIN")
    db.execute("UPDATE rows SET body = 'never'")
    for end in ("", "-wal"):
        shutil.copy(path + end, "rows.db" + end)
    db.execute("ROLLBACK")
