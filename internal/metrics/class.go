package metrics

import "imagebreaker/internal/proxy"

// classes are the values of the label class. What a client's image is at fault
// for is kept apart from what a provider is at fault for: only the latter is a
// reason to wake somebody.
var classes = []string{"ok", "client_media", "client", "rate_limited", "provider", "network"}

// class is whose fault an answer was.
func class(a proxy.Answered) string {
	if a.ErrorKind == "" {
		return "ok"
	}
	if a.ErrorKind == "network" {
		return "network"
	}
	switch a.RetryDecision {
	case "non_retryable_client_media_error":
		return "client_media"
	case "non_retryable_http_4xx":
		return "client"
	case "retryable_rate_limited":
		return "rate_limited"
	}
	return "provider"
}
