//go:build !race

package growthtest

const raceDetector = false
