//go:build race

package growthtest

const raceDetector = true
