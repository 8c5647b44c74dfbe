package failure

import (
	"encoding/json"
)

// quoteJSON returns s as a JSON string.
func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// work is how much of a purely sequential test's work is done: an eighth under
// the race detector, which has nothing to find there and makes it ten times slower.
func work(n int) int {
	if raceDetector {
		return max(1, n/8)
	}
	return n
}
