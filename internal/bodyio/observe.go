package bodyio

import (
	"io"
	"sync"
)

// Observer is shown a body as it passes.
type Observer interface {
	// Feed shows the next piece, which is only valid until Feed returns.
	Feed(p []byte)
	// End tells that nothing more comes. clean says that the body was read to its
	// own end.
	End(clean bool)
}

// Observe returns body with an observer, which changes no byte and delays none. cut
// is called before End if the body breaks off by itself.
func Observe(body io.ReadCloser, o Observer, cut func()) io.ReadCloser {
	return &observed{ReadCloser: body, observer: o, cut: cut}
}

type observed struct {
	io.ReadCloser
	observer Observer
	cut      func()
	ended    sync.Once
}

func (o *observed) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	o.observer.Feed(p[:n])
	if err != nil {
		o.ended.Do(func() {
			if err != io.EOF {
				o.cut()
			}
			o.observer.End(err == io.EOF)
		})
	}
	return n, err
}

func (o *observed) Close() error {
	err := o.ReadCloser.Close()
	o.ended.Do(func() { o.observer.End(false) })
	return err
}

// Decoding shows an observer a body without its Content-Encoding. The work is done
// beside the body's way, which waits at most for the piece in hand. guard calls what
// it is given and survives its faults: a decoder that fails on odd bytes must not end
// the program.
func Decoding(encoding string, o Observer, guard func(func())) Observer {
	r, w := io.Pipe()
	d := &decoding{to: o, in: w, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		defer io.Copy(io.Discard, r) // whatever stops the decoding must not stop the body
		guard(func() { d.decode(encoding, r) })
	}()
	return d
}

type decoding struct {
	to   Observer
	in   *io.PipeWriter
	done chan struct{}
}

func (d *decoding) decode(encoding string, r io.Reader) {
	plain, err := Decoded(encoding, r)
	if err != nil {
		return
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := plain.Read(buf)
		if n > 0 {
			d.to.Feed(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// Feed implements Observer.
func (d *decoding) Feed(p []byte) {
	d.in.Write(p) // the reader takes everything
}

// End implements Observer.
func (d *decoding) End(clean bool) {
	d.in.Close()
	<-d.done
	d.to.End(clean)
}

// Detach returns a reader of src that can be closed without closing src. After that
// nothing is read from src any more.
func Detach(src io.Reader) io.ReadCloser { return &detached{src: src} }

type detached struct {
	mu  sync.Mutex
	src io.Reader // nil once closed
}

func (d *detached) Read(p []byte) (int, error) {
	d.mu.Lock()
	src := d.src
	d.mu.Unlock()
	if src == nil {
		return 0, errClosed
	}
	return src.Read(p)
}

func (d *detached) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.src = nil
	return nil
}
