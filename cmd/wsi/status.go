package main

import (
	"github.com/spf13/cobra"

	"wsi/doctor"
	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/doctor/status"
	"wsi/internal/tui"
)

func newStatusCmd(e env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:        "status",
		SuggestFor: []string{"info", "show"},
		Short:      "Show what wsi has carried so far",
		Long: `Status shows how wsi is registered with each harness, and the faults that
wsi doctor --check finds. From the journal it shows which values hooks and
relays carried, which calls they left alone and why, when they last ran, and how
long they took. It only reads files. To test whether wsi works, run wsi doctor.`,
		Example: "  wsi status\n  wsi status --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := doctorFlags{check: true}.options(e.asking(false))
			if err != nil {
				return err
			}
			r, err := doctor.Run(cmd.Context(), o, platform)
			if err != nil {
				return err
			}
			s, err := status.Read(e.StateDir, r)
			if err != nil {
				return err
			}
			if asJSON {
				return report.Encode(e.Stdout, s)
			}
			return s.Text(e.Stdout, e.style())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

// style returns how status and log write for people.
func (e env) style() prose.Style {
	return prose.Style{Theme: e.theme(), Show: e.tilde, Now: e.Now(), Width: e.columns()}
}

// theme returns the theme of printed text.
func (e env) theme() tui.Theme {
	if e.Colors {
		return tui.Printed(e.ASCII)
	}
	return tui.Plain(e.ASCII)
}
