package protocol

import (
	"net/http"
	"strings"
	"testing"
)

// A request's name goes into the log; a text of the upstream's must not.
func TestRequestID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"req_011CSHoE": "req_011CSHoE", "a-b.c:d": "a-b.c:d", "": "",
		"two words": "", "https://host.test/x": "", "é": "", strings.Repeat("x", 129): "",
	} {
		for _, name := range []string{"Request-Id", "X-Request-Id", "X-Amzn-RequestId"} {
			h := http.Header{}
			h.Set(name, id)
			if got := RequestID(h); got != want {
				t.Errorf("%s: %q gives %q, want %q", name, id, got, want)
			}
		}
	}
	h := http.Header{"Request-Id": {"not a name"}, "X-Request-Id": {"req_1"}}
	if got := RequestID(h); got != "req_1" {
		t.Errorf("the first that can be one: %q", got)
	}
}

func TestSigned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		authorization, sum string
		want               bool
	}{
		{"AWS4-HMAC-SHA256 Credential=x", "0123", true},
		{"AWS4-HMAC-SHA256 Credential=x", "", true},
		{"AWS4-HMAC-SHA256 Credential=x", "UNSIGNED-PAYLOAD", false},
		{"Bearer x", "0123", false},
		{"", "", false},
	} {
		h := http.Header{"Authorization": {c.authorization}, "X-Amz-Content-Sha256": {c.sum}}
		if got := Signed(h); got != c.want {
			t.Errorf("%v: %v", h, got)
		}
	}
}
