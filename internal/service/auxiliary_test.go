package service

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"imagebreaker/internal/config"
	"imagebreaker/internal/fakeapi"
	"imagebreaker/internal/policy"
	"imagebreaker/internal/proxy"
	"imagebreaker/internal/upstream"
)

// startAuxiliary is a service with a scripted server for each provider that is
// named, and what each was sent.
func startAuxiliary(t *testing.T, providers ...string) (*Service, map[string]*fakeapi.Server) {
	t.Helper()
	servers, urls := map[string]*fakeapi.Server{}, []string{}
	for _, p := range providers {
		api, err := fakeapi.Start(fakeapi.Always(fakeapi.Answer{Body: []byte("{}")}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(api.Close)
		servers[p] = api
		urls = append(urls, p+"="+api.URL)
	}
	ups, err := upstream.Parse(strings.Join(urls, ","))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(config.Config{Listen: "127.0.0.1:0", Proxy: proxy.Config{Mode: policy.Off, Upstreams: ups}}, "v1", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s, servers
}

// At a provider's own address everything is the provider's, whatever its path
// and headers say: no key goes to somebody else.
func TestAuxiliaryGoesToOneProvider(t *testing.T) {
	t.Parallel()
	s, servers := startAuxiliary(t, "openai", "anthropic", "ollama", "bedrock", "vertex")
	cases := []struct{ provider, method, path string }{
		{"openai", "POST", "/v1/chat/completions"},
		{"ollama", "POST", "/v1/chat/completions"},
		{"ollama", "POST", "/v1/messages"},
		{"ollama", "GET", "/v1/models"},
		{"bedrock", "GET", "/inference-profiles?type=SYSTEM_DEFINED"},
		{"vertex", "GET", "/v1/projects/p/locations/l/cachedContents"},
	}
	at := map[string]string{}
	for _, c := range cases {
		u, err := s.Address(c.provider)
		if err != nil {
			t.Fatal(err)
		}
		at[c.provider] = u.String()
	}
	s.Start()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, c := range cases {
		r, _ := http.NewRequest(c.method, at[c.provider]+c.path, strings.NewReader("{}"))
		r.Header.Set("Authorization", "Bearer a key")
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		got := servers[c.provider].Requests()
		if len(got) == 0 || got[len(got)-1].URI != c.path {
			t.Errorf("%s %s of %s did not arrive there: %v", c.method, c.path, c.provider, got)
		}
	}
	if n := len(servers["openai"].Requests()) + len(servers["anthropic"].Requests()); n != 1 {
		t.Errorf("%d requests at the others", n)
	}
}

// Amazon's SDK for JavaScript speaks HTTP/2 to Bedrock, also without TLS.
func TestBedrockSpeaksHTTP2(t *testing.T) {
	t.Parallel()
	s, servers := startAuxiliary(t, "bedrock")
	at, err := s.Address("bedrock")
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	only2 := &http.Transport{Protocols: new(http.Protocols)}
	only2.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(only2.CloseIdleConnections)
	resp, err := (&http.Client{Transport: only2}).Post(at.JoinPath("model/m/converse").String(), "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.ProtoMajor != 2 || len(servers["bedrock"].Requests()) != 1 {
		t.Errorf("%s, %d requests", resp.Proto, len(servers["bedrock"].Requests()))
	}
}

// One upstream for everything needs one address only.
func TestOneUpstreamOneAddress(t *testing.T) {
	t.Parallel()
	ups, err := upstream.Parse("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{proxy: proxy.Config{Upstreams: ups, Address: "127.0.0.1:9"}}
	for _, p := range []string{"openai", "ollama", "bedrock", "vertex"} {
		if at, err := s.Address(p); err != nil || at.Host != "127.0.0.1:9" {
			t.Errorf("%s at %v, %v", p, at, err)
		}
	}
}
