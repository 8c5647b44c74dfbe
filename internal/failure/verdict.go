// Package failure judges an upstream's error answer: is it the fault of the
// request's media, and will it be so for ever? It reads words only. It knows no
// connection, no clock, no request and no image, and it never looks at what a
// model wrote: an agent that debugs this very fault quotes every phrase below.
package failure

// Verdict says what an answer means for the media of its request.
type Verdict string

const (
	// Permanent: the same media will fail again, however often it is sent.
	Permanent Verdict = "permanent"
	// Suspect: likely the media, but known to heal by itself at times. Trust
	// the second failure in a row.
	Suspect Verdict = "suspect"
	// None: not the media's fault, or not for long.
	None Verdict = "none"
)

// Answer is an upstream's answer as it came, decoded but not redacted. The zero
// value is judged None.
type Answer struct {
	Status      int    // HTTP status; 0 is taken for an error answer of unknown status
	ContentType string // as sent; may be wrong or empty
	ErrorType   string // header x-amzn-errortype; may be empty
	Body        []byte // may be cut short, and may have long base64 runs elided as "…"
}

// Pointer names the culprit as an upstream numbers it, counted from 0. The zero
// value names nothing.
type Pointer struct {
	// Path is the index of the message (or input item, or content), then of the
	// part in it, then of the part inside a tool result. A path of one index
	// names a message and leaves open which of its parts.
	Path []int
	// Kind is "image", "video" or "audio" when the upstream counts the items of
	// each kind by themselves (SGLang): Index is then the item's number. Else "".
	Kind  string
	Index int
	// URL is the whole address that the text names as the one that could not be
	// used; "" if the text has none, or has it redacted or cut. It may carry a
	// signature: never log it, never show it.
	URL string
}

// Judgement is what Judge found out.
type Judgement struct {
	Verdict Verdict
	Reason  string // slug such as decode_failed or fetch_4xx; never ""
	// PointsAt is the pointer as text: messages.10.content.0.tool_result.content.0,
	// input[2].content[0], contents[0].parts[2], IMAGE[0], messages.1, or a form
	// field's name. "" if the answer names no culprit.
	PointsAt string
	Pointer  Pointer
	Rule     string   // name of the rule that decided
	Layers   []string // envelopes that were unwrapped, outermost first
	Message  string   // the innermost message, raw: may hold URLs and payload
	Code     string   // the error code (else the type) beside it; "" if none
	Limit    int      // Limits.Count
	Limits   Limits
}

// Group is the family of a reason: who or what has to change before the same
// request can succeed.
type Group string

// The groups of reasons.
const (
	GroupImage     Group = "image"      // this item, on this upstream
	GroupURL       Group = "url"        // this address; the same bytes inline may work
	GroupPayload   Group = "payload"    // this request as a whole; no item is bad
	GroupRoute     Group = "route"      // this model or server
	GroupSuspect   Group = "suspect"    // one retry, then as permanent
	GroupTransient Group = "transient"  // time
	GroupRateLimit Group = "rate_limit" // the client's pace
	GroupNotMedia  Group = "not_media"  // something else in the request
)

var groups = map[Group][]string{
	GroupImage: {"decode_failed", "empty_image", "too_large", "dimensions", "media_type_mismatch", "unsupported_format",
		"invalid_base64", "pdf_invalid", "too_many_pages", "file_not_found", "policy"},
	GroupURL:     {"fetch_4xx", "fetch_throttled", "fetch_forbidden_robots", "invalid_url", "url_not_allowed"},
	GroupPayload: {"dimensions_many_image", "too_many_media", "media_block_schema"},
	GroupRoute:   {"unsupported_by_model"},
	GroupSuspect: {"fetch_failed_unspecified", "fetch_header_missing", "pdf_process_failed", "decoder_missing", "opaque", "silent_empty"},
	GroupTransient: {"fetch_5xx", "fetch_timeout", "fetch_network", "file_processing", "oom", "overloaded", "server_error",
		"timeout", "infra", "infra_image_pull", "gateway_html", "gateway_timeout"},
	GroupRateLimit: {"rate_limit"},
}

var groupByReason = func() map[string]Group {
	m := map[string]Group{}
	for g, reasons := range groups {
		for _, r := range reasons {
			m[r] = g
		}
	}
	return m
}()

// GroupOf returns the group of a reason; an unknown one is GroupNotMedia. It is
// meant for reasons of failures: policy counts as GroupImage, which holds only
// where the verdict is not None (a refused prompt has the same reason).
func GroupOf(reason string) Group {
	if g, ok := groupByReason[reason]; ok {
		return g
	}
	return GroupNotMedia
}

// WholePayload reports whether a reason blames the request's media as a set, so
// that no single item may be held for it.
func WholePayload(reason string) bool { return GroupOf(reason) == GroupPayload }
