package doctor

import (
	"slices"
	"strings"
	"testing"

	"wsi/hook/schemas"
)

// What the server's list says of a tool that no rule names is kept for hooks until the list says otherwise.
func TestToolsThatNoRuleNamesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	only("codex")(w)
	w.serve("")
	read := func() []string { return schemas.In(w.state()).Read("codex", "workflow-server", "get_new_thing") }
	for _, c := range []struct {
		tools string
		want  []string
	}{
		{carrying, nil},
		{carrying + "," + unnamed, []string{"session_token"}},
		{carrying + "," + strings.ReplaceAll(unnamed, "session_token", "session_index"), []string{"session_index"}},
		{carrying + "," + strings.Replace(unnamed, `,"required":["session_token"]`, "", 1), nil},
	} {
		w.program("server", speaking(c.tools))
		w.examineLive("server.answers")
		if got := read(); !slices.Equal(got, c.want) {
			t.Errorf("kept is %q, want %q", got, c.want)
		}
	}
}
