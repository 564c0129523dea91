package harnesses

import (
	"reflect"
	"slices"
	"testing"
)

func TestFrontSurvivesParsing(t *testing.T) {
	own := []string{"npx", "-y", "--", "--url", "x"}
	for _, f := range []Front{
		{Path: "/usr/local/bin/wsi", Server: "workflow-server", Harness: "codex", State: "/home/a b/.local/state/wsi"},
		{Path: `C:\Program Files\wsi.exe`, Server: "--", Harness: "claude-code", State: `C:\x`},
		{Path: "/bin/wsi", Server: "a", Harness: "zed", State: "/s", More: []string{"--schema", "hidden", "--rules", "/r.toml"}},
		{Path: "wsi", Server: "a", Harness: "zed", State: "/s", URL: "https://example.com/mcp", Headers: []HeaderVar{{"Authorization", "WSI_HEADER_AUTHORIZATION"}, {"X-Y", "Z"}}},
	} {
		words, behind := f.Words(), 0
		if f.URL == "" {
			words, behind = append(words, own...), len(own)
		}
		got, at, ok := ParseFront(words)
		if !ok || !reflect.DeepEqual(got, f) || !slices.Equal(words[at:], own[:behind]) {
			t.Errorf("%q\n got %+v %d %v\nwant %+v", words, got, at, ok, f)
		}
	}
}

func TestOthersAreNoFront(t *testing.T) {
	for _, words := range [][]string{
		nil,
		{"wsi"},
		{"wsi", "relay"},
		{"wsi", "relay", "--server", "x"},
		{"wsi", "relay", "--server", "x", "--"},
		{"wsi", "relay", "--harness", "x", "--", "y"},
		{"newsi", "relay", "--server", "x", "--", "y"},
		{"/wsi/npx", "relay", "--server", "x", "--", "y"},
		{"wsi", "reference-server", "--server", "x", "--", "y"},
		{"wsi", "relay", "--verbose", "x", "--server", "x", "--", "y"},
		{"wsi", "relay", "--server", "x", "--url"},
		{"wsi", "relay", "--server", "x", "--url", "u", "--", "y"},
		{"wsi", "relay", "npx", "--", "y"},
	} {
		if f, own, ok := ParseFront(words); ok {
			t.Errorf("%q taken for a relay: %+v %d", words, f, own)
		}
	}
}
