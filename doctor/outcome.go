package doctor

import (
	"fmt"
	"time"

	"wsi/doctor/report"
)

// outcome is the result of a check. Its text is a sentence without a capital and a full stop.
type outcome struct {
	status    report.Status
	text, fix string
	took      time.Duration // 0: not measured
}

// in sets how long the check took.
func (o outcome) in(took time.Duration) outcome {
	o.took = took
	return o
}

func good(format string, args ...any) outcome {
	return outcome{status: report.OK, text: fmt.Sprintf(format, args...)}
}

func note(format string, args ...any) outcome {
	return outcome{status: report.Info, text: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) outcome {
	return outcome{status: report.Skip, text: fmt.Sprintf(format, args...)}
}

func attention(fix, format string, args ...any) outcome {
	return outcome{status: report.Warn, text: fmt.Sprintf(format, args...), fix: fix}
}

func broken(fix, format string, args ...any) outcome {
	return outcome{status: report.Fail, text: fmt.Sprintf(format, args...), fix: fix}
}
