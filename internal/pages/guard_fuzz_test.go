package pages_test

import (
	"net"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"imagebreaker/internal/pages"
)

// FuzzGuard checks that a request is answered only if a browser would resolve its Host
// to this machine, and only if it is not for another site.
func FuzzGuard(f *testing.F) {
	for _, seed := range [][3]string{
		{"127.0.0.1:8788", "", ""}, {"localhost", "http://localhost", "same-origin"}, {"[::1]:1", "null", "none"}, {"LOCALHOST:80", "", ""},
		{"127.0.0.1.evil.example", "", ""}, {"[::1", "", ""}, {"localhost@evil.example", "", ""}, {"evil.example:localhost", "", "cross-site"}, {"[::ffff:127.0.0.1]", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	h := pages.New(pages.Config{Memory: &memory{}}, next)
	f.Fuzz(func(t *testing.T, host, origin, site string) {
		r := httptest.NewRequest("GET", "/-/breakers", nil)
		r.Host = host
		r.Header["Origin"], r.Header["Sec-Fetch-Site"] = []string{origin}, []string{site}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 {
			return
		}
		if origin != "" && origin != "http://"+host || site == "cross-site" || site == "same-site" {
			t.Errorf("answers to Origin %q, Sec-Fetch-Site %q at %q", origin, site, host)
		}
		u, err := url.Parse("http://" + host)
		if err != nil {
			return // no browser sends it
		}
		if ip := net.ParseIP(u.Hostname()); !strings.EqualFold(u.Hostname(), "localhost") && (ip == nil || !ip.IsLoopback()) {
			t.Errorf("answers to Host %q, which is %q", host, u.Hostname())
		}
	})
}
