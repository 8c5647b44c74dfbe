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
