package record

// Reason says in one word why a verdict was passed. A user's own rules may have
// others.
type Reason string

// The reasons of the built-in rules.
const (
	DecodeFailed      Reason = "decode_failed"
	EmptyImage        Reason = "empty_image"
	TooLarge          Reason = "too_large"
	Dimensions        Reason = "dimensions"
	MediaTypeMismatch Reason = "media_type_mismatch"
	UnsupportedFormat Reason = "unsupported_format"
	InvalidBase64     Reason = "invalid_base64"
	PDFInvalid        Reason = "pdf_invalid"
	TooManyPages      Reason = "too_many_pages"
	FileNotFound      Reason = "file_not_found"
	Policy            Reason = "policy"

	Fetch4xx             Reason = "fetch_4xx"
	FetchThrottled       Reason = "fetch_throttled"
	FetchForbiddenRobots Reason = "fetch_forbidden_robots"
	InvalidURL           Reason = "invalid_url"
	URLNotAllowed        Reason = "url_not_allowed"

	DimensionsManyImage Reason = "dimensions_many_image"
	TooManyMedia        Reason = "too_many_media"
	MediaBlockSchema    Reason = "media_block_schema"

	UnsupportedByModel Reason = "unsupported_by_model"

	FetchFailedUnspecified Reason = "fetch_failed_unspecified"
	FetchHeaderMissing     Reason = "fetch_header_missing"
	PDFProcessFailed       Reason = "pdf_process_failed"
	DecoderMissing         Reason = "decoder_missing"
	Opaque                 Reason = "opaque"
	SilentEmpty            Reason = "silent_empty"

	Fetch5xx       Reason = "fetch_5xx"
	FetchTimeout   Reason = "fetch_timeout"
	FetchNetwork   Reason = "fetch_network"
	FileProcessing Reason = "file_processing"
	OutOfMemory    Reason = "oom"
	Overloaded     Reason = "overloaded"
	ServerError    Reason = "server_error"
	Timeout        Reason = "timeout"
	Infra          Reason = "infra"
	InfraImagePull Reason = "infra_image_pull"
	GatewayHTML    Reason = "gateway_html"
	GatewayTimeout Reason = "gateway_timeout"

	RateLimit Reason = "rate_limit"

	Schema          Reason = "schema"
	ToolSchema      Reason = "tool_schema"
	ContextLength   Reason = "context_length"
	RequestTooLarge Reason = "request_too_large"
	ModelNotFound   Reason = "model_not_found"
	ImageGeneration Reason = "image_generation"
	Billing         Reason = "billing"
	MissingHeader   Reason = "missing_header"
	ModelText       Reason = "model_text"

	UserRule Reason = "user_rule" // of a user's rule that names none
)

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

// Group returns the group of a reason; of an unknown one it is GroupNotMedia. It is
// meant for reasons of failures: Policy counts as GroupImage, which holds only where
// the verdict is not None (a refused prompt has the same reason).
func (r Reason) Group() Group {
	switch r {
	case DecodeFailed, EmptyImage, TooLarge, Dimensions, MediaTypeMismatch, UnsupportedFormat, InvalidBase64,
		PDFInvalid, TooManyPages, FileNotFound, Policy:
		return GroupImage
	case Fetch4xx, FetchThrottled, FetchForbiddenRobots, InvalidURL, URLNotAllowed:
		return GroupURL
	case DimensionsManyImage, TooManyMedia, MediaBlockSchema:
		return GroupPayload
	case UnsupportedByModel:
		return GroupRoute
	case FetchFailedUnspecified, FetchHeaderMissing, PDFProcessFailed, DecoderMissing, Opaque, SilentEmpty:
		return GroupSuspect
	case Fetch5xx, FetchTimeout, FetchNetwork, FileProcessing, OutOfMemory, Overloaded, ServerError, Timeout,
		Infra, InfraImagePull, GatewayHTML, GatewayTimeout:
		return GroupTransient
	case RateLimit:
		return GroupRateLimit
	}
	return GroupNotMedia
}

// WholePayload reports whether a reason blames the request's media as a set, so that
// no single item may be rejected for it.
func (r Reason) WholePayload() bool { return r.Group() == GroupPayload }
