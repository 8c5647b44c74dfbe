package pages

import (
	"io"
	"net/http"
)

// healthy says that the program runs.
func healthy(w http.ResponseWriter, _ *http.Request) { sayOK(w) }

func sayOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "ok\n")
}
