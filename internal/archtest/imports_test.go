package archtest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "wsi/"

// may says what the packages of a folder may import of this module, tests included. The rule with
// the longest matching folder holds; a package that no rule names is a violation, so that a new
// folder has to say where it stands. "x/..." is x and all below it, "<name>" the last part of the importing package's path.
var may = map[string][]string{
	"cmd/...": {"..."},

	// What a hook links.
	"harnesses":          {"hook/carry", "internal/jsonraw"},
	"harnesses/...":      {"harnesses", "hook/carry", "internal/jsonraw", "hook/rules", "internal/testkit/codectest"}, // the last two for tests
	"harnesses/clients":  {"harnesses", "harnesses/dialects"},
	"harnesses/dialects": {"harnesses/..."},
	// What the installer and the doctor need.
	"harnesses/setup":          {"harnesses", "harnesses/clients", "internal/endpoint", "internal/lists", "internal/phrase", "internal/jsonraw", "internal/stdiorpc", "internal/testkit/envtest"}, // the last for tests
	"harnesses/setup/...":      {"harnesses", "harnesses/<name>", "harnesses/clients", "harnesses/setup", "hook/carry", "internal/...", "templates/..."},
	"harnesses/setup/registry": {"harnesses/...", "internal/lists", "internal/testkit/envtest"},

	// The engine is pure: neither harnesses nor files.
	"hook/carry": {"internal/jsonraw"},
	"hook/...":   {"harnesses", "harnesses/dialects", "hook/...", "internal/..."},
	// The plain interceptor of the specification speaks Claude Code's dialect.
	"hook": {"harnesses", "harnesses/dialects", "harnesses/claudecode", "hook/...", "internal/..."},
	// The other port of the engine keeps the same things in the same places, and writes the same journal.
	"relay/...":  {"harnesses", "harnesses/clients", "harnesses/dialects", "hook/carry", "hook/callers", "hook/journal", "hook/rules", "hook/ruleset", "hook/schemas", "hook/vault", "relay/...", "internal/..."},
	"relay/wire": {"internal/jsonraw"},

	"installer/...": {"harnesses/...", "installer/...", "internal/...", "templates/..."},
	// The packages below the plan read; they must not know how files are changed.
	"installer/inspect": {"harnesses/...", "installer/edit", "internal/endpoint", "internal/lists", "internal/jsonraw", "internal/phrase", "internal/testkit/envtest", "internal/testkit/growthtest"},
	"installer/ledger":  {"harnesses/setup", "installer/refusal", "internal/lists", "internal/phrase", "internal/state"},
	"installer/refusal": {"harnesses/setup", "internal/phrase", "internal/plainfile"},
	"installer/files":   {"installer/refusal", "internal/atomicfile", "internal/owner", "internal/plainfile"},
	"installer/binary":  {"harnesses/setup", "installer/inspect", "internal/testkit/envtest", "internal/testkit/linktest"},
	"installer/edit":    {"harnesses", "harnesses/setup", "internal/..."},
	"doctor/...":        {"harnesses/...", "hook/...", "installer/...", "doctor/...", "internal/...", "templates/..."},
	"templates/...":     {"harnesses", "harnesses/setup", "internal/testkit/buildtest", "internal/testkit/envtest", "internal/testkit/wine"},

	"internal/...":               {"internal/..."},
	"internal/archtest":          {"harnesses/setup/registry", "internal/testkit/buildtest"},
	"internal/testkit/...":       {"internal/..."},
	"internal/testkit/codectest": {"harnesses", "hook/carry", "hook/rules"},
	"internal/testkit/envtest":   {"harnesses/setup"},
	"internal/testkit/terminal":  {"internal/printable", "internal/tui"}, // it plays programs of screens
	"internal/dev/...":           {"..."},
	// The simulator is held against the engine, not built from it: from outside, as a harness sees it. Of the
	// vault it takes the form that keeps files in memory.
	"internal/dev/simulate": {"harnesses", "harnesses/setup", "harnesses/setup/claudecode", "hook", "hook/journal", "hook/vault", "internal/testkit/fakeserver", "internal/testkit/buildtest", "hook/schemas"},
}

