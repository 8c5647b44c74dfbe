package failure

import (
	"regexp"
	"slices"
	"strings"

	"imagebreaker/internal/record"
)

// A rule knows one kind of message, whoever sends it.
type rule struct {
	name    string
	verdict record.Verdict
	reason  record.Reason
	match   *regexp.Regexp // in plain text: see plain
	unless  *regexp.Regexp // nil, or what makes it another kind
	soft    bool           // of a veto: a media host's status, which says more, goes before it
}

func (r rule) in(text string) bool {
	return r.match.MatchString(text) && (r.unless == nil || !r.unless.MatchString(text))
}

// but returns the rule with an exception.
func (r rule) but(patterns ...string) rule {
	r.unless = compile(patterns...)
	return r
}

func permanent(name string, reason record.Reason, patterns ...string) rule {
	return rule{name: name, verdict: record.Permanent, reason: reason, match: compile(patterns...)}
}

func suspect(name string, reason record.Reason, patterns ...string) rule {
	return rule{name: name, verdict: record.Suspect, reason: reason, match: compile(patterns...)}
}

func none(name string, reason record.Reason, patterns ...string) rule {
	return rule{name: name, verdict: record.None, reason: reason, match: compile(patterns...)}
}

func softly(name string, reason record.Reason, patterns ...string) rule {
	r := none(name, reason, patterns...)
	r.soft = true
	return r
}

// macros are what the patterns share. They stand in capitals there.
var macros = map[string]string{
	// what can be broken
	"ITEM": `(?:images?|pictures?|photos?|videos?|audios?|media|multimodal|gif|png|jpe?g|webp|heic|heif|avif|bmp|tiff?|svg|thumbnail|frames?)`,
	// the same, where a bare file or document is meant too
	"FILE": `(?:images?|pictures?|photos?|videos?|audios?|media|multimodal|gif|png|jpe?g|webp|heic|heif|avif|` +
		`bmp|tiff?|svg|files?|pdfs?|documents?|attachments?)`,
	// what a model can be blind to
	"SENSE": `(?:images?|image_urls?|input_images?|vision|visual|video|videos|video_url|audio|input_audio|multimodal|` +
		`multi-modal|multi-modality|multimodality|pdfs?|files?|documents?)`,
	// not being able to
	"CANT": `(?:could ?n[o']t|could not|can ?not|can't|unable to|fail(?:ed|ure|s)? to|error|errors? while|failed|failure|not able to)`,
	// what may stand between a verb and its item, one word of any kind included
	"GAP": `(?: (?:the|an?|this|that|your|any|one|some|of|or|input|user|provided|uploaded|attached|supplied|` +
		`given|following|remote|inline|raw|base64|base64-encoded|encoded|data|content|bytes|file|from|in|` +
		`as|\d+|<\w+>))*(?: \S+)?`,
	"ISNT": `(?:(?:is|are|was|were) (?:currently |yet )?not|isn't|aren't|wasn't|not)`,
}

var macroPattern = regexp.MustCompile(`ITEM|FILE|SENSE|CANT|GAP|ISNT`)

// compile makes one pattern of several alternatives. Lines are the unit of ^ and $.
func compile(patterns ...string) *regexp.Regexp {
	pattern := strings.Join(patterns, "|")
	return regexp.MustCompile(`(?m)` + macroPattern.ReplaceAllStringFunc(pattern, func(w string) string { return macros[w] }))
}

// firstRule returns the first rule that holds for text.
func firstRule(rules []rule, text string) (rule, bool) {
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.in(text) }); i >= 0 {
		return rules[i], true
	}
	return rule{}, false
}

// A codeRule knows an error's code or type.
type codeRule struct {
	name    string
	verdict record.Verdict
	reason  record.Reason
	codes   []string // lower case
}

func firstCode(rules []codeRule, codes []string) (codeRule, bool) {
	for _, r := range rules {
		if slices.ContainsFunc(codes, func(c string) bool { return slices.Contains(r.codes, c) }) {
			return r, true
		}
	}
	return codeRule{}, false
}
