package protocol

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/go-json-experiment/json/jsontext"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
)

// piece is one thing that makes a conversation what it is. Pieces are noted
// while a body is scanned and hashed only when two conversations have to be
// compared, which is rare.
type piece struct {
	kind  pieceKind
	node  jsontree.Node // text: a string; call: the arguments
	name  string        // role, or the called tool
	image int32         // its index in Request.Images
}

type pieceKind byte

const (
	roleBegins pieceKind = iota // a message of the role begins
	saidText
	calledTool
	carriedImage
)

func (r *Request) role(name string) {
	r.conversation = append(r.conversation, piece{kind: roleBegins, name: name})
}

func (r *Request) text(n jsontree.Node) {
	if n.Kind() == '"' {
		r.conversation = append(r.conversation, piece{kind: saidText, node: n})
	}
}

func (r *Request) call(tool string, arguments jsontree.Node) {
	r.conversation = append(r.conversation, piece{kind: calledTool, name: tool, node: arguments})
}

// add notes an image, in the conversation as well. Of too many no more are kept:
// nobody will look at them.
func (r *Request) add(im Image) {
	if len(r.Images) == maxImages {
		r.overfull = true
		return
	}
	r.conversation = append(r.conversation, piece{kind: carriedImage, image: int32(len(r.Images))})
	r.Images = append(r.Images, im)
}

// Conversation is a digest of the roles, texts, tool calls and image sums in
// their order. What a client changes from one try of a turn to the next is not
// in it: model parameters, system prompt, tools, metadata, ids, cache marks,
// key order, and whether a text stands alone or in an array.
func (r *Request) Conversation() imagehash.Sum {
	return r.digest(func(imagehash.Sum) {})
}

// Earlier are the digests of the conversations that this one has grown out of:
// of what stands before each message and each tool call.
func (r *Request) Earlier() []imagehash.Sum {
	var out []imagehash.Sum
	r.digest(func(s imagehash.Sum) { out = append(out, s) })
	return out
}

// digest hashes the pieces, and tells how far it has come where a party begins.
func (r *Request) digest(begins func(soFar imagehash.Sum)) imagehash.Sum {
	h := sha256.New()
	put := func(b []byte) {
		h.Write(binary.AppendUvarint(nil, uint64(len(b))))
		h.Write(b)
	}
	for _, p := range r.conversation {
		if p.kind == roleBegins || p.kind == calledTool {
			begins(imagehash.Sum(h.Sum(nil)))
		}
		h.Write([]byte{byte(p.kind)})
		switch p.kind {
		case roleBegins:
			put([]byte(p.name))
		case saidText:
			put(p.node.Text())
		case calledTool:
			put([]byte(p.name))
			put(canonical(p.node))
		case carriedImage:
			h.Write(r.Images[p.image].Sum[:])
		}
	}
	return imagehash.Sum(h.Sum(nil))
}

// maxCanonical is from where on arguments are taken as they stand, in bytes: to
// sort a million members takes a hundred times their size.
const maxCanonical = 1 << 20

// canonical is a value whose members stand in a fixed order. Arguments that
// come as JSON in a string are taken for what the string holds.
func canonical(n jsontree.Node) []byte {
	raw := n.Raw()
	if n.Kind() == '"' {
		raw = n.Text()
	}
	if len(raw) > maxCanonical {
		return raw
	}
	v := jsontext.Value(append([]byte(nil), raw...))
	if err := v.Canonicalize(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return raw
	}
	return v
}

// said tells whether a role's words are part of the conversation. What the
// system says changes between tries of one turn.
func said(role string) bool { return role != "system" && role != "developer" }
