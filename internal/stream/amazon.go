package stream

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/go-json-experiment/json/jsontext"

	"imagebreaker/sse"
)

// A message begins with a prelude: its length, the length of its headers and a
// checksum of both. Headers, payload and a checksum of everything follow. All
// numbers are big-endian, https://smithy.io/2.0/aws/amazon-eventstream.html.
const (
	preludeSize    = 12
	minMessageSize = preludeSize + 4
	maxHeadersSize = 128 << 10
	maxMessageSize = minMessageSize + maxHeadersSize + 24<<20
)

// amazonScanner finds the messages of a stream in Amazon's binary framing. One of
// more than maxEvent bytes is skipped: half a message has no checksum.
type amazonScanner struct {
	buf       []byte // the incomplete message; of one that is skipped, nothing
	missing   int    // bytes until the prelude, then the message is complete
	inMessage bool   // the prelude is complete
	skipping  bool
	lost      bool // synchronization is lost: nobody knows where the next message begins
}

func newAmazonScanner() *amazonScanner { return &amazonScanner{missing: preludeSize} }

func (a *amazonScanner) Feed(p []byte, emit func(sse.Event)) {
	for len(p) > 0 && !a.lost {
		n := min(a.missing, len(p))
		if !a.skipping {
			a.buf = append(a.buf, p[:n]...)
		}
		p, a.missing = p[n:], a.missing-n
		switch {
		case a.missing > 0:
		case !a.inMessage:
			a.endPrelude()
		default:
			a.endMessage(emit)
		}
	}
}

// End has nothing to emit: a message without its checksum may be anything.
func (a *amazonScanner) End(func(sse.Event)) { *a = *newAmazonScanner() }

// endPrelude validates a prelude. After an invalid one the rest of the stream is
// ignored; the client, which gets every byte anyway, will report it.
func (a *amazonScanner) endPrelude() {
	size := binary.BigEndian.Uint32(a.buf)
	headers := binary.BigEndian.Uint32(a.buf[4:])
	sum := binary.BigEndian.Uint32(a.buf[8:])
	if size < minMessageSize || size > maxMessageSize || headers > size-minMessageSize || sum != crc32.ChecksumIEEE(a.buf[:8]) {
		a.buf, a.lost = nil, true
		return
	}
	a.inMessage, a.missing = true, int(size)-preludeSize
	if a.skipping = size > maxEvent; a.skipping {
		a.buf = nil
	}
}

func (a *amazonScanner) endMessage(emit func(sse.Event)) {
	if !a.skipping {
		// One with a wrong checksum cannot be trusted. The next may be intact.
		if m, err := eventstream.NewDecoder().Decode(bytes.NewReader(a.buf), nil); err == nil {
			emit(amazonEvent(m))
		}
	}
	*a = amazonScanner{buf: a.buf[:0], missing: preludeSize}
}

// amazonEvent names an event by its type and an exception by its class. An error
// of no class is in the headers alone; its data are made to look like those of an
// exception.
func amazonEvent(m eventstream.Message) sse.Event {
	header := func(name string) string {
		s, _ := m.Headers.Get(name).(eventstream.StringValue)
		return string(s)
	}
	switch header(":message-type") {
	case "exception":
		return sse.Event{Name: header(":exception-type"), Data: m.Payload}
	case "error":
		return sse.Event{Name: header(":error-code"), Data: amazonError(header(":error-code"), header(":error-message"))}
	}
	return sse.Event{Name: header(":event-type"), Data: m.Payload}
}

func amazonError(code, message string) []byte {
	out := []byte(`{"error":{"code":`)
	out, _ = jsontext.AppendQuote(out, code) // the only error is invalid UTF-8, which it replaces
	out = append(out, `,"message":`...)
	out, _ = jsontext.AppendQuote(out, message)
	return append(out, "}}"...)
}

// AppendAmazon appends one event in Amazon's framing, whose payload is JSON, to dst
// and returns the extended slice. A name or a payload that is too long for the
// framing (32 KiB, 4 GiB) appends nothing.
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
