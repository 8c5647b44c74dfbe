package protocol

import (
	"strings"
	"testing"
	"unicode"
)

// A name is for people, and must not carry what stands before it.
func TestBaseName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/home/you/secret/shot.png":                 "shot.png",
		`C:\Users\you\shot.png`:                     "shot.png",
		`\\server\share\shot.png`:                   "shot.png",
		"shot#1.png":                                "shot#1.png",
		"https://u:pw@host.test/a/shot.png?sig=x#y": "shot.png",
		"https://u:pw@host.test":                    "",
		"https://u:pw@host.test/":                   "",
		"//u:pw@host.test":                          "",
		"https://host.test/%zz?sig=x":               "",
		"s3://bucket/key/shot.png":                  "shot.png",
		"data:image/png;base64,iVBORw0KGgo/AAAA":    "",
		"DATA:,x":                                   "",
		"shot.png?sig=x":                            "shot.png",
		"a\x1b[31m\u202eb.png":                      "a[31mb.png",
		"":                                          "",
		".":                                         "",
		"/":                                         "",
	} {
		if got := baseName(in); got != want {
			t.Errorf("baseName(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzBaseName(f *testing.F) {
	f.Add("https://u:pw@host.test/a/shot.png?sig=x#y")
	f.Add(`C:\Users\you\shot.png`)
	f.Add("//host/%2f%3f\x00")
	f.Fuzz(func(t *testing.T, p string) {
		name := baseName(p)
		if strings.Contains(name, "/") || len([]rune(name)) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
			t.Errorf("baseName(%q) = %q", p, name)
		}
	})
}
