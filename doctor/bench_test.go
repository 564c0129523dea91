package doctor

import (
	"slices"
	"testing"
	"time"

	"wsi/doctor/report"
)

// BenchmarkDoctor is a whole examination of four harnesses, all well, as wsi doctor makes it. It
// reports the median, for that is what a person waits.
func BenchmarkDoctor(b *testing.B) {
	w := newWorld(b, "")
	o := w.options()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		r, err := Run(b.Context(), o, "")
		if err != nil || !r.Healthy() {
			b.Fatal(err, withStatus(r, report.Fail))
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(0, "ns/op") // the mean says less
}
