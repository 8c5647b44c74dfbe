package bodyio

import "bytes"

// Bounds of what is kept of an answer in order to judge it. Upstreams echo
// whole requests (23 MB were measured), and put the cause before the echo or
// behind it.
const (
	headSize = 1 << 20
	tailSize = 64 << 10
	// keptRun is how much of a long run of base64 is kept: enough to see that
	// it is one.
	keptRun = 128
)

// HeadTail keeps a bounded copy of a text that passes by. Long runs of base64
// digits are cut to their beginning; what is over the head's bound is kept
// only as far as it is the tail. The zero value is ready.
type HeadTail struct {
	head, tail []byte
	run        int // base64 digits in a row, until now
	cut        bool
}

// Write never fails.
func (c *HeadTail) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		digits := 0
		for digits < len(p) && isBase64[p[digits]] {
			digits++
		}
		keep := min(digits, max(0, keptRun-c.run))
		c.keep(p[:keep])
		if c.run <= keptRun && c.run+digits > keptRun {
			c.keep([]byte("…"))
		}
		c.run += digits
		p = p[digits:]
		if len(p) == 0 {
			break
		}
		others := 1
		for others < len(p) && !isBase64[p[others]] {
			others++
		}
		c.run = 0
		c.keep(p[:others])
		p = p[others:]
	}
	return n, nil
}

func (c *HeadTail) keep(p []byte) {
	if room := headSize - len(c.head); room > 0 {
		n := min(room, len(p))
		c.head = append(c.head, p[:n]...)
		p = p[n:]
	}
	if len(p) == 0 {
		return
	}
	c.tail = append(c.tail, p...)
	if len(c.tail) > 2*tailSize {
		c.cut = true
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-tailSize:]...)
	}
}

// Bytes is what was kept.
func (c *HeadTail) Bytes() []byte {
	if len(c.tail) == 0 {
		return c.head
	}
	gap := ""
	if c.cut {
		gap = "…"
	}
	return bytes.Join([][]byte{c.head, c.tail}, []byte(gap))
}

var isBase64 = func() (t [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_") {
		t[b] = true
	}
	return t
}()
