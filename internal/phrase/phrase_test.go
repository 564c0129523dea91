package phrase

import (
	"testing"
	"time"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct{ home, shown, want string }{
		{"/root", "/root/.claude/settings.json", "~/.claude/settings.json"},
		{"/root", "/srv/root/cl/settings.json", "/srv/root/cl/settings.json"},
		{"/root", "/root", "~"},
		{"/root", "mv /root/a '/root/b c' and /root", "mv ~/a '/root/b c' and /root"},
		{"/root", `{"/root/a": (/root/b), x=/root/c:/root/d}`, `{"/root/a": (~/b), x=~/c:~/d}`},
		{"/root", "/root-old/a /rooter/b", "/root-old/a /rooter/b"},
		{"/", "/etc/x", "/etc/x"},
	} {
		if got := Shorten(c.shown, c.home, "/"); got != c.want {
			t.Errorf("%s: %s is shown as %s, want %s", c.home, c.shown, got, c.want)
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 59 * time.Second: "59 s", 2 * time.Minute: "2 min", 90 * time.Minute: "1 h", 72 * time.Hour: "3 days",
	} {
		if got := Age(d); got != want {
			t.Errorf("%s is %q", d, got)
		}
	}
}

func TestSome(t *testing.T) {
	words := []string{"é", "bb", "c"}
	for width, want := range map[int]string{0: "é and 2 more", 8: "é, bb, c", 7: "é and 2 more"} {
		if got := Some(words, width); got != want {
			t.Errorf("within %d: %q, want %q", width, got, want)
		}
	}
	if got := Some(append(words, "dddd", "eeee"), 17) + Some(nil, 0); got != "é, bb and 3 more" {
		t.Errorf("got %q", got)
	}
}
