package claudecode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/internal/stdiorpc"
)

// ask has Claude Code read a copy of a settings file in a home of its own. The copy sets an API key in its environment, so that
// `claude auth status` shows whether the file took effect. It runs nothing that the file names. A file that is ignored
// has no effect, so a session without input may be begun with it: its debug file names the settings at fault (2.1.300 and later).
// Tried with 2.1.197, 2.1.260, 2.1.300, 2.1.330 and 2.1.332: 0.2 s, and 1.2 s for a session.
func ask(ctx context.Context, env setup.Env, binary, dir string, content []byte) (said setup.Answer, err error) {
	members, err := jsonraw.Object(bytes.TrimPrefix(content, []byte("\ufeff")))
	if err != nil {
		return said, err
	}
	q := question{ctx: ctx, user: env, binary: binary, dir: dir}
	accepted, err := q.accepts(withKey(members))
	if err != nil {
		return said, err
	}
	if accepted {
		if slices.ContainsFunc(managedFiles(env), func(f setup.HookFile) bool { _, err := env.Stat(f.Path); return err == nil }) {
			if accepted, err = q.accepts([]byte("not JSON")); accepted {
				err = errors.New("the administrator's settings set a key, too")
			}
		}
		if err == nil {
			said.Ignored, err = q.ignored(members.Get("hooks"))
		}
		return said, err
	}
	refused := setup.InvalidConfigError{Effect: "Claude Code ignores the whole file", Said: true}
	refused.Place, refused.Why = q.fault()
	for i := 0; refused.Place == "" && i < len(members); i++ {
		if alone, err := q.accepts(withKey(members[i : i+1])); err == nil && !alone {
			refused.Place, _ = jsonraw.Unquote(members[i].Key)
			refused.Why = "Claude Code does not accept its value"
		}
	}
	if refused.Place == "" {
		return said, errors.New("it does not say why")
	}
	refused.Fix = "correct " + refused.Place + ", or remove it"
	said.Refused = &refused
	return said, nil
}

