package failure

import (
	"strconv"
	"strings"
	"testing"

	"imagebreaker/internal/record"
)

// spelling is one way to quote a media host's status: STATUS and URL are filled in.
type spelling struct{ rule, message string }

var spellings = []spelling{
	{"fetch-aiohttp", "HTTP error 500: STATUS, message='Because', url='URL'"},
	{"fetch-aiohttp", "STATUS, message='Because', url='URL"},
	{"fetch-requests", "An exception occurred while loading IMAGE data at index 0: Error while loading data URL: STATUS Client Error: Because for url: URL"},
	{"fetch-requests", "STATUS Server Error: Because for url: URL"},
	{"fetch-httpx", "Client error 'STATUS Because' for url 'URL'\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status"},
	{"fetch-reqwest", "failed: HTTP status client error (STATUS Because) for url (URL)"},
	{"fetch-urllib3", "HTTPSConnectionPool: Max retries exceeded with url: URL (Caused by ResponseError('too many STATUS error responses'))"},
	{"fetch-ffmpeg", "[Errno 875574520] Server returned STATUS Because: 'URL'"},
	{"fetch-status-code", "Unable to fetch image from URL. Status code: STATUS, url=URL"},
	{"fetch-status-code", "error getting file type: failed to download file, status_code: STATUS"},
	{"fetch-status-code", "Error while downloading file. Upstream status code: STATUS."},
	{"fetch-status", "failed to fetch image: unexpected status STATUS"},
	{"fetch-status", "could not download media URL (status=STATUS)"},
	{"fetch-http", "Failed to fetch media from URL: HTTP STATUS error (parameter=image_url, value=URL)"},
	{"fetch-http", "Failed to download image: HTTP Error STATUS: Because"},
	{"fetch-returned", "failed to download video: the server returned STATUS"},
	{"fetch-returned", "failed to download image: got STATUS for URL"},
	{"fetch-phrase", "Invalid image request: cannot load image URL, STATUS Not Found"},
	{"fetch-colon", "failed to fetch media: STATUS"},
	{"fetch-bracket", "cannot fetch image URL (STATUS)"},
	{"fetch-for-url", "HTTP STATUS for URL: Because"},
}

var mediaURLs = []string{"https://cdn.example.test/a/cat.png?sig=1", "https://www.example.test/v24.0/123/picture", "https://cdn.example.test<path>", "[URL_REDACTED]", "***", "http://10.0.0.8/a.png", "https://cdn.exam…"}

func (s spelling) with(status int, url string) said {
	return said{s.rule, strings.NewReplacer("STATUS", strconv.Itoa(status), "URL", url).Replace(s.message)}
}

func TestWrappedStatus(t *testing.T) {
	t.Parallel()
	outcomes := map[int]decision{
		403: {record.Permanent, "fetch_4xx", ""}, 404: {record.Permanent, "fetch_4xx", ""}, 410: {record.Permanent, "fetch_4xx", ""},
		429: {record.Permanent, "fetch_throttled", ""}, 408: {record.None, "fetch_timeout", ""},
		500: {record.None, "fetch_5xx", ""}, 503: {record.None, "fetch_5xx", ""},
	}
	for _, s := range spellings {
		for i, url := range mediaURLs {
			for status, want := range outcomes {
				if i > 0 && status != 404 && status != 503 {
					continue // an address does not change what a status means
				}
				m := s.with(status, url)
				j := standard().judge(Answer{Status: 500, Body: []byte(`{"error":{"message":` + quoteJSON(m.message) + `}}`)})
				if j.Verdict != want.verdict || j.Reason != want.reason || j.Rule != s.rule {
					t.Errorf("%q: %s %s by %s, want %s %s by %s", m.message, j.Verdict, j.Reason, j.Rule, want.verdict, want.reason, s.rule)
				}
			}
		}
	}
}

