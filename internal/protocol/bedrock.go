package protocol

import (
	"fmt"
	"net/http"
	"net/url"

	"imagebreaker/internal/jsontree"
	"imagebreaker/internal/stream"
)

// amazonStream is how Bedrock streams.
const amazonStream Stream = stream.Amazon

// bedrock is the common part of the calls of Amazon Bedrock's runtime,
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html.
//
// A client has to use a bearer key (AWS_BEARER_TOKEN_BEDROCK): a signature (Version 4)
// covers the host that the client knows, which is the proxy's.
type bedrock struct{}

func (bedrock) Provider() string { return "bedrock" }

// bedrockCall parses …/model/MODEL/OPERATION, below any prefix. The model may be
// an ARN, whose slashes and colons are escaped.
func bedrockCall(method string, u *url.URL) (model, operation string, ok bool) {
	_, rest, found := cutLast(u.EscapedPath(), "/model/")
	escaped, operation, more := cutLast(rest, "/")
	model, err := url.PathUnescape(escaped)
	return model, operation, method == http.MethodPost && found && more && model != "" && err == nil
}

// Error contains the message alone. Its class is in a header: see errorHeader.
func (bedrock) Error(e Error) []byte {
	return fmt.Appendf(nil, `{"message":%s}`, jsontree.Quote(e.Message))
}

// errorHeader returns the class of the exception that SDKs turn an error into. None of
// them retries the first; all retry the second, like every 502 and 504.
func (bedrock) errorHeader(status int) (name, value string) {
	if status < http.StatusInternalServerError {
		return "X-Amzn-Errortype", "ValidationException"
	}
	return "X-Amzn-Errortype", "ServiceUnavailableException"
}
