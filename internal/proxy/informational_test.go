package proxy_test

import (
	"testing"

	"imagebreaker/internal/fakeapi"
)

// What an upstream says before its answer reaches the clients that can take it, and
// leaves the answer as it is.
func TestInformationalAnswers(t *testing.T) {
	t.Parallel()
	const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	const goOn = "HTTP/1.1 100 Continue\r\n\r\n"
	const answer = "HTTP/1.1 200 OK\r\nX-Own: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
	const old = "HTTP/1.0 200 OK\r\nX-Own: 1\r\nContent-Length: 2\r\n\r\nok"
	cases := []struct {
		name, version, expect, said, want string
	}{
		{"none", "1.1", "", answer, answer},
		{"hints", "1.1", "", hints + answer, hints + answer},
		{"hints twice", "1.1", "", hints + hints + answer, hints + hints + answer},
		{"processing", "1.1", "", "HTTP/1.1 102 Processing\r\n\r\n" + answer, "HTTP/1.1 102 Processing\r\n\r\n" + answer},
		{"unasked for", "1.1", "", goOn + answer, goOn + answer},
		{"asked for", "1.1", "Expect: 100-continue\r\n", goOn + answer, goOn + answer},
		{"asked for, not said", "1.1", "Expect: 100-Continue\r\n", answer, goOn + answer},
		{"asked for, and hints", "1.1", "Expect: 100-continue\r\n", goOn + hints + answer, goOn + hints + answer},
		{"hints to HTTP/1.0", "1.0", "", hints + answer, old},
		{"unasked for to HTTP/1.0", "1.0", "", goOn + answer, old},
	}
	for _, path := range []string{"/v1/messages", "/v1/other"} {
		for _, c := range cases {
			up := wired(t, func(w wire) {
				if r, _ := w.request(); r != nil {
					w.say(c.said)
				}
			})
			addr := behind(t, nil, to(t, up))
			got := raw(t, addr, "POST "+path+" HTTP/"+c.version+"\r\nHost: x\r\nConnection: close\r\n"+c.expect+"Content-Length: 2\r\n\r\n{}")
			if sortedHead(got) != sortedHead(c.want) {
				t.Errorf("%s, %s: got %q, want %q", path, c.name, got, c.want)
			}
		}
	}
}

// An answer of our own after an informational one is whole.
func TestOwnAnswerAfterHints(t *testing.T) {
	t.Parallel()
	up := wired(t, func(w wire) {
		if r, _ := w.request(); r != nil {
			w.say("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
		}
	})
	c := ask(fakeapi.Anthropic, true)
	a := start(t, fakeapi.Refusing(), to(t, up)).post(c)
	if a.status != 502 || a.header.Get("Content-Type") != "application/json" || a.header.Get("Date") == "" || a.header.Get("Link") != "" {
		t.Errorf("%+v", a)
	}
}
