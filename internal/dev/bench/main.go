// Command bench measures the CPU time of a hook call, compared with a minimal Go program and the same program in Node. The programs run in turn, so that other load slows all of them. It exits with status 1 if a target
// is missed three times in a row.
//
// It must not know how the hook works.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"wsi/harnesses"
	"wsi/internal/testkit/buildtest"
)

// The targets. That for Node is part of each scene.
const (
	maxOfBare    = 1.45 // wsi takes at most this multiple of the bare Go program
	maxOfItself  = 1.15 // with 10,000 sessions or ten more rules wsi takes at most this multiple: 1, plus noise
	manySessions = 10_000
	rounds       = 200
	tries        = 3 // of a scene before a missed target counts, because the machine may be busy
)

func main() {
	missed, err := bench()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	case missed > 0:
		fmt.Fprintf(os.Stderr, "error: %d targets missed, %d times in a row\n", missed, tries)
		os.Exit(1)
	}
}

func bench() (missed int, err error) {
	dir, err := os.MkdirTemp("", "wsi-bench-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // best effort
	programs, err := contestants(dir)
	if err != nil {
		return 0, err
	}
	fmt.Printf("CPU time of one call, user and system, each program in turn, %d rounds; %s on %s/%s, %d cores\n", rounds, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, s := range []scene{
		{"inject, event of 2 KB", harnesses.Inject, 2 << 10, 10},
		{"capture, event of 2 KB", harnesses.Capture, 2 << 10, 10},
		{"capture, result of 1 MB", harnesses.Capture, 1 << 20, 2},
	} {
		n, err := s.compare(programs)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.name, err)
		}
		missed += n
	}
	return missed, nil
}

// install builds a program and copies it to path. The pages that a linker has just written are scattered in memory,
// and the kernel maps them one by one. On Linux 6.18 a large program takes a quarter longer to start from there, a
// small one a tenth.
func install(pkg, path string) error {
	linked := path + ".linked"
	if err := buildtest.Build(linked, pkg); err != nil {
		return err
	}
	program, err := os.ReadFile(linked)
	if err != nil {
		return err
	}
	return os.WriteFile(path, program, 0o700) //nolint:gosec // an executable
}

// contestants builds the programs and gives each a home folder with an open session.
func contestants(dir string) ([]program, error) {
	exe := func(name string) string {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		return filepath.Join(dir, name)
	}
	for name, pkg := range map[string]string{"wsi": buildtest.Wsi, "bare": "wsi/internal/dev/bench/bare"} {
		if err := install(pkg, exe(name)); err != nil {
			return nil, err
		}
	}
	programs := []program{
		{name: "wsi", argv: []string{exe("wsi")}},
		{name: "wsi, 10,000 sessions", argv: []string{exe("wsi")}, with: "10,000 sessions"},
		{name: "wsi, ten more rules", argv: []string{exe("wsi")}, with: "ten user rules"},
		{name: "bare Go", argv: []string{exe("bare")}},
	}
	if node, err := exec.LookPath("node"); err == nil {
		script, err := filepath.Abs(filepath.Join("internal", "dev", "bench", "bare.mjs"))
		if err != nil {
			return nil, err
		}
		programs = append(programs, program{name: "Node", argv: []string{node, script}, rare: true})
	} else {
		fmt.Println("node is not on the PATH and is not compared")
	}
	for i := range programs {
		p := &programs[i]
		p.home = filepath.Join(dir, fmt.Sprint("home", i))
		if err := os.Mkdir(p.home, 0o700); err != nil {
			return nil, err
		}
		switch i {
		case 1:
			for n := range manySessions {
				p.capture(after(fmt.Sprint("other-", n), 0, 2<<10))
			}
		case 2:
			if err := p.rule(10); err != nil {
				return nil, err
			}
		}
		if _, _, err := p.run(harnesses.Capture, after(session, 0, 2<<10)); err != nil {
			return nil, err
		}
	}
	return programs, nil
}
