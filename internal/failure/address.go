package failure

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A wrapped status counts only if it is a media host's. The address beside it
// often is the one thing that tells a picture's host from the gateway's own
// services.

type place uint8

const (
	unknownPlace place = iota // redacted, or cut before its host ends
	publicPlace               // any host on the internet
	mediaPlace                // a file of a media type
	innerPlace                // a host inside the upstream's own network
	servicePlace              // an API, a database, a model hub
)

// address is one address of a message.
type address struct {
	text  string // whole; "" if redacted or cut
	place place
}

// documentation is where errors send people, never where media is.
var documentation = compile(`(?i)^https?://(?:[\w.-]*\.)?(?:` +
	`mozilla\.org|generativeai\.google|ai\.google\.dev|cloud\.google\.com|help\.openai\.com|platform\.openai\.com|` +
	`docs\.[\w.-]+|help\.aliyun\.com|aka\.ms|errors\.pydantic\.dev|go\.microsoft\.com|learn\.microsoft\.com|` +
	`developers\.[\w.-]+|openrouter\.ai/(?:docs|settings)\S*)(?:[/:?#]|$)`)

// addresses lists a message's addresses in their order.
func addresses(message string) []address {
	var out []address
	for _, at := range anyURL.FindAllStringIndex(message, maxItems) {
		s := message[at[0]:at[1]]
		if documentation.MatchString(s) {
			continue
		}
		out = append(out, address{wholeURL(s, message[at[1]:]), placeOf(s)})
	}
	return out
}

// wholeURL returns the address without the punctuation of its sentence, or ""
// if something is missing from it.
func wholeURL(s, after string) string {
	cut := strings.HasPrefix(after, "...") || strings.HasPrefix(after, "…") || strings.HasSuffix(s, "…")
	if cut || !strings.Contains(s, "://") || strings.ContainsAny(s, "<>*[…") || strings.Contains(s, "REDACTED") {
		return ""
	}
	return s
}

var (
	mediaFile = strings.Fields(".png .jpg .jpeg .gif .webp .heic .avif .bmp .tif .tiff .svg .ico .pdf " +
		".mp4 .mov .webm .mkv .avi .m4v .mp3 .wav .flac .ogg .m4a .aac .opus")
	modelFile = strings.Fields(".json .safetensors .bin .yaml .yml .py .tar .gz .zip .whl .txt .gguf .toml")
	apiStep   = compile(`(?i)/(?:chat|completions?|responses|messages|embeddings?|models?|generate(?:_stream)?|generations|edits|` +
		`invocations|invoke|predict|infer|tokenize|rerank|moderations?|health\w*|metrics|oauth2?|login|token|auth|` +
		`graphql|rpc|webhooks?|resolve|blobs|manifests)(?:[/:?]|$)`)
	serviceHost = compile(`(?i)^(?:api|auth|login|sso|inference|gateway|router|registry|llm|proxy|vault|telemetry)[.-]|` +
		`(?:^|\.)(?:huggingface\.co|hf\.co|pypi\.org|ghcr\.io|docker\.io|modelscope\.cn)$`)
	innerHost = compile(`(?i)^(?:localhost|[^.]+)$|(?:^|[.-])(?:internal|local|svc|cluster|lan|corp|intranet|backend)(?:\.|$)`)
)

// mediaSchemes are the schemes that media may have.
var mediaSchemes = []string{"http", "https", "s3", "gs", "file", "ftp"}

func placeOf(s string) place {
	u, err := url.Parse(s)
	hidden := strings.Contains(s, "<path>") // sanitizers hide the paths of files
	if hidden {
		u, err = url.Parse(s[:strings.Index(s, "<")])
	}
	if err != nil || u.Host == "" {
		return unknownPlace
	}
	ext := strings.ToLower(path.Ext(u.Path))
	switch host := u.Hostname(); {
	case !slices.Contains(mediaSchemes, strings.ToLower(u.Scheme)):
		return servicePlace
	case slices.Contains(mediaFile, ext):
		return mediaPlace
	case apiStep.MatchString(u.Path) || slices.Contains(modelFile, ext) || serviceHost.MatchString(host):
		return servicePlace
	case hidden:
		return publicPlace
	case isInner(host) || u.Port() != "" && u.Port() != "443" && u.Port() != "80":
		return innerPlace
	}
	return publicPlace
}

func isInner(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
	}
	return innerHost.MatchString(host)
}
