package setup

import "testing"

func TestDamaged(t *testing.T) {
	for line, want := range map[string]bool{
		"/opt/wsi injekt --harness codex":                          true,
		"/opt/wsi --harness codex inject":                          true,
		"/opt/wsi --harness codex":                                 true,
		"/opt/wsi inject--harness codex":                           true,
		"/opt/wsi 'inject --harness codex'":                        true,
		"/opt/wsi inject --harnes codex":                           true,
		"/opt/wsi inject codex":                                    true,
		"/opt/wsi capture --harness":                               true,
		"/opt/wsi capture --harness --server shop":                 true,
		"/opt/wsi capture --harness= --server shop":                true,
		"/opt/wsi capture --harness codex --server":                true,
		"/opt/wsi capture --harness codex --loud 7":                true,
		"/opt/wsi inject --harness 'codex":                         true,
		"'/opt/my programs/wsi inject --harness codex":             true,
		`"/opt/my programs/wsi" inject --harness "codex`:           true,
		viaCmd + `"C:/my programs/wsi.exe" injekt --harness codex`: true,

		"/opt/wsi inject --harness codex":            false, // as registered
		"/opt/wsi inject":                            false, // the plain interceptor
		"/opt/wsi capture --server shop":             false,
		"/opt/wsi capture --server codex":            false,
		"/opt/wsi injekt --harness cursor":           false, // another harness's
		"/opt/wsi status --harness codex":            false, // another command
		"/opt/wsi doctor --harness codex":            false,
		"/opt/wsi inject --harness codex | tee /log": false, // a user's own form
		"/opt/wsi injekt --harness codex || true":    false,
		"/opt/other injekt --harness codex":          false,
		"echo /opt/wsi injekt --harness codex":       false,
		"/opt/wsi":                                   false,
		"":                                           false,
	} {
		if got := Damaged(line, "codex"); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}
