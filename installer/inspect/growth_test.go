package inspect

import (
	"fmt"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
	"wsi/internal/testkit/growthtest"
)

// Conflicts between many hooks are found in linear time.
func TestTimeOfConflictsIsLinear(t *testing.T) {
	for name, of := range map[string]func(i int) setup.Hook{
		"programs": func(i int) setup.Hook {
			return setup.Hook{Command: fmt.Sprint("/x", i), Program: fmt.Sprint("/x", i)}
		},
		"one program": func(i int) setup.Hook { return setup.Hook{Command: fmt.Sprint("/x ", i), Program: "/x"} },
		"one command": func(int) setup.Hook { return setup.Hook{Command: "/x", Program: "/x"} },
		"matchers":    func(i int) setup.Hook { return setup.Hook{Command: "/x", Matcher: fmt.Sprintf("m%d.*", i)} },
		"a few matchers": func(i int) setup.Hook {
			return setup.Hook{Command: fmt.Sprint("/x", i), Matcher: fmt.Sprintf("m%d.*|Bash", i%10)}
		},
		"imported and own": func(i int) setup.Hook {
			return setup.Hook{Command: fmt.Sprint("/x", i), Program: fmt.Sprint("/x", i/2), Origin: []setup.Origin{setup.OfImport, setup.OfUser}[i%2]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			growthtest.Linear(t, 400, func(n int) func() {
				hooks := make([]setup.Hook, n)
				for i := range hooks {
					hooks[i] = of(i)
					hooks[i].File, hooks[i].Line, hooks[i].Handler, hooks[i].Event, hooks[i].Kind = "/s.json", i+1, i, "PreToolUse", "command"
				}
				return func() { Conflicts(claudecode.Harness(), hooks) }
			})
		})
	}
}
