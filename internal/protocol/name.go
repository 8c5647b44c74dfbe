package protocol

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"

	"imagebreaker/internal/jsontree"
)

// maxName limits a file name for people, in runes.
const maxName = 80

// pathArguments are the arguments that hold a file's path in the tools of agents:
// Claude Code, Codex, opencode, Gemini CLI, and common ones.
var pathArguments = []string{"file_path", "filePath", "path", "absolute_path", "filename", "file", "url"}

// Texts near an image that name its file: Codex's <image … path="x.png">, an agent's
// @x.png, or just a path.
var (
	pathAttribute = regexp.MustCompile(`<image\b[^>]*\bpath="([^"]+)"`)
	nameAttribute = regexp.MustCompile(`<image\b[^>]*\bname=\[?([^\]>"]+)`)
	atFile        = regexp.MustCompile(`(?:^|\s)@"?([^\s"]+\.\w{2,5})\b`)
	fileWord      = regexp.MustCompile(`(?i)([^\s"'<>()\[\]:]+\.(?:png|jpe?g|gif|webp|avif|heic|svg|bmp|tiff?|ico|pdf|mp4|wav|mp3))\b`)
)

// Name returns the base name of the image's file: as its part declares it, else from
// the tool call whose result it is, else from the text before it. Empty if none of them
// has one. It is for answers to the client, never for a log.
func (im *Image) Name() string {
	if im.name != "" {
		return baseName(im.name)
	}
	for _, n := range im.near {
		if name := nameIn(n); name != "" {
			return baseName(name)
		}
	}
	return ""
}

// nameIn finds a file name in a tool call's arguments or in a text.
func nameIn(n jsontree.Node) string {
	text := n.Text()
	if n.Kind() == '{' || len(text) > 0 && text[0] == '{' {
		return nameInArguments(n, text)
	}
	if len(text) > 4096 {
		text = text[len(text)-4096:] // the end is next to the image
	}
	for _, re := range []*regexp.Regexp{pathAttribute, nameAttribute, atFile, fileWord} {
		if all := re.FindAllSubmatch(text, -1); all != nil {
			return string(all[len(all)-1][1])
		}
	}
	return ""
}

func nameInArguments(n jsontree.Node, text []byte) string {
	if n.Kind() == '"' {
		t, err := jsontree.Parse(text)
		if err != nil {
			return ""
		}
		n = t
	}
	for _, a := range pathArguments {
		if s := n.Get(a).String(); s != "" {
			return s
		}
	}
	return ""
}

// baseName returns the last element of a path of any system, printable and short.
func baseName(p string) string {
	p = withoutAddress(strings.ReplaceAll(p, `\`, "/"))
	p, _, _ = strings.Cut(p, "?") // a URL's query may be a secret
	p = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, path.Base(p))
	if r := []rune(p); len(r) > maxName {
		p = string(r[:maxName-1]) + "…"
	}
	if p == "." || p == "/" {
		return ""
	}
	return p
}

// withoutAddress returns the path of a URL, whose authority may have a password, and
// nothing of a data URL. Other text is returned as it is.
func withoutAddress(p string) string {
	switch {
	case len(p) >= 5 && strings.EqualFold(p[:5], "data:"):
		return ""
	case !strings.Contains(p, "://") && !strings.HasPrefix(p, "//"):
		return p
	}
	u, err := url.Parse(p)
	if err != nil {
		return ""
	}
	return u.Path
}