// others are statuses that no media host gave.
var others = []said{
	{"sdk", "BadRequestError: Error code: 404 - the image file is gone, get the file from the url again"},
	{"aws", "operation error Bedrock: GetFile image download, https response error StatusCode: 403, RequestID: 1"},
	{"api-request", "[models] Error: API request failed with status code 403: could not get image url"},
	{"angle", "<404> while fetching image url"},
	{"prefix", "HTTP error 404: while fetching image url"},
	{"phrase-prefix", "400 Bad Request: while fetching image url"},
	{"", "404, message='Not Found', url='http://kv-router.internal.example.test:9000/v1/blocks/7'"},
	{"", "404, message='Not Found', url='http://localhost:8000/generate'"},
	{"", "401, message='Unauthorized', url='https://api.example.test/v1/chat/completions'"},
	{"", "404 Client Error: Not Found for url: https://huggingface.co/example/vl/resolve/main/config.json"},
	{"", "Client error '404 Not Found' for url 'http://llm.internal/v1/chat/completions'"},
	{"", "401 Client Error: Unauthorized for url: https://login.example.test/oauth2/token"},
	{"", "webhook failed: 404 Client Error: Not Found for url: https://hooks.example.test/x"},
	{"", "415 Client Error: Unsupported Media Type for url: http://llm.internal/x"},
	{"", "Failed to process image request: 404 Client Error: Not Found for url: http://llm.internal:8000/v1/chat/completions"},
	{"", "failed to dial postgres url='postgres://db.example.test:5432/x' message='conn refused'"},
	{"", "cache lookup: 404, message='Not Found', url='redis://cache:6379/0'"},
	{"", "metric returned 404"},
	{"", "404, message='Not Found'"},
}

func TestOtherStatus(t *testing.T) {
	t.Parallel()
	for _, o := range others {
		if j := o.judge(standard()); j.Verdict == record.Permanent {
			t.Errorf("%q: %s %s by %s", o.message, j.Verdict, j.Reason, j.Rule)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]place{
		"https://cdn.example.test/a.PNG?x=1":            mediaPlace,
		"https://www.example.test/v24.0/1/picture":      publicPlace,
		"https://cdn.example.test<path>?oe=1":           publicPlace,
		"http://10.0.0.8<path>":                         publicPlace,
		"http://10.0.0.8/x":                             innerPlace,
		"http://[::1]:80/x":                             innerPlace,
		"http://minio:9000/b/cat.jpg":                   mediaPlace,
		"http://minio:9000/b/cat":                       innerPlace,
		"https://files.example.test:8443/x":             innerPlace,
		"http://svc.cluster.local/x":                    innerPlace,
		"https://api.example.test/v1/embeddings":        servicePlace,
		"https://example.test/v1/chat/completions":      servicePlace,
		"https://huggingface.co/x/y":                    servicePlace,
		"https://example.test/w/model.safetensors":      servicePlace,
		"postgres://db/x":                               servicePlace,
		"https://api.telegram.example/file/photo_1.jpg": mediaPlace,
		"[URL_REDACTED]":                                unknownPlace,
		"***":                                           unknownPlace,
		"https://":                                      unknownPlace,
	} {
		if got := placeOf(url); got != want {
			t.Errorf("placeOf(%q) = %d, want %d", url, got, want)
		}
	}
}

func TestCulpritURL(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"404, message='Not Found', url='https://cdn.example.test/a.png?s=1'":                                                                                                               "https://cdn.example.test/a.png?s=1",
		"Error while downloading https://cdn.example.test/a,b.pdf. Upstream status code: 403.":                                                                                             "https://cdn.example.test/a,b.pdf",
		"loading VIDEO data at index 0: Error while loading data VideoData(url='https://v.example.test/watch', ...: 429 Client Error: Too Many Requests for url: https://w.example.test/s": "https://v.example.test/watch",
		"Error while loading data https://v.example.test/w: 403 Client Error: Forbidden for url: https://v.example.test/w":                                                                 "https://v.example.test/w",
		"404, message='Not Found', url='https://cdn.example.test<path>'":                                                                                                                   "",
		"404, message='Not Found', url='https://cdn.exam...":                                                                                                                               "",
		"404, message='Not Found', url='[URL_REDACTED]'":                                                                                                                                   "",
		"Unable to process input image. See https://developers.generativeai.google/guide":                                                                                                  "",
		"Could not process image": "",
	} {
		j := Judge(Answer{Status: 500, Body: []byte(`{"detail":` + quoteJSON(message) + `}`)})
		if j.Pointer.URL != want {
			t.Errorf("%q blames %q, want %q (%s by %s)", message, j.Pointer.URL, want, j.Verdict, j.Rule)
		}
	}
}
