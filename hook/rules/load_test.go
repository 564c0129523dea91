package rules

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
)

// tenRules is a user's file with ten rules in it, all of them as long as the workflow-server's.
func tenRules(t testing.TB) []byte {
	t.Helper()
	one := string(BuiltinFile)
	one = one[:strings.Index(one, "# workflow-server since then")]
	var b bytes.Buffer
	for i := range 10 {
		fmt.Fprintln(&b, strings.NewReplacer("workflow-server token", fmt.Sprint("rule ", i), `["workflow-server"]`, fmt.Sprintf(`["server-%d"]`, i)).Replace(one))
	}
	return b.Bytes()
}

func write(t testing.TB, path, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

var wired = []string{"one", "two", "all"}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file, cache := filepath.Join(dir, FileName), filepath.Join(dir, CacheName(wired))
	now := time.Now().Truncate(time.Second)
	const mine = "[[carry]]\nname = 'mine'\nservers = ['%s']\n[carry.capture]\nfrom = ['meta:x']\n"

	base, err := LoadFor(wired, file, cache)
	if err != nil || len(base.Rules) == 0 {
		t.Fatalf("without a file: %v", err)
	}
	write(t, file, fmt.Sprintf(mine, "one"), now)
	first, err := LoadFor(wired, file, cache)
	if err != nil || len(first.For("one")) != 1 {
		t.Fatalf("with a file: %v, %+v", err, first.For("one"))
	}
	kept, err := os.ReadFile(cache)
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadFor(wired, file, cache)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again, asWritten); diff != "" {
		t.Errorf("(-parsed +compiled):\n%s", diff)
	}

	// Rules for other servers cost a hook nothing; those that stand in for built-in ones are kept.
	const others = "[[carry]]\nname = 'other'\nservers = ['third']\n[carry.capture]\nfrom = ['meta:y']\n[[carry]]\nname = 'workflow-server index'\nenabled = false\n"
	more := filepath.Join(dir, "more.toml")
	write(t, more, fmt.Sprintf(mine, "one")+others, now)
	for range 2 {
		s, err := LoadFor(wired, more, filepath.Join(dir, "more"))
		if err != nil || len(s.For("one")) != 1 || s.For("third")[0].Name == "other" || len(s.For(WorkflowServer)) != 2 {
			t.Errorf("of several rules: %v, %+v", err, s.Rules)
		}
	}
	if s, err := Load(more); err != nil || s.For("third")[0].Name != "other" {
		t.Errorf("all rules: %v", err)
	}

	// That the compiled form is what is read shows when it says something else.
	write(t, cache, strings.ReplaceAll(string(kept), `["one"]`, `["all"]`), now)
	if s, err := LoadFor(wired, file, cache); err != nil || len(s.For("all")) != 1 {
		t.Errorf("the compiled form was not read: %v", err)
	}
	for name, spoilt := range map[string]string{
		"empty": "", "cut": string(kept[:len(kept)-9]), "longer": string(kept) + "x\n",
		"of another wsi": strings.Replace(string(kept), `"format":`+format, `"format":999`, 1),
	} {
		write(t, cache, spoilt, now)
		if s, err := LoadFor(wired, file, cache); err != nil || len(s.For("one")) != 1 {
			t.Errorf("compiled form %s: %v", name, err)
		}
		if again, err := os.ReadFile(cache); err != nil || !bytes.Equal(again, kept) {
			t.Errorf("compiled form %s was not written again: %v", name, err)
		}
	}

	write(t, file, fmt.Sprintf(mine, "two"), now.Add(time.Second))
	if s, err := LoadFor(wired, file, cache); err != nil || len(s.For("two")) != 1 || s.For("one")[0].Name != Token {
		t.Errorf("an edited file: %v", err)
	}
	write(t, file, "[[carry]]\nnam = 'mine'\n", now.Add(2*time.Second))
	var errs Errors
	if s, err := LoadFor(wired, file, cache); !errors.As(err, &errs) || len(s.Rules) != len(base.Rules) {
		t.Errorf("a wrong file: %v, %d rules", err, len(s.Rules))
	}
	if s, err := LoadFor(wired, file, cache); !errors.Is(err, ErrRefused) || len(s.Rules) != len(base.Rules) {
		t.Errorf("a wrong file is parsed again: %v, %d rules", err, len(s.Rules))
	}
	if _, err := LoadFor([]string{"another"}, file, cache); !errors.As(err, &errs) {
		t.Errorf("a wrong file, for a hook of another server: %v", err)
	}
	write(t, file, "[[carry]]\nname = 'mine'\n", now.Add(3*time.Second))
	if _, err := LoadFor(wired, file, cache); !errors.As(err, &errs) {
		t.Errorf("another wrong file: %v", err)
	}
	write(t, file, fmt.Sprintf(mine, "one"), now.Add(4*time.Second))
	if s, err := LoadFor(wired, file, cache); err != nil || len(s.For("one")) != 1 {
		t.Errorf("a file that is right again: %v", err)
	}
	write(t, file, fmt.Sprintf(mine, "two"), now.Add(3*time.Second))
	if s, err := LoadFor(wired, file, filepath.Join(file, "cache")); err != nil || len(s.For("two")) != 1 {
		t.Errorf("no place for the compiled form: %v", err)
	}
	if _, err := LoadFor(wired, dir, cache); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	write(t, file, strings.Repeat("#", maxFile+1), now)
	var large plainfile.TooLargeError
	if _, err := LoadFor(wired, file, cache); !errors.As(err, &large) {
		t.Errorf("too large: %v", err)
	}
}

func TestUserFile(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	for _, c := range []struct{ xdg, home, want string }{
		{"", config, filepath.Join(config, ".config", "wsi", FileName)},
		{config, "", filepath.Join(config, "wsi", FileName)},
		{"relative", config, filepath.Join(config, ".config", "wsi", FileName)},
		{"", "", ""},
	} {
		if got := UserFile(func(string) string { return c.xdg }, c.home); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// What a run of the hook pays for its rules.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	file, cache := filepath.Join(dir, FileName), filepath.Join(dir, CacheName(wired))
	write(b, file, string(tenRules(b)), time.Now())
	load := func(b *testing.B, file, cache string) {
		b.Helper()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := LoadFor(wired, file, cache); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("decode built-in", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(Encode(Builtin())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("no file", func(b *testing.B) { load(b, filepath.Join(dir, "none"), cache) })
	b.Run("ten rules compiled", func(b *testing.B) { load(b, file, cache) })
	b.Run("ten rules parsed", func(b *testing.B) { load(b, file, "") })
	b.Run("shape compiled and matched", func(b *testing.B) {
		value := strings.Repeat("eyJ3ZiI6", 50) + "." + strings.Repeat("0a", 32)
		for b.Loop() {
			if !carry.Pattern(`^[A-Za-z0-9_-]{100,}\.[0-9a-f]{64}$`).Matches(value) {
				b.Fatal("no match")
			}
		}
	})
}
