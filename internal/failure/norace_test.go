//go:build !race

package failure

const raceDetector = false
