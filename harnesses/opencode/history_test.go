package opencode

import (
	"bytes"
	"os"
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/codectest"
)

// The database is read from its file and its log by the tests of hook/recorded.

func TestServerTool(t *testing.T) {
	d := database{servers: []string{"my_shop_2", "my.shop", "my"}}
	for name, want := range map[string]string{
		"my_shop_2_get_it": "my_shop_2 get_it",
		"my_shop_get":      "my.shop get",
		"my_get":           "my get",
		"gone_get_it":      "gone get_it",
		"apply_patch":      " ",
		"bash":             " ",
		"_x":               " ",
	} {
		server, tool, ok := d.serverTool(name)
		if !ok {
			server, tool = "", ""
		}
		if server+" "+tool != want {
			t.Errorf("%s: %q, %q", name, server, tool)
		}
	}
}

func FuzzHistory(f *testing.F) {
	content, err := os.ReadFile("../../hook/recorded/testdata/opencode/opencode.db")
	if err != nil {
		f.Fatal(err)
	}
	codectest.FuzzHistory(f, Harness(), string(content))
}

// A database of another program is refused.
func TestOtherDatabase(t *testing.T) {
	content, err := os.ReadFile("../../internal/sqlitefile/testdata/rows.db")
	if err != nil {
		t.Fatal(err)
	}
	r := harnesses.Recording{File: bytes.NewReader(content), Size: int64(len(content))}
	if err := history().Read(r, func(harnesses.Step) { t.Error("a step") }, func(string) {}); err == nil {
		t.Error("another program's database was read")
	}
}
