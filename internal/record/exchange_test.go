package record

import (
	"testing"
	"time"
)

func TestRetryDecision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a    Attempt
		want RetryDecision
	}{
		{"no error", Attempt{Status: 200}, ""},
		{"the network", Attempt{Error: Network, Recorded: &Entry{}}, RetryNetwork},
		{"a failure that is remembered", Attempt{Error: HTTP5xx, Status: 500, Recorded: &Entry{}, Verdict: Suspect}, NoRetryMedia},
		{"a permanent one of a request with media", Attempt{Error: HTTP4xx, Status: 400, Verdict: Permanent, Reason: DecodeFailed}, NoRetryMedia},
		{"a first suspected one", Attempt{Error: HTTP4xx, Status: 400, Verdict: Suspect, Reason: Opaque}, NoRetryHTTP4xx},
		{"too many requests", Attempt{Error: HTTP4xx, Status: 429}, RetryRateLimited},
		{"too many requests, inside a stream", Attempt{Error: StreamError, Status: 200, Verdict: None, Reason: RateLimit}, RetryRateLimited},
		{"too many requests, as a 503", Attempt{Error: HTTP5xx, Status: 503, Verdict: None, Reason: RateLimit}, RetryRateLimited},
		{"overloaded", Attempt{Error: HTTP5xx, Status: 529, Verdict: None, Reason: Overloaded}, RetryHTTP5xx},
		{"overloaded, inside a stream", Attempt{Error: StreamError, Status: 200, Verdict: None, Reason: Overloaded}, RetryHTTP5xx},
		{"a time-out", Attempt{Error: HTTP4xx, Status: 408}, RetryNetwork},
		{"a media host's time-out", Attempt{Error: HTTP4xx, Status: 400, Verdict: None, Reason: FetchTimeout}, RetryNetwork},
		{"a client's mistake", Attempt{Error: HTTP4xx, Status: 400, Verdict: None, Reason: Schema}, NoRetryHTTP4xx},
		{"not judged", Attempt{Error: HTTP4xx, Status: 404}, NoRetryHTTP4xx},
	} {
		x := Exchange{Request: &Request{Media: 1}}
		if got := x.RetryDecision(&c.a); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	x := Exchange{Request: &Request{}}
	if got := x.RetryDecision(&Attempt{Error: HTTP4xx, Status: 400, Verdict: Permanent}); got != NoRetryHTTP4xx {
		t.Errorf("without media: %q", got)
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	one, other := Entry{Signature: "1"}, Entry{Signature: "2"}
	probing := func(a Attempt) Attempt { a.Probed = []Entry{one}; return a }
	failed, recovered, nothing := probing(Attempt{Recorded: &one}), probing(Attempt{Cleared: []Entry{other, one}}), probing(Attempt{Error: HTTP5xx})
	for _, c := range []struct {
		name     string
		attempts []Attempt
		want     Probe
	}{
		{"no attempt", nil, ""},
		{"no probe", []Attempt{{Recorded: &one}}, ""},
		{"failed", []Attempt{failed}, ProbeFailed},
		{"recovered", []Attempt{recovered}, ProbeRecovered},
		{"nothing shown", []Attempt{nothing}, ProbeInconclusive},
		{"another failure", []Attempt{probing(Attempt{Recorded: &other})}, ProbeInconclusive},
		{"failed, and the next went without the image", []Attempt{failed, {}}, ProbeFailed},
		{"nothing shown, then failed", []Attempt{nothing, failed}, ProbeFailed},
		{"failed, then nothing shown", []Attempt{failed, nothing}, ProbeFailed},
	} {
		x := Exchange{Attempts: c.attempts}
		if got := x.Probe(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAvoided(t *testing.T) {
	t.Parallel()
	entry := &Entry{Reason: EmptyImage, Remaining: time.Second}
	without := Attempt{Sent: true, Bytes: 30, Placeholders: []Placeholder{{Reason: TooLarge}, {Reason: Opaque}}}
	for _, c := range []struct {
		name     string
		attempts []Attempt
		want     Avoided
	}{
		{"nothing", nil, Avoided{}},
		{"sent as it was", []Attempt{{Sent: true, Bytes: 100}}, Avoided{}},
		{"short-circuited", []Attempt{{Rejected: entry}}, Avoided{ByShortCircuit, EmptyImage, 100}},
		{"dry-run", []Attempt{{Rejected: entry, Sent: true, Bytes: 100}}, Avoided{DryRunOnly, EmptyImage, 100}},
		{"substituted", []Attempt{without}, Avoided{BySubstitution, TooLarge, 70}},
		{"placeholders that are longer than the images", []Attempt{{Sent: true, Bytes: 101, Placeholders: without.Placeholders}}, Avoided{BySubstitution, TooLarge, 0}},
		{"substituted after an upload", []Attempt{{Sent: true, Bytes: 100}, without}, Avoided{}},
	} {
		x := Exchange{Bytes: 100, Attempts: c.attempts}
		if got := x.Avoided(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
