package failure

import (
	"regexp"
	"slices"
	"strings"

	"imagebreaker/internal/record"
)

// Judge judges an error answer, or a 200 that hides one: a JSON body with a
// top-level error, or a whole event stream. It never panics and does a bounded
// amount of work, whatever the body holds.
func Judge(a Answer) Judgement { return standard().judge(a) }

func (e *engine) judge(a Answer) Judgement {
	failed := a.Status == 0 || a.Status >= 400 || isEventStream(a.ContentType)
	if isStream(a.ContentType, string(a.Body[:min(len(a.Body), 256)])) {
		if j, ok := e.stream(a.Body, max(a.Status, 200)); ok {
			j.Layers = append([]string{"event stream"}, j.Layers...)
			return j
		}
	}
	if !failed && !isFrame(a.Body) {
		return success(a.Body)
	}
	return e.error(prepare(a.Body), a.Status, a.ErrorType)
}

// isEventStream reports Amazon's framing: the caller has taken the exception out.
func isEventStream(contentType string) bool {
	return strings.HasPrefix(strings.ToLower(contentType), "application/vnd.amazon.eventstream")
}

// prepare bounds a body and takes payload out of it.
func prepare(body []byte) string {
	s := shorten(elideRuns(strings.TrimPrefix(string(body), "\uFEFF")), maxBody)
	return strings.ToValidUTF8(s, "\uFFFD")
}

// error judges the text of an error, whatever carried it.
func (e *engine) error(body string, status int, errorType string) Judgement {
	if strings.TrimSpace(body) == "" {
		return e.bare(status)
	}
	if isHTML(body) {
		return page(status)
	}
	x := unwrap(body, e.trailers)
	if errorType != "" {
		x.codes = append(x.codes, strings.ToLower(cutSuffix(errorType, ":")))
	}
	s := newSubject(x, status, slices.Concat(e.echoes, e.expectedValues))
	d := e.decide(s)
	j := judgement(d)
	j.Layers, j.Message, j.Code = x.layers, x.message, x.code
	j.PointsAt, j.Pointer = e.point(s, d.verdict)
	if d.verdict != record.None {
		j.Pointer.URL = culpritURL(s)
	}
	j.Limits = limitsOf(s, d)
	return j
}

// judgement is a decision without all that only a message tells.
func judgement(d decision) Judgement {
	return Judgement{Verdict: d.verdict, Reason: d.reason, Rule: d.rule, Limits: Limits{Count: -1}}
}

// cutSuffix returns s up to the mark: x-amzn-errortype may have an address behind it.
func cutSuffix(s, mark string) string {
	head, _, _ := strings.Cut(s, mark)
	return head
}

// bare judges an answer that has nothing but a status.
func (e *engine) bare(status int) Judgement {
	return judgement(e.fallback(subject{status: status}))
}

// pageStart is how web pages begin.
var pageStart = regexp.MustCompile(`(?is)^<(?:!doctype html|\?xml|html|head|!--.*<html|center)`)

func isHTML(body string) bool {
	body = strings.TrimSpace(body)
	return pageStart.MatchString(body[:min(len(body), 256)])
}

// page judges a web page: it comes from something in front of the API, which
// cannot know what is in an image.
func page(status int) Judgement {
	j := judgement(decision{record.None, record.GatewayHTML, "html"})
	j.Layers = []string{"html"}
	switch status {
	case 413:
		j.Reason = record.RequestTooLarge
	case 429:
		j.Reason = record.RateLimit
	case 504, 522, 524:
		j.Reason = record.GatewayTimeout
	}
	return j
}

// success is a 2xx without an error frame: what the model wrote, whatever it says.
func success(body []byte) Judgement {
	j := judgement(decision{record.None, record.ModelText, "no-error-frame"})
	v, _, _, ok := readLiteral(strings.TrimSpace(string(body[:min(len(body), maxBody)])))
	if !ok {
		return j
	}
	for _, choice := range v.get("choices").kids {
		text := choice.get("message").get("content")
		if text.kind == kindString && text.text == "" && v.get("usage").get("completion_tokens").text == "0" {
			j.Reason, j.Rule = record.SilentEmpty, "no-tokens"
		}
	}
	return j
}
