// Command windows runs the tests as a Windows program, in Wine. It makes a Wine prefix in .cache/wine, with the one library
// that Go needs and Wine 8 lacks, and runs the test binaries of all packages in it. At the end it says how many tests passed
// and what was skipped, with the reasons. It exits with status 1 if a test failed or Wine is not installed.
//
// It must not know what the tests are about.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
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

func main() {
	quick := flag.Bool("quick", false, "leave out slow packages and tests")
	run := flag.String("run", "", "run only tests whose names match this `pattern`")
	can := flag.Bool("can", false, "only say whether the tests can be run here")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tests := selection{packages: flag.Args(), run: *run}
	switch {
	case len(tests.packages) > 0:
	case *quick:
		tests.packages, tests.skip = quickly, notQuickly
	default:
		tests.packages = []string{"./..."}
	}
	if err := windows(ctx, *can, tests); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func windows(ctx context.Context, onlyLook bool, tests selection) error {
	begin := time.Now()
	t, err := findTools()
	if err != nil || onlyLook {
		return err
	}
	w, err := newWine(ctx, t)
	if err != nil {
		return err
	}
	defer w.end()
	size, err := w.buildPrograms(ctx)
	if err != nil {
		return err
	}
	results, err := w.test(ctx, tests)
	results.print(os.Stdout)
	if len(tests.skip) > 0 {
		fmt.Printf("left out by -quick: the packages that are not named above, and %s\n", strings.Join(tests.skip, ", "))
	}
	fmt.Printf("Wine %s, wsi.exe of %.1f MB, %v\n", w.version, float64(size)/1e6, time.Since(begin).Round(time.Second))
	return err
}
