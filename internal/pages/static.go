package pages

import (
	"embed"
	"net/http"
	"path"
	"strings"
)

// static has the files of the page. It loads no others.
//
//go:embed static
var static embed.FS

// contentTypes are fixed here, because those of package mime depend on the machine.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// staticRoutes serves the files under their names, and page.html at the prefix.
func staticRoutes() map[string]route {
	routes := map[string]route{}
	files, _ := static.ReadDir("static") // embedded, so there are no errors
	for _, f := range files {
		data, _ := static.ReadFile("static/" + f.Name())
		contentType := contentTypes[path.Ext(f.Name())]
		routes[prefix+strings.TrimSuffix(f.Name(), "page.html")] = route{get: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Write(data)
		}}
	}
	return routes
}
