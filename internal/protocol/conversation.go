package protocol

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/go-json-experiment/json/jsontext"

	"imagebreaker/imagehash"
	"imagebreaker/internal/jsontree"
)

// piece is a part of the conversation. Pieces are collected while a body is scanned,
// and hashed only if two conversations are compared, which is rare.
type piece struct {
	kind  pieceKind
	node  jsontree.Node // text: a string; tool call: the arguments
	name  string        // role, or the called tool
	image int32         // its index in Request.Images
}

type pieceKind byte

const (
	roleBegins pieceKind = iota // a message of the role
	textFollows
	toolCalled
	imageFollows
)

// Conversation returns a digest of the roles, texts, tool calls and image sums in
// their order. It leaves out what a client changes between attempts at one turn:
// model parameters, system prompt, tools, metadata, ids, cache marks, the order of
// members, and whether a text is alone or in a list.
func (r *Request) Conversation() imagehash.Sum {
	return r.digest(func(imagehash.Sum) {})
}

// Earlier returns the digests of the conversations that this one continues: of what
// precedes each message and each tool call.
func (r *Request) Earlier() []imagehash.Sum {
	var out []imagehash.Sum
	r.digest(func(s imagehash.Sum) { out = append(out, s) })
	return out
}

// digest hashes the pieces, and calls begins with the digest so far before each
// message and each tool call.
func (r *Request) digest(begins func(soFar imagehash.Sum)) imagehash.Sum {
	h := sha256.New()
	put := func(b []byte) {
		h.Write(binary.AppendUvarint(nil, uint64(len(b))))
		h.Write(b)
	}
	for _, p := range r.conversation {
		if p.kind == roleBegins || p.kind == toolCalled {
			begins(imagehash.Sum(h.Sum(nil)))
		}
		h.Write([]byte{byte(p.kind)})
		switch p.kind {
		case roleBegins:
			put([]byte(p.name))
		case textFollows:
			put(p.node.Text())
		case toolCalled:
			put([]byte(p.name))
			put(canonical(p.node))
		case imageFollows:
			h.Write(r.Images[p.image].Sum[:])
		}
	}
	return imagehash.Sum(h.Sum(nil))
}

// maxCanonical limits the arguments that are sorted, in bytes: to sort a million
// members takes a hundred times their size.
const maxCanonical = 1 << 20

// canonical returns a value with its members in a fixed order. Of arguments that are
// JSON in a string it is what the string holds; longer ones stay as they are.
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
