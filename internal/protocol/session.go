package protocol

import (
	"net/http"
	"regexp"

	"imagebreaker/internal/jsontree"
)

// claudeCodeSession is the header that Claude Code alone sends, with the
// conversation's id, the same after --continue and in sub-agents.
const claudeCodeSession = "X-Claude-Code-Session-Id"

// sessionHeaders name an agent's conversation, the more reliable ones first: Codex and
// pi, then opencode, whose sub-agents send an id of their own beside the parent's.
var sessionHeaders = []string{
	"Session-Id", "Session_id", "X-Parent-Session-Id", "X-Session-Id", "X-Session-Affinity",
}

var userSession = regexp.MustCompile(`_session_([0-9A-Za-z-]{8,64})$`)

// session returns the id of the conversation that a request belongs to; empty if it has
// none.
func session(h http.Header, body jsontree.Node) string {
	if id := h.Get(claudeCodeSession); id != "" {
		return id
	}
	if id := metadataSession(body.Get("metadata", "user_id").Text()); id != "" {
		return id
	}
	for _, name := range sessionHeaders {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	return body.Get("prompt_cache_key").String()
}

// HeaderSession returns the session of every request with these headers, whatever its
// body says; empty if it depends on the body.
func HeaderSession(h http.Header) string { return bounded(h.Get(claudeCodeSession)) }

// metadataSession returns the session in Anthropic's metadata.user_id as Claude Code
// sends it: a JSON object in a string, in older versions
// user_…_account_…_session_<uuid>.
func metadataSession(userID []byte) string {
	if root, err := jsontree.Parse(userID); err == nil {
		return root.Get("session_id").String()
	}
	if m := userSession.FindSubmatch(userID); m != nil {
		return string(m[1])
	}
	return ""
}
