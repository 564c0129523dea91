package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// selection says which tests are run.
type selection struct {
	packages []string
	run      string   // only those whose names match this pattern, "" for all
	skip     []string // but not those with these names
}

// leftOut are the packages whose tests mean nothing as Windows programs, and why.
var leftOut = map[string]string{
	"wsi/internal/archtest": "its tests have the go command read the source, for every system",
}

// list returns the import paths of the packages. It tells which are left out.
func (w *wine) list(ctx context.Context, packages []string) (all []string, err error) {
	out, err := w.output(ctx, "windows", append([]string{"go", "list"}, packages...)...)
	for _, p := range strings.Fields(out) {
		if why := leftOut[p]; why != "" {
			fmt.Printf("left out: %s: %s\n", p, why)
			continue
		}
		all = append(all, p)
	}
	if err == nil && len(all) == 0 {
		err = errors.New("no packages")
	}
	return all, err
}

// test runs tests. It prints the output of those that fail.
func (w *wine) test(ctx context.Context, which selection) (results, error) {
	packages, err := w.list(ctx, which.packages)
	if err != nil {
		return results{}, err
	}
	overlay, err := w.overlay(ctx)
	if err != nil {
		return results{}, err
	}
	args := []string{"test", "-json", "-count=1", "-timeout", "30m", "-overlay", overlay, "-exec", w.wine}
	if which.run != "" {
		args = append(args, "-run", which.run)
	}
	if len(which.skip) > 0 {
		args = append(args, "-skip", "^("+strings.Join(which.skip, "|")+")$")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	// Wine names the root of the host's file system Z:.
	cmd.Env = append(w.env, "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0", "WSI_TEST_PROGRAMS=Z:"+w.path("programs"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return results{}, err
	}
	if err := cmd.Start(); err != nil {
		return results{}, err
	}
	r, err := read(out, os.Stdout)
	if e := cmd.Wait(); e != nil {
		err = errors.Join(err, fmt.Errorf("go test: %w", e))
	}
	return r, err
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// read reads the events of go test. It writes the output of each test and package that fails, and a line for each package.
func read(events io.Reader, w io.Writer) (r results, err error) {
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 16<<20)
	said := map[string][]string{}
	tests := map[string]map[string]int{} // package -> action -> number
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(w, lines.Text())
			continue
		}
		name := e.Package + "\t" + e.Test
		switch e.Action {
		case "output", "build-output":
			said[name] = append(said[name], e.Output)
			continue
		case "pass", "fail", "skip":
		default:
			continue
		}
		if tests[e.Package] == nil {
			tests[e.Package] = map[string]int{}
		}
		if e.Test != "" {
			tests[e.Package][e.Action]++
		}
		if e.Action == "fail" {
			fmt.Fprint(w, strings.Join(said[name], ""))
		} else if e.Test == "" && e.Action == "pass" {
			fmt.Fprintf(w, "ok\t%s\t%d passed, %d skipped\n", e.Package, tests[e.Package]["pass"], tests[e.Package]["skip"])
		}
		r.add(e, said[name])
		delete(said, name)
	}
	return r, lines.Err()
}
