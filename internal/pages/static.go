package pages

import (
	"embed"
	"net/http"
	"path"
)

// static are the files of the page. It needs no others.
//
//go:embed static
var static embed.FS

// kinds are the media types of the files.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// files are the page's paths. The page itself is what stands at the prefix.
func files() map[string]page {
	out := map[string]page{}
	list, _ := static.ReadDir("static") // it is there, or this would not have been built
	for _, f := range list {
		name := f.Name()
		out[prefix+name] = page{get: serveFile(name)}
	}
	out[prefix] = out[prefix+"page.html"]
	delete(out, prefix+"page.html")
	return out
}

func serveFile(name string) http.HandlerFunc {
	data, _ := static.ReadFile("static/" + name)
	kind := kinds[path.Ext(name)]
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Write(data)
	}
}
