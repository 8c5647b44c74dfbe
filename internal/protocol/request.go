package protocol

import (
	"net/http"
	"sync"

	"imagebreaker/internal/jsontree"
)

// Request is what a body tells.
type Request struct {
	Kind         Kind
	Model        string
	Session      string // empty: it belongs to none
	Stream       Stream // how the answer is wanted
	StreamUsage  bool   // the stream is to end with the usage
	JSON         bool   // the answer is to be JSON, or a tool's call: prose would be no answer
	Tools        bool   // it declares tools, as agents do
	Chained      bool   // the client goes on by the id of the answer
	SelfRepair   bool   // the client removes an image whose exact path an error names
	Images       []Image
	conversation []piece
	overfull     bool // there were more images than are kept
}

// Scan reads the body of a request that Match has claimed. h has the sums that
// were taken while the body was received; it may be nil.
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
