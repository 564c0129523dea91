//go:build release

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// caskReader plays Homebrew: it evaluates a cask for one system and prints the stanzas. It knows only the methods of
// Homebrew's DSL (Library/Homebrew/cask/dsl.rb, read in November 2026) that wsi's cask uses.
const caskReader = `
class Reader
  def initialize(os, arm) = (@os, @arm, @set = os, arm, {})
  def arch(arm: nil, intel: nil) = @set[:arch] ||= @arm ? arm : intel
  def os(macos: nil, linux: nil) = @set[:os] ||= @os == "macos" ? macos : linux
  def version(v = nil) = @set[:version] ||= v
  def sha256(arm:, x86_64:, arm64_linux:, x86_64_linux:)
    puts "sha256 " + (@os == "macos" ? (@arm ? arm : x86_64) : (@arm ? arm64_linux : x86_64_linux))
  end
  %w[url name desc homepage binary manpage bash_completion fish_completion zsh_completion caveats].each do |stanza|
    define_method(stanza) { |value| puts "#{stanza} #{value.lines.first}" }
  end
  def zap(trash:) = trash.each { |path| puts "zap #{path}" }
end
def cask(token, &block) = (puts "cask #{token}"; Reader.new(ARGV[0], ARGV[1] == "arm").instance_eval(&block))
load ARGV[2]
`

// The cask is Ruby, and names for each system the archive that was made for it, with files that are in it.
func TestCask(t *testing.T) {
	needs(t, "ruby")
	t.Log("NOT TESTED HERE: Homebrew itself")
	r := made(t, newer)
	must(t, "ruby", "-wc", r.path(t, "wsi.rb"))
	for _, p := range []platform{{"darwin", "arm64"}, {"darwin", "amd64"}, {"linux", "arm64"}, {"linux", "amd64"}} {
		os := map[string]string{"darwin": "macos", "linux": "linux"}[p.os]
		cpu := map[string]string{"arm64": "arm", "amd64": "intel"}[p.arch]
		stanzas := map[string][]string{}
		for line := range strings.Lines(must(t, "ruby", "-e", caskReader, os, cpu, r.path(t, "wsi.rb"))) {
			stanza, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			stanzas[stanza] = append(stanzas[stanza], value)
		}
		folder := "wsi_" + r.version + "_" + p.os + "_" + p.arch
		if got := stanzas["url"]; !slices.Equal(got, []string{"https://wsi.invalid/downloads/" + folder + ".tar.gz"}) {
			t.Errorf("%s: url %q", folder, got)
		}
		if got := stanzas["sha256"]; !slices.Equal(got, []string{sumOf(t, r.path(t, folder+".tar.gz"))}) {
			t.Errorf("%s: sha256 %q", folder, got)
		}
		there := strings.Fields(must(t, "tar", "-tzf", r.path(t, folder+".tar.gz")))
		files := slices.Concat(stanzas["binary"], stanzas["manpage"], stanzas["bash_completion"], stanzas["fish_completion"], stanzas["zsh_completion"])
		for _, file := range files {
			if !slices.Contains(there, file) {
				t.Errorf("%s: %s is not in the archive", folder, file)
			}
		}
		if len(files) < 15 || len(stanzas["binary"]) != 1 {
			t.Errorf("%s: only %q", folder, files)
		}
	}
}

// Scoop's manifest names for each system the archive that was made for it, with a program that is in it.
func TestScoop(t *testing.T) {
	needs(t, "unzip")
	t.Log("NOT TESTED HERE: Scoop itself")
	r := made(t, newer)
	data, err := os.ReadFile(r.path(t, "wsi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Version, Description, Homepage, License, Bin string
		Notes                                        []string
		Architecture                                 map[string]struct {
			URL, Hash  string
			ExtractDir string `json:"extract_dir"`
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil || m.Version != r.version || m.Homepage == "" || m.License != "MIT" {
		t.Fatalf("%v\n%s", err, data)
	}
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		a, folder := m.Architecture[name], "wsi_"+r.version+"_windows_"+arch
		if a.URL != "https://wsi.invalid/downloads/"+folder+".zip" || a.Hash != sumOf(t, r.path(t, folder+".zip")) {
			t.Errorf("%s: %+v", name, a)
		}
		program := a.ExtractDir + "/" + strings.ReplaceAll(m.Bin, `\`, "/")
		if out := must(t, "unzip", "-l", r.path(t, folder+".zip")); !strings.Contains(out, " "+program+"\n") {
			t.Errorf("%s: %s is not in the archive", name, program)
		}
	}
}

func sumOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The list of parts has the modules of the packages that go build compiles, and their licenses are in the archive.
func TestParts(t *testing.T) {
	r := made(t, newer)
	for _, p := range all {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./cmd/wsi")
		cmd.Dir, cmd.Env = r.source, append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			if line := lines.Text(); line != "" && line != "wsi " {
				want[line] = true
			}
		}
		data, err := os.ReadFile(r.path(t, "wsi_*_"+p.os+"_"+p.arch+".cdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			BOMFormat, SpecVersion string
			Metadata               struct{ Component part }
			Components             []part
		}
		if err := json.Unmarshal(data, &list); err != nil || list.BOMFormat != "CycloneDX" || list.SpecVersion != "1.6" || list.Metadata.Component.Version != r.version {
			t.Fatalf("%v\n%s", err, data)
		}
		got := map[string]bool{}
		for _, c := range list.Components[1:] {
			got[c.Name+" "+c.Version] = true
		}
		if list.Components[0].Name != "std" || !maps.Equal(got, want) || len(got) < 10 {
			t.Errorf("%s/%s: %v, want %v", p.os, p.arch, got, want)
		}
	}
	notices := filepath.Join(t.TempDir(), "notices")
	unpackFile(t, r.path(t, "wsi_*_"+host.os+"_"+host.arch+".tar.gz"), "share/doc/wsi/THIRD-PARTY.txt", notices)
	text, err := os.ReadFile(notices)
	if err != nil || !strings.Contains(string(text), "\ngithub.com/spf13/cobra v") || !strings.Contains(string(text), "The Go Authors") {
		t.Errorf("%v\n%s", err, text)
	}
}
