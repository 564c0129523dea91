package hook

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// A rule of the user's for the same server must not stand in the way of the built-in one, wherever it
// comes in the order of rules.
const rulesNextTo = `
[[carry]]
name = "labels"
servers = ["workflow-server"]
shape = '^[a-z]{20,40}$'
scope = "session"
[carry.capture]
from = ["json:label"]
[[carry.repair]]
arguments = ["label"]
`

// Where the last result is not in the transcript yet, no older value is injected, not even next to an
// argument that another rule repairs.
func TestNothingStaleNextToARepairedArgument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.rulesFile(rulesNextTo)
		main := filepath.Join(w.home, "s1.jsonl")
		const label = "thelabelofthisactivity"
		w.run("capture", "claude-code", claudePost("s1", "", "toolu_1", "start_session", main, `{}`,
			`[{"type":"text","text":"{\"session_token\":\"`+token(1)+`\",\"label\":\"`+label+`\"}"}]`))
		w.run("capture", "claude-code", claudePost("s1", "", "toolu_2", "get_activity", main, `{"session_token":"`+token(1)+`"}`, `[]`))
		appendTo(t, main, "{}\n")
		pre := strings.Replace(claudePre("s1", "", "toolu_3", "get_activity", main), `{"n":12345678901234567890}`, `{"label":"`+label+`x"}`, 1)
		got := w.run("inject", "claude-code", pre)
		if strings.Contains(got, token(1)) {
			t.Errorf("an older value was put in: %s", got)
		}
		if e := w.last(); e.Waited == 0 || e.Why == "" {
			t.Errorf("journal %+v", e)
		}
	})
}
