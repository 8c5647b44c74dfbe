package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"

	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/upstream"
)

// upstreamFunc is an upstream without a socket, for tests that send very much,
// or that run where no socket works.
type upstreamFunc func(fakeapi.Request) (fakeapi.Answer, error)

// scripted is the upstream that plays a script.
func scripted(s fakeapi.Script) upstreamFunc {
	return func(q fakeapi.Request) (fakeapi.Answer, error) { return s(q), nil }
}

// counting is a scripted upstream that numbers its requests.
type counting struct {
	n  atomic.Int64
	to fakeapi.Script
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	n := c.n.Add(1)
	return upstreamFunc(func(q fakeapi.Request) (fakeapi.Answer, error) {
		q.N = int(n)
		return c.to(q), nil
	}).RoundTrip(r)
}

func (f upstreamFunc) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	a, err := f(fakeapi.Request{Method: r.Method, URI: r.URL.RequestURI(), Header: r.Header, Body: body})
	if err != nil {
		return nil, err
	}
	answer := append(a.Body, strings.Join(a.Pieces, "")...)
	h := a.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	return &http.Response{
		StatusCode: max(a.Status, http.StatusOK), Header: h, Request: r, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)),
	}, nil
}

// inMemory is a proxy before such an upstream.
func inMemory(up http.RoundTripper, set func(*proxy.Config)) *proxy.Proxy {
	base := &url.URL{Scheme: "http", Host: "upstream.test"}
	c := proxy.Config{Transport: up, Address: "127.0.0.1:8788", Upstreams: upstream.Set{
		"anthropic": base, "openai": base, "gemini": base, "vertex": base, "bedrock": base, "ollama": base,
	}}
	if set != nil {
		set(&c)
	}
	p := proxy.New(c)
	proxy.Poison(p)
	proxy.InspectAllEarly(p)
	return p
}

// call has a handler answer a request; headers are pairs.
func call(h http.Handler, method, target, body string, headers ...string) answer {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:8788"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if fault := recover(); fault != nil && fault != http.ErrAbortHandler {
				panic(fault)
			}
		}()
		h.ServeHTTP(w, r)
	}()
	return answer{w.Code, w.Header(), w.Body.String()}
}
