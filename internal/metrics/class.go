package metrics

import "imagebreaker/internal/record"

// classes are the values of the label class. What a client's image is at fault
// for is kept apart from what a provider is at fault for: only the latter is a
// reason to wake somebody.
var classes = []string{"ok", "client_media", "client", "rate_limited", "provider", "network"}

// class is whose fault an answer was.
func class(x *record.Exchange, a *record.Attempt) string {
	if a.Error == "" {
		return "ok"
	}
	if a.Error == record.Network {
		return "network"
	}
	switch x.RetryDecision(a) {
	case record.NoRetryMedia:
		return "client_media"
	case record.NoRetryHTTP4xx:
		return "client"
	case record.RetryRateLimited:
		return "rate_limited"
	}
	return "provider"
}
