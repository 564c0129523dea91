// Command windows runs the tests as a Windows program, in Wine. It makes a Wine prefix in .cache/wine, with the one library
// that Go needs and Wine 8 lacks, and has gotestsum run the test binaries of all packages in it. At the end it says how many
// tests passed and what was skipped, with the reasons. It exits with status 1 if a test failed or Wine is not installed.
//
// It must not know what the tests are about.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
)

// quickly are the packages of -quick: what a user of Windows would notice first. The others take most of the time.
var quickly = []string{
	"./cmd/wsi", "./harnesses/...", "./hook/...", "./installer", "./installer/binary", "./installer/edit", "./installer/files",
	"./installer/inspect", "./internal/atomicfile", "./internal/plainfile",
}

// notQuickly are the tests in them that -quick leaves out: they try everything, or at random, and take more time than all others.
var notQuickly = []string{
	"TestAnyHome", "TestBadContents", "TestConcurrentWriteAtEveryMoment", "TestEveryModeChange", "TestEveryOperationFails",
	"TestKilledAtEveryStep", "TestNoFalseAlarms", "TestPreviewJSONAndApplyAgree", "TestRemoveAfterKill",
}

// notHere is left out: its tests have the go command read the source, for every system.
const notHere = "wsi/internal/archtest"

func main() {
	quick := flag.Bool("quick", false, "leave out slow packages and tests")
	can := flag.Bool("can", false, "only say whether the tests can be run here")
	gotestsum := flag.String("gotestsum", "gotestsum", "the `program` that shows the results")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := windows(ctx, *can, *quick, *gotestsum, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func windows(ctx context.Context, onlyLook, quick bool, gotestsum string, packages []string) error {
	t, err := findTools()
	if err != nil || onlyLook {
		return err
	}
	w, err := newWine(ctx, t)
	if err != nil {
		return err
	}
	defer w.end()
	if err := w.buildPrograms(ctx); err != nil {
		return err
	}
	var flags []string
	switch {
	case len(packages) > 0:
	case quick:
		packages, flags = quickly, []string{"-skip", "^(" + strings.Join(notQuickly, "|") + ")$"}
		fmt.Printf("left out by -quick: all packages but %s, and %s\n", strings.Join(quickly, ", "), strings.Join(notQuickly, ", "))
	default:
		packages = []string{"./..."}
	}
	return w.test(ctx, gotestsum, flags, packages)
}

// test runs the tests of packages.
func (w *wine) test(ctx context.Context, gotestsum string, flags, packages []string) error {
	listed, err := w.output(ctx, "windows", append([]string{"go", "list"}, packages...)...)
	if err != nil {
		return err
	}
	packages = slices.DeleteFunc(strings.Fields(listed), func(p string) bool { return p == notHere })
	overlay, err := w.overlay(ctx)
	if err != nil {
		return err
	}
	args := []string{"--format", "pkgname-and-test-fails", "--format-hide-empty-pkg", "--", "-count=1", "-timeout", "30m", "-overlay", overlay, "-exec", w.wine}
	cmd := exec.CommandContext(ctx, gotestsum, slices.Concat(args, flags, packages)...)
	// Wine names the root of the host's file system Z:.
	cmd.Env = append(w.env, "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0", "WSI_TEST_PROGRAMS=Z:"+w.path("programs"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
