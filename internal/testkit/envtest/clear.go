package envtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// kept are the variables that do not change what wsi, a harness or git does: where programs and temporary files are, the
// settings of Go and npm, the way to the network, those of our tests, and what every program on Windows finds.
var kept = regexp.MustCompile(`(?i)^(PATH|HOME|TMPDIR|TMP|TEMP|USER|LOGNAME|SHELL|XDG_CACHE_HOME|` +
	`GO[A-Z0-9]*|CGO_.*|CC|NPM_.*|NFPM|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|ALL|NO)_PROXY|` +
	`WSI_(TEST_.*|E2E_CACHE|RECORD)|UPDATE_SCRIPTS|` +
	`USERPROFILE|(LOCAL)?APPDATA|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|PROGRAM.*|COMMONPROGRAM.*|WINE.*)$`)

// Clear unsets all variables that are not kept, as users have many. TestMain calls it in packages that
// start programs with the test's environment, or that read it. Without a home, the home is a folder that does not exist.
func Clear() {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "" && !kept.MatchString(name) {
			_ = os.Unsetenv(name) // it fails only for names that cannot be
		}
	}
	if _, err := os.UserHomeDir(); err != nil {
		_ = os.Setenv("HOME", filepath.Join(os.TempDir(), "no-home"))
	}
}