// never says what must not be linked into a package, however many imports away. The same patterns,
// but of whole import paths.
var never = map[string][]string{
	module + "cmd/wsi": {
		"github.com/modelcontextprotocol/go-sdk/...", // docs/decisions/0004
		"net/rpc/...", // its page for debugging links html/template
		"github.com/charmbracelet/glamour/...", "charm.land/glamour/...", "github.com/alecthomas/chroma/...", "github.com/yuin/goldmark/...",
		"github.com/creack/pty/...", "github.com/charmbracelet/x/vt/...", // of tests
		"github.com/atotto/clipboard/...", // docs/decisions/0001
		module + "internal/testkit/...", module + "internal/dev/...",
	},
	module + "hook/...":            slices.Concat(terminal, programs, cold, []string{"os/exec", "net/http/..."}),
	module + "harnesses/dialects":  slices.Concat(terminal, programs, cold, []string{"os/exec", "net/http/..."}),
	module + "relay/...":           slices.Concat(terminal, programs, cold),
	module + "harnesses/setup/...": slices.Concat(terminal, programs, []string{"net/http/..."}),
	module + "installer":           terminal,
	module + "doctor":              terminal,
}

var (
	terminal = []string{"charm.land/...", "github.com/charmbracelet/...", "github.com/spf13/cobra/..."}
	programs = []string{module + "installer/...", module + "doctor/...", module + "cmd/..."}
	cold     = []string{module + "harnesses/setup/...", module + "internal/stdiorpc", module + "templates"} // no tool call needs it
)

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

func TestImports(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		pkgs := list(t, goos)
		for _, v := range slices.Concat(boundaries(pkgs), links(pkgs)) {
			t.Errorf("%s: %s", goos, v)
		}
	}
}

// boundaries returns the direct imports that no rule of may allows.
func boundaries(pkgs []pkg) (violations []string) {
	for _, p := range pkgs {
		from := strings.TrimPrefix(p.ImportPath, module)
		rule, ok := "", false
		for r := range may {
			if match(r, from) && (!ok || precise(r) > precise(rule)) {
				rule, ok = r, true
			}
		}
		if !ok {
			violations = append(violations, from+" stands under no rule: give it one in may")
			continue
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			to, ours := strings.CutPrefix(imp, module)
			allowed := func(pattern string) bool { return match(strings.ReplaceAll(pattern, "<name>", path.Base(from)), to) }
			if ours && to != from && !slices.ContainsFunc(may[rule], allowed) {
				violations = append(violations, from+" imports "+to+", and "+rule+" may not")
			}
		}
	}
	return violations
}

// links returns what is linked against a rule of never.
func links(pkgs []pkg) (violations []string) {
	for _, p := range pkgs {
		for rule, banned := range never {
			if !match(rule, p.ImportPath) {
				continue
			}
			for _, dep := range p.Deps {
				if slices.ContainsFunc(banned, func(pattern string) bool { return match(pattern, dep) }) {
					violations = append(violations, p.ImportPath+" links "+dep)
				}
			}
		}
	}
	return violations
}

func match(pattern, name string) bool {
	folder, below := strings.CutSuffix(pattern, "...")
	if !below {
		return pattern == name
	}
	return strings.HasPrefix(name+"/", folder)
}

// precise orders the rules that match one path: the longer folder wins, and of equals the one that
// means the folder alone.
func precise(rule string) int {
	if folder, below := strings.CutSuffix(rule, "/..."); below {
		return 2 * len(folder)
	}
	return 2*len(rule) + 1
}

