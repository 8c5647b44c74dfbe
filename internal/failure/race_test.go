//go:build race

package failure

const raceDetector = true
