// Command release makes what users install: for six platforms an archive, a list of its parts (SBOM) and a package for
// npm, for Linux packages for dpkg, rpm and apk, and the manifests of Homebrew and Scoop. Two runs on the same commit,
// with the same version of Go, write the same bytes.
//
// Without -publish it makes a snapshot, for tests: its version sorts before the release, and its manifests name an
// address that does not exist. With -publish the commit must have the tag of the version, and the publisher
// must say under which names and addresses the files will be found. It uploads nothing.
//
// It must not know what wsi does, only how it is built.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var r release
	var publish bool
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.source, "source", ".", "the checkout")
	flags.StringVar(&r.out, "out", "dist", "the `folder` to write; what is in it is deleted")
	flags.StringVar(&r.nfpm, "nfpm", "nfpm", "the `program` nfpm, which makes packages for Linux")
	flags.BoolVar(&publish, "publish", false, "make the release itself, not a snapshot")
	flags.StringVar(&r.Homepage, "homepage", "", "`address` of the project")
	flags.StringVar(&r.Downloads, "downloads", "", "`address` of the folder that the archives are uploaded to")
	flags.StringVar(&r.NPM, "npm", "", "`@scope/name` of the package in npm; those of the platforms have it as a prefix")
	flags.StringVar(&r.Maintainer, "maintainer", "", "`name <address>` for the packages of Linux")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.identify(ctx, publish); err != nil {
		return err
	}
	r.platforms = all
	if err := r.make(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "wsi %s: the files are in %s\n", r.version, r.out)
	if r.changed {
		fmt.Fprintln(out, "note: they contain changes that are not committed")
	}
	return nil
}
