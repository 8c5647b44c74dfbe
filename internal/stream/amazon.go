package stream

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/go-json-experiment/json/jsontext"

	"imagebreaker/sse"
)

// A message begins with its length, the length of its headers and a checksum of
// both. Headers, payload and a checksum of everything follow. All numbers are
// big-endian, https://smithy.io/2.0/aws/amazon-eventstream.html.
const (
	preludeSize = 12
	leastSize   = preludeSize + 4
	mostHeaders = 128 << 10
	mostSize    = leastSize + mostHeaders + 24<<20
)

// amazon finds the messages of a stream in Amazon's binary framing. One of more
// than maxEvent bytes is passed over: half a message has no checksum.
type amazon struct {
	part  []byte // what has come of the part in hand: the prelude, then the message with it
	left  int    // bytes until that part is whole
	begun bool   // it is the message
	large bool   // it is not kept
	lost  bool   // where a message begins is not known any more
}

func newAmazon() *amazon { return &amazon{left: preludeSize} }

func (a *amazon) Feed(p []byte, emit func(sse.Event)) {
	for len(p) > 0 && !a.lost {
		n := min(a.left, len(p))
		if !a.large {
			a.part = append(a.part, p[:n]...)
		}
		p, a.left = p[n:], a.left-n
		switch {
		case a.left > 0:
		case !a.begun:
			a.begin()
		default:
			a.finish(emit)
		}
	}
}

// End has nothing to emit: a message without its checksum may be anything.
func (a *amazon) End(func(sse.Event)) { *a = *newAmazon() }

// begin reads a prelude. After a wrong one there is no telling where the next
// message begins; the client, who gets every byte anyway, will say so.
func (a *amazon) begin() {
	size := binary.BigEndian.Uint32(a.part)
	headers := binary.BigEndian.Uint32(a.part[4:])
	sum := binary.BigEndian.Uint32(a.part[8:])
	if size < leastSize || size > mostSize || headers > size-leastSize || sum != crc32.ChecksumIEEE(a.part[:8]) {
		a.part, a.lost = nil, true
		return
	}
	a.begun, a.left = true, int(size)-preludeSize
	if a.large = size > maxEvent; a.large {
		a.part = nil
	}
}

func (a *amazon) finish(emit func(sse.Event)) {
	if !a.large {
		// One with a wrong checksum is nothing to go by. The next may be whole.
		if m, err := eventstream.NewDecoder().Decode(bytes.NewReader(a.part), nil); err == nil {
			emit(amazonEvent(m))
		}
	}
	*a = amazon{part: a.part[:0], left: preludeSize}
}

// amazonEvent names an event by its type and an exception by its class. An error
// that belongs to no class is in the headers alone; its data are made to look
// like one.
func amazonEvent(m eventstream.Message) sse.Event {
	text := func(name string) string {
		s, _ := m.Headers.Get(name).(eventstream.StringValue)
		return string(s)
	}
	switch text(":message-type") {
	case "exception":
		return sse.Event{Name: text(":exception-type"), Data: m.Payload}
	case "error":
		return sse.Event{Name: text(":error-code"), Data: amazonError(text(":error-code"), text(":error-message"))}
	}
	return sse.Event{Name: text(":event-type"), Data: m.Payload}
}

func amazonError(code, message string) []byte {
	out := []byte(`{"error":{"code":`)
	out, _ = jsontext.AppendQuote(out, code) // the only error is broken UTF-8, which it mends
	out = append(out, `,"message":`...)
	out, _ = jsontext.AppendQuote(out, message)
	return append(out, "}}"...)
}

// AppendAmazon adds one event in Amazon's framing, whose payload is JSON, to dst
// and returns the extended slice. A name or a payload that is too long for the
// framing (32 KiB, 4 GiB) adds nothing.
func AppendAmazon(dst []byte, name string, payload []byte) []byte {
	out := bytes.NewBuffer(dst)
	err := eventstream.NewEncoder().Encode(out, eventstream.Message{
		Headers: eventstream.Headers{
			{Name: ":event-type", Value: eventstream.StringValue(name)},
			{Name: ":content-type", Value: eventstream.StringValue("application/json")},
			{Name: ":message-type", Value: eventstream.StringValue("event")},
		},
		Payload: payload,
	})
	if err != nil {
		return dst
	}
	return out.Bytes()
}