func TestForbiddenImportsAreSeen(t *testing.T) {
	for _, c := range []struct {
		name string
		pkg  pkg
		want string // "" = allowed
	}{
		{"hook uses the installer", pkg{ImportPath: "wsi/hook", Imports: []string{"wsi/installer"}}, "hook imports installer, and hook may not"},
		{"a harness knows another", pkg{ImportPath: "wsi/harnesses/codex", Imports: []string{"wsi/harnesses/cursor"}}, "harnesses/codex imports harnesses/cursor, and harnesses/... may not"},
		{"a harness is two folders", pkg{ImportPath: "wsi/harnesses/setup/gemini", Imports: []string{"wsi/harnesses/gemini", "wsi/harnesses/setup", "wsi/templates"}}, ""},
		{"a hook starts a program", pkg{ImportPath: "wsi/hook", Deps: []string{"os/exec"}}, "wsi/hook links os/exec"},
		{"the doctor fixes", pkg{ImportPath: "wsi/doctor", Imports: []string{"wsi/installer"}}, ""},
		{"a folder without a rule", pkg{ImportPath: "wsi/util", Imports: []string{"fmt"}}, "util stands under no rule: give it one in may"},
		{"a name that only begins alike", pkg{ImportPath: "wsi/hook", Imports: []string{"wsi/hookworm"}}, "hook imports hookworm, and hook may not"},
		{"the binary links the SDK", pkg{ImportPath: "wsi/cmd/wsi", Deps: []string{"github.com/modelcontextprotocol/go-sdk/mcp"}}, "wsi/cmd/wsi links github.com/modelcontextprotocol/go-sdk/mcp"},
	} {
		if got := strings.Join(slices.Concat(boundaries([]pkg{c.pkg}), links([]pkg{c.pkg})), "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// The libraries that the program must use, and the packages that may: all others use what these make of it.
var libraries = map[string][]string{
	"charm.land/bubbletea/v2":         {"cmd/wsi", "installer/wizard", "doctor/console", "internal/tui"},
	"charm.land/lipgloss/v2":          {"internal/tui"},
	"charm.land/bubbles/v2/help":      {"internal/tui"},
	"charm.land/bubbles/v2/key":       {"internal/tui"},
	"charm.land/bubbles/v2/table":     {"internal/tui"},
	"charm.land/bubbles/v2/viewport":  {"internal/tui"},
	"github.com/pelletier/go-toml/v2": {"hook/rules", "installer/edit", "harnesses/setup/...", "doctor/live"},
	"github.com/tidwall/sjson":        {"internal/jsonraw"},
	"github.com/tidwall/gjson":        {"internal/jsonraw"},
}

func TestLibrariesAreUsed(t *testing.T) {
	all := list(t, "linux")
	i := slices.IndexFunc(all, func(p pkg) bool { return p.ImportPath == module+"cmd/wsi" })
	shipped := append(slices.Clone(all[i].Deps), module+"cmd/wsi")
	for library, users := range libraries {
		used := false
		for _, p := range all {
			if !slices.Contains(shipped, p.ImportPath) || !strings.HasPrefix(p.ImportPath, module) || !slices.Contains(p.Imports, library) {
				continue
			}
			used = true
			name := strings.TrimPrefix(p.ImportPath, module)
			if !slices.ContainsFunc(users, func(pattern string) bool { return match(pattern, name) }) {
				t.Errorf("%s imports %s, and may not", name, library)
			}
		}
		if !used {
			t.Errorf("no package of the program imports %s", library)
		}
	}
}

// Every package has a row in docs/architecture.md, and every row names a package. "x/..." is x and all below it,
// "harnesses/<name>" any harness; a name after the first one in a row is in the same folder.
func TestArchitectureNamesPackages(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{} // by name: a package has it
	for line := range strings.Lines(string(doc)) {
		cell := regexp.MustCompile("^\\| (`[a-z][^|]*) \\|").FindStringSubmatch(line)
		if cell == nil {
			continue
		}
		folder := ""
		for _, name := range strings.Split(cell[1], ", ") {
			name = folder + strings.Trim(name, "`")
			rows[name] = false
			folder = name[:strings.LastIndex(name, "/")+1]
		}
	}
	for _, p := range list(t, "linux") {
		name := strings.TrimPrefix(p.ImportPath, module)
		known := false
		for row := range rows {
			pattern := strings.ReplaceAll(row, "<name>", filepath.Base(name))
			if match(pattern, name) || match(pattern+"/...", name) && row == "internal/refserver" {
				rows[row], known = true, true
			}
		}
		if !known {
			t.Errorf("docs/architecture.md has no row for %s", name)
		}
	}
	for row, found := range rows {
		if !found {
			t.Errorf("docs/architecture.md has a row for %s, which is not a package", row)
		}
	}
}

// go-runewidth before v0.0.31 builds a table of 2 MB before main: 25 ms for every hook call. Some terminal libraries ask for it,
// and are outvoted only as long as go.mod asks for more.
func TestRunewidthIsLazy(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if old := regexp.MustCompile(`github\.com/mattn/go-runewidth v0\.0\.([12]?\d|30)\b`).Find(file); old != nil {
		t.Errorf("%s: go.mod must require v0.0.31 or later", old)
	}
}

// list returns the module's packages as they are on a platform, with every file that only tests or
// the end-to-end tests have.
func list(t *testing.T, goos string) (pkgs []pkg) {
	t.Helper()
	watch(t)
	out := goCommand(t, []string{"GOOS=" + goos, "CGO_ENABLED=0"},
		"list", "-tags", "e2e", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", module+"...")
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 10 {
		t.Fatalf("go list found only %d packages", len(pkgs))
	}
	return pkgs
}

// watch reads every folder of the module, so that go test does not take the result of an earlier
// run for this one: it remembers what a test opens, but not what the go command it starts does.
func watch(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{".git", ".cache", "bin", "node_modules", "testdata"}, d.Name()) {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func goCommand(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}
