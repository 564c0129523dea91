package doctor

import (
	"slices"
	"testing"

	"wsi/harnesses/setup"
)

// What a server's output must not show: its variables, and what is secret by its name or by its place.
func TestSecretsOfServers(t *testing.T) {
	s := setup.Server{
		Env:     map[string]string{"A": "a1"},
		Command: []string{"mysql", "--port", "b1", "--pwd", "b2", "--token-file", "b3", "--api-key=b5"},
	}
	got := secrets(s, []string{"HOME=c1", "MYSQL_PWD=c2", "PGPASSWORD=c3", "GIT_AUTHOR_NAME=c4", "GH_TOKEN=c5", "A=a1"})
	slices.Sort(got)
	if want := []string{"a1", "b2", "b5", "c2", "c3", "c5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