// quiet returns an environment with another home, and without an account and network access.
func quiet(env setup.Env, dir string) []string {
	return append(env.Away(dir), moves+"="+dir, "ANTHROPIC_BASE_URL=http://127.0.0.1:9", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
}

// question is one home in which Claude Code is asked.
type question struct {
	ctx         context.Context //nolint:containedctx // it is one call of ask
	user        setup.Env
	binary, dir string
}

// withKey returns a settings file that sets an API key in addition. The other variables are left out: they are secrets,
// and any text is accepted. Those that are not texts stay.
func withKey(members jsonraw.Members) []byte {
	vars, err := jsonraw.ObjectIn(members.Get("env"))
	if err != nil && members.Get("env") != nil {
		return harmless(members.Raw()) // Claude Code ignores the file
	}
	vars = slices.DeleteFunc(vars, func(m jsonraw.Member) bool { return m.Value[0] == '"' })
	vars = append(vars, jsonraw.Member{Key: []byte(`"ANTHROPIC_API_KEY"`), Value: []byte(`"wsi"`)})
	members = slices.DeleteFunc(slices.Clone(members), func(m jsonraw.Member) bool { return m.Is("env") })
	return harmless(append(members, jsonraw.Member{Key: []byte(`"env"`), Value: vars.Raw()}).Raw())
}

// runs reports whether a setting with this name is a command line: command, apiKeyHelper, awsAuthRefresh, awsCredentialExport.
func runs(name string) bool {
	name = strings.ToLower(name)
	return name == "command" || slices.ContainsFunc([]string{"helper", "refresh", "export"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// harmless replaces each command line in a value, so that no version of Claude Code can run one of a file that its user has not
// agreed to. Any text is accepted there but an empty one.
func harmless(value []byte) []byte {
	if members, err := jsonraw.ObjectIn(value); err == nil {
		for i, m := range members {
			members[i].Value = harmless(m.Value)
			if name, _ := jsonraw.Unquote(m.Key); runs(name) && m.Value[0] == '"' && len(m.Value) > 2 {
				members[i].Value = []byte(`"true"`)
			}
		}
		return members.Raw()
	}
	if elements, err := jsonraw.ArrayIn(value); err == nil {
		return jsonraw.List(lists.Map(elements, harmless))
	}
	return value
}

// accepts reports whether a settings file that sets an API key takes effect.
func (q question) accepts(content []byte) (bool, error) {
	if err := os.WriteFile(filepath.Join(q.dir, "settings.json"), content, 0o600); err != nil {
		return false, err
	}
	stdout, err := q.run("auth", "status")
	if err != nil {
		return false, err
	}
	var status struct {
		LoggedIn *bool `json:"loggedIn"`
	}
	if err := json.Unmarshal(stdout, &status); err != nil || status.LoggedIn == nil {
		return false, errors.New("claude auth status does not say whether there is a key")
	}
	return *status.LoggedIn, nil
}

// run returns what Claude Code prints, also if it fails.
func (q question) run(args ...string) (stdout []byte, err error) {
	stdout, err = q.user.Run(q.ctx, stdiorpc.Program{Path: q.binary, Args: args, Dir: q.dir, Env: quiet(q.user, q.dir)})
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		err = nil
	}
	return stdout, err
}

// fault returns the settings that Claude Code names when it begins a session with the file, "" if it names none.
func (q question) fault() (place, why string) {
	withoutValues := regexp.MustCompile(`^(Expected [a-z]+, but received [a-z]+|Invalid value\. Expected one of: ("[\w-]+"(, )?)+)$`)
	var places []string
	for _, line := range q.skipped() {
		places = append(places, line[0])
		if why = "Claude Code does not accept its value"; withoutValues.MatchString(line[1]) {
			why = strings.ToLower(line[1][:1]) + line[1][1:]
		}
	}
	if places = slices.Compact(places); len(places) > 1 {
		why = fmt.Sprintf("Claude Code does not accept these %d values", len(places))
	}
	return strings.Join(places, ", "), why
}

// spoiled is a setting that Claude Code does not accept, so that it ignores the file that has it.
var spoiled = jsonraw.Member{Key: []byte(`"cleanupPeriodDays"`), Value: []byte(`"x"`)}

// ignored returns the entries of hooks that Claude Code ignores in a file that it accepts. It is asked with a file that it does not,
// because a session runs the hooks of one that it does. Versions that name no settings name no entries.
func (q question) ignored(hooks []byte) (all []setup.IgnoredEntry, err error) {
	if hooks == nil {
		return nil, nil
	}
	members := jsonraw.Members{{Key: []byte(`"hooks"`), Value: hooks}, spoiled}
	if accepted, err := q.accepts(withKey(members)); accepted || err != nil {
		return nil, err // not known
	}
	for _, line := range q.skipped() {
		if path := strings.Split(line[0], "."); path[0] == "hooks" {
			why, _, _ := strings.Cut(line[1], "; ")
			why, _, _ = strings.Cut(why, ". ")
			all = append(all, setup.IgnoredEntry{Path: path, Why: why})
		}
	}
	return all, nil
}

// skipped begins a session with the settings file, and returns the places and reasons that Claude Code writes into its debug file.
func (q question) skipped() (lines [][2]string) {
	skipped := regexp.MustCompile(`Invalid setting skipped without dialog[^:]*: .*?settings\.json: ([^:]+): (.*)`)
	file := filepath.Join(q.dir, "debug.txt")
	_, _ = q.run("--debug-file", file, "-p") // it always ends with an error: there is no input
	said, _ := os.ReadFile(file)             // an older one writes no such lines
	for _, line := range skipped.FindAllSubmatch(said, -1) {
		lines = append(lines, [2]string{string(line[1]), string(line[2])})
	}
	return lines
}

// validate returns an error if a file is not a JSON object: Claude Code ignores all of it then. Whether it accepts what is in the
// object, its program says: see [ask]. A byte order mark, and an empty or blank file, are not errors (2.1.332).
func validate(_ setup.HookFile, content []byte) error {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if len(bytes.TrimSpace(content)) == 0 {
		return nil
	}
	root, err := setup.DecodeJSON[map[string]any](content)
	switch {
	case err == nil && root != nil:
		return nil
	case err == nil:
		err = errors.New("it is null, not an object")
	}
	return setup.InvalidConfigError{Effect: "Claude Code ignores the whole file", Why: err.Error()}
}
