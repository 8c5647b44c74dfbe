package protocol

import "testing"

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
