package protocol

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"imagebreaker/internal/jsontree"
)

// ErrTooManyImages is the error of Scan for a body with more than 16384 media parts.
// Such a request bypasses inspection, as one with too many JSON values does.
var ErrTooManyImages = errors.New("body has too many media parts")

const (
	// maxImages is several times what any API takes in one request (Gemini:
	// 3,600). Each costs some hundred bytes beyond its own.
	maxImages = 1 << 14
	// maxDepth limits results within results. Clients were seen to nest them once;
	// every level of an endless nest would cost a longer path.
	maxDepth = 16
)

// walk goes through the messages of a request, in their order, and adds what it finds
// to the request. It serves all APIs: each of them hands it the messages and reads
// single parts in a function of its own.
type walk struct {
	*Request
	part      func(w *walk, p jsontree.Node, at position)
	arguments map[string]jsontree.Node // of the tool calls so far, by their ids
	last      jsontree.Node            // the arguments of the latest call, for APIs whose images are outside results
	system    bool                     // the message is the system's
	// The space of the positions, unless one outgrows it.
	place [8]int
	path  [128]byte
	near  [8]jsontree.Node
}

// position is where a part is, and what may name its file. Positions made from one
// share the space behind its slices, so that each is valid until the next is made.
type position struct {
	place []int           // see Image.Place
	path  []byte          // see Image.Path; nil for an API without paths
	near  []jsontree.Node // texts and arguments of tool calls, the most telling first
}

// start returns the position to start from. The path may be empty.
func (w *walk) start(path string) position {
	at := position{place: w.place[:0], near: w.near[:0]}
	if path != "" {
		at.path = append(w.path[:0], path...)
	}
	return at
}

// item is the position of a list's element.
func (at position) item(i int) position {
	at.place = append(at.place, i)
	if at.path != nil {
		at.path = strconv.AppendInt(append(at.path, '.'), int64(i), 10)
	}
	return at
}

// member is the position of an object's member, in the path.
func (at position) member(name string) position {
	at.path = append(append(at.path, '.'), name...)
	return at
}

// after adds a node that may name the part's file, less likely than the others.
func (at position) after(n jsontree.Node) position {
	if n.Exists() {
		at.near = append(at.near, n)
	}
	return at
}

// result is the position of a part in the result of a tool call, whose arguments are
// the most likely to name its file.
func (at position) result(arguments jsontree.Node) position {
	if arguments.Exists() {
		at.near = append([]jsontree.Node{arguments}, at.near...)
	}
	return at
}

// message begins a message. What the system says is no part of the conversation: it
// changes between attempts at one turn.
func (w *walk) message(role string) {
	w.system = role == "system" || role == "developer"
	if !w.system {
		w.conversation = append(w.conversation, piece{kind: roleBegins, name: role})
	}
}

// content reads the content of a message or of a part: a text, one part, or a list.
func (w *walk) content(c jsontree.Node, at position) {
	if len(at.place) > maxDepth {
		return
	}
	switch c.Kind() {
	case '"':
		w.text(c)
	case '{':
		w.part(w, c, at)
	}
	var before jsontree.Node
	for i, p := range c.Elements() {
		w.part(w, p, at.item(i).after(before))
		before = p.Get("text") // names the part that follows it, and no other
	}
}

func (w *walk) text(n jsontree.Node) {
	if !w.system && n.Kind() == '"' {
		w.conversation = append(w.conversation, piece{kind: textFollows, node: n})
	}
}

// call adds a tool call. The id may be empty.
func (w *walk) call(id, tool string, arguments jsontree.Node) {
	if w.arguments == nil {
		w.arguments = map[string]jsontree.Node{}
	}
	w.arguments[id] = arguments
	w.conversation = append(w.conversation, piece{kind: toolCalled, name: tool, node: arguments})
}

// image adds a media part. Those beyond the limit are dropped: Scan will fail.
func (w *walk) image(im Image, at position) {
	if len(w.Images) == maxImages {
		w.overfull = true
		return
	}
	im.Label = strings.ToLower(im.Label)
	im.Place, im.Path, im.near = slices.Clone(at.place), string(at.path), slices.Clone(at.near)
	w.conversation = append(w.conversation, piece{kind: imageFollows, image: int32(len(w.Images))})
	w.Images = append(w.Images, im)
}
