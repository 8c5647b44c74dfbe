package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"imagebreaker/internal/jsontree"
)

// Request is what the body of a request says.
type Request struct {
	Kind         Kind
	Model        string
	Session      string // empty: it belongs to none
	Stream       Stream // the stream that the client asks for
	StreamUsage  bool   // the stream is to end with the usage
	JSON         bool   // the answer must be JSON, or a tool call: a text would not do
	Tools        bool   // it declares tools, as agents do
	Chained      bool   // the client will refer to the answer by its id
	SelfRepair   bool   // the client removes an image whose exact path an error names
	Images       []Image
	conversation []piece
	overfull     bool // there were more than maxImages
}

// Scan reads the body of a request that Match has claimed. h has the sums that were
// taken while the body was received; it may be nil. The error is one of jsontree.Parse,
// or ErrTooManyImages.
func Scan(a API, c Call, header http.Header, body []byte, h *Hasher) (*Request, error) {
	root, err := jsontree.Parse(body)
	if err != nil {
		return nil, err
	}
	r := a.Scan(c, header, root)
	if r.overfull {
		return nil, ErrTooManyImages
	}
	for i := range r.Images {
		im := &r.Images[i]
		im.hash(h)
		im.inspect = sync.OnceValue(im.inspectOnce)
	}
	r.Kind = max(r.Kind, c.Kind)
	r.Model, r.Session = bounded(r.Model), bounded(session(header, root))
	return r, nil
}

// maxKept limits the names that are retained long after their request, in bytes.
// Session ids and models were seen to have at most some hundred.
const maxKept = 256

// bounded returns a name that may be retained: it keeps nothing else of the request
// alive, and one that is too long becomes its beginning with a hash, which keeps two
// names apart.
func bounded(name string) string {
	if len(name) <= maxKept {
		return strings.Clone(name)
	}
	sum := sha256.Sum256([]byte(name))
	return strings.ToValidUTF8(name[:maxKept/2], "") + "…" + hex.EncodeToString(sum[:16])
}

// streamIf returns an event stream if the member asks for one. Servers that are lax
// with types take 1 and "true" for true.
func streamIf(n jsontree.Node) Stream {
	switch string(n.Raw()) {
	case "true", "1", `"true"`, `"True"`, `"1"`:
		return eventStream
	}
	return ""
}

// demandsJSON reports whether a format member asks for JSON instead of text.
func demandsJSON(format jsontree.Node) bool {
	return format.Kind() == '{' && format.Get("type").String() != "text"
}

// forcesTool reports whether a tool choice rules out text. Programs use it to get JSON
// from models that have no other way.
func forcesTool(choice jsontree.Node) bool {
	switch choice.String() {
	case "any", "ANY", "tool", "required":
		return true
	}
	kind := choice.Get("type").String()
	return kind == "function" || kind == "custom"
}
